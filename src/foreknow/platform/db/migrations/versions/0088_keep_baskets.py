"""Keep baskets and the legs of their trades."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0088"
down_revision = "0087"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "baskets",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("net_kopecks", INT64, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_baskets_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_baskets")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "trade_legs",
        sa.Column("trade_id", INT64, autoincrement=False, nullable=False),
        sa.Column("market_id", INT64, autoincrement=False, nullable=False),
        sa.Column("position_id", INT64, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("shares", INT64, nullable=False),
        sa.Column("amount_kopecks", INT64, nullable=False),
        sa.Column("pnl_kopecks", INT64, nullable=False),
        sa.CheckConstraint("shares > 0 AND amount_kopecks >= 0", name=op.f("ck_trade_legs_within_bounds")),
        sa.ForeignKeyConstraint(["trade_id"], ["trades.id"], name=op.f("fk_trade_legs_trade_id")),
        sa.PrimaryKeyConstraint("trade_id", "market_id", name=op.f("pk_trade_legs")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
