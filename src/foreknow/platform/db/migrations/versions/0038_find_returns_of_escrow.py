"""Find what came back from each pool's escrow."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_transfers_returns", "transfers", ["source_account_id", "id"], where="kind = 'return'")
