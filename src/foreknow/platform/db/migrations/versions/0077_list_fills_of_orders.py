"""List the fills of limit orders."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0077"
down_revision = "0076"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_trades_order", "trades", ["order_id", "id"], where="order_id IS NOT NULL")
