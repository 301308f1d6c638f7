"""Index the first trade of each trader, and all that name none before."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0059"
down_revision = "0058"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_trades_first_of_user", "trades", ["user_id", "id"], where="previous_trade_id IS NULL")
