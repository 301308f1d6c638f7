"""Keep what forecasts earn, boards of it, and records of the crowd and of people."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0128"
down_revision = "0127"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "forecast_scores",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("score", FLOAT64, nullable=True),
        sa.Column("coverage", FLOAT64, nullable=True),
        sa.PrimaryKeyConstraint("user_id", "pool_id", name=op.f("pk_forecast_scores")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "forecast_scorings",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=True),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.Column("trading", FLAG, nullable=False),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_forecast_scorings")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_forecast_scorings_due_at_ms"), "forecast_scorings", ["due_at_ms"], unique=False)
    op.create_table(
        "forecast_sums",
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("number", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("score", INT64, nullable=False),
        sa.Column("pools", INT64, nullable=False),
        sa.PrimaryKeyConstraint("period", "number", "user_id", name=op.f("pk_forecast_sums")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_forecast_sums_score",
        "forecast_sums",
        ["period", "number", "score", "pools", "user_id"],
        unique=False,
        sqlite_where=sa.text("pools >= 10"),
        postgresql_where=sa.text("pools >= 10"),
    )
    op.create_index("ix_forecast_sums_user_id", "forecast_sums", ["user_id"], unique=False)
    op.create_table(
        "score_cursor",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("final_since_ms", INT64, server_default="0", nullable=False),
        sa.Column("old_since_ms", INT64, server_default="0", nullable=False),
        sa.Column("old_since_id", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_score_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "source_records",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("sums", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "tag", name=op.f("pk_source_records")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_forecasts_said",
        "forecasts",
        ["created_at_ms", "id"],
        unique=False,
        sqlite_where=sa.text("ended_at_ms IS NULL"),
        postgresql_where=sa.text("ended_at_ms IS NULL"),
    )
