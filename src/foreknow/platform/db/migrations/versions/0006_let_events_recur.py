"""Let events recur."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0006"
down_revision = "0005"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("events", sa.Column("resolves_at_ms", INT64, nullable=True))
    op.add_column("events", sa.Column("templates", sa.Text(), nullable=True))
    op.add_column("events", sa.Column("series_id", INT64, nullable=True))
    op.add_column("events", sa.Column("series_index", INT64, nullable=True))
    op.add_column("events", sa.Column("is_newest", FLAG, server_default=sa.text("true"), nullable=False))
    op.create_table(
        "series",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("creator_id", INT64, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("loop_interval_minutes", INT64, nullable=False),
        sa.Column("first_event_id", INT64, nullable=False),
        sa.Column("newest_event_id", INT64, nullable=False),
        sa.Column("newest_index", INT64, nullable=False),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.Column("draft_index", INT64, nullable=False),
        sa.Column("waiting", sa.Text(), nullable=True),
        sa.Column("waiting_index", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=True),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["creator_id"], ["users.id"], name=op.f("fk_series_creator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_series_due_at_ms"), "series", ["due_at_ms"], unique=False)
