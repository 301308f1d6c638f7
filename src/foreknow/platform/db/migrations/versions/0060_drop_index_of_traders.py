"""Drop the index of trades by trader, of which each batch of orders wrote a page for each trader.

The release before reads a trader's past slowly without it, and reads the same.
"""

from __future__ import annotations

from alembic import op

revision = "0060"
down_revision = "0059"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    context = op.get_context()
    if context.dialect.name == "sqlite":
        op.drop_index("ix_trades_user_id", "trades")
        return
    with context.autocommit_block():
        op.drop_index("ix_trades_user_id", "trades", postgresql_concurrently=True, if_exists=True)
