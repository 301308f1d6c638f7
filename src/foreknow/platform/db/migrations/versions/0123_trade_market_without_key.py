"""Check no more that a trade's market exists, on PostgreSQL: it is its position's, which says so."""

from __future__ import annotations

from alembic import op

revision = "0123"
down_revision = "0122"


def upgrade() -> None:
    """Lead there. No way leads back."""
    if op.get_context().dialect.name == "postgresql":
        op.drop_constraint("fk_trades_market_id", "trades", type_="foreignkey")
