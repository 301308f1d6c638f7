"""Check no more that a trade's user exists, on PostgreSQL: it is its position's, which says so."""

from __future__ import annotations

from alembic import op

revision = "0122"
down_revision = "0121"


def upgrade() -> None:
    """Lead there. No way leads back."""
    if op.get_context().dialect.name == "postgresql":
        op.drop_constraint("fk_trades_user_id", "trades", type_="foreignkey")
