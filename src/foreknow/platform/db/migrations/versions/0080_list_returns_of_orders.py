"""List what limit orders return."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0080"
down_revision = "0079"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_transfers_order_returns", "transfers", ["target_account_id", "id"], where="kind = 'order_return'")
