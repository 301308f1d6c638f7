"""Follow odds of other sites."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0017"
down_revision = "0016"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "odds_events",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("due_at_ms", INT64, nullable=True),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.Column("checked_at_ms", INT64, nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("round", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_odds_events_event_id")),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_odds_events")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_odds_events_source_due_at_ms", "odds_events", ["source", "due_at_ms"], unique=False)
    op.create_table(
        "house_pools",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("spent_kopecks", INT64, nullable=False),
        sa.Column("position_ids", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_house_pools_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_house_pools")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
