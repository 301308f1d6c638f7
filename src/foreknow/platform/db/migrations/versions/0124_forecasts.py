"""Keep what people think of pools' outcomes, and the crowd of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0124"
down_revision = "0123"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def _partial(name: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    condition = sa.text(where)
    op.create_index(name, "forecasts", columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "forecasts",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("sent", sa.Text(), nullable=False),
        sa.Column("probabilities", sa.Text(), nullable=False),
        sa.Column("market", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("since_ms", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("ended_at_ms", INT64, nullable=True),
        sa.Column("next_id", INT64, nullable=True),
        sa.Column("accepted", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_forecasts_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_forecasts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_forecasts_pool_id_user_id_id", "forecasts", ["pool_id", "user_id", "id"])
    op.create_index("ix_forecasts_user_id_id", "forecasts", ["user_id", "id"])
    _partial("uq_forecasts_standing", ["pool_id", "user_id"], "ended_at_ms IS NULL", unique=True)
    _partial("ix_forecasts_newest", ["pool_id", "since_ms", "id"], "ended_at_ms IS NULL")
    _partial("ix_forecasts_last", ["user_id", "id"], "next_id IS NULL")
    _partial("ix_forecasts_followed", ["user_id", "next_id"], "next_id IS NOT NULL")
    op.create_table(
        "forecast_cursor",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("turn", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_forecast_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "forecast_news",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_forecast_news")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "forecast_crowds",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=True),
        sa.Column("due_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_forecast_crowds")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_forecast_crowds_due_at_ms"), "forecast_crowds", ["due_at_ms"])
    op.create_table(
        "forecast_crowd_points",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("at_ms", INT64, autoincrement=False, nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("pool_id", "at_ms", name=op.f("pk_forecast_crowd_points")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
