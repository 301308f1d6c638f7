"""Total what rests at each level of a market."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0093"
down_revision = "0092"

_REST = """
    INSERT INTO order_levels (market_id, is_up, rank, shares)
    SELECT market_id, is_up, rank, CAST(SUM(shares - filled_shares) AS BIGINT)
    FROM limit_orders WHERE status = 'open' GROUP BY market_id, is_up, rank
"""


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "order_levels",
        sa.Column("market_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("is_up", sa.Boolean().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("rank", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("shares", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_order_levels_market_id")),
        sa.PrimaryKeyConstraint("market_id", "is_up", "rank", name=op.f("pk_order_levels")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.execute(_REST)
