"""List what limit orders hold."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0079"
down_revision = "0078"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_transfers_orders", "transfers", ["source_account_id", "id"], where="kind = 'order'")
