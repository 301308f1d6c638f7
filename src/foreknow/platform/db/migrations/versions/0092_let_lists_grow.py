"""Let lists grow."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0092"
down_revision = "0091"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("pools", sa.Column("other_index", INT64, nullable=True))
    op.add_column("pools", sa.Column("splits", sa.Text(), nullable=True))
    op.add_column("pools", sa.Column("turning", FLAG, server_default=sa.text("false"), nullable=False))
    op.add_column("markets", sa.Column("first_q_yes", INT64, server_default="0", nullable=False))
    op.add_column("activity_cursor", sa.Column("split_id", INT64, server_default="0", nullable=False))
    op.create_table(
        "counted_splits",
        sa.Column("split_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("split_id", name=op.f("pk_counted_splits")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "position_splits",
        sa.Column("id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("position_id", INT64, nullable=False),
        sa.Column("market_id", INT64, nullable=False),
        sa.Column("new_position_id", INT64, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("shares", INT64, nullable=False),
        sa.Column("cost_kopecks", INT64, nullable=False),
        sa.Column("share_percent", INT64, nullable=False),
        sa.Column("last_trade_id", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_position_splits_market_id")),
        sa.ForeignKeyConstraint(["position_id"], ["positions.id"], name=op.f("fk_position_splits_position_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_position_splits_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_position_splits")),
        sa.UniqueConstraint("market_id", "position_id", name=op.f("uq_position_splits_market_id_position_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_position_splits_user_id_id", "position_splits", ["user_id", "id"], unique=False)
    op.create_table(
        "split_turns",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("last_position_id", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_split_turns_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_split_turns")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_split_turns_due_at_ms"), "split_turns", ["due_at_ms"], unique=False)
