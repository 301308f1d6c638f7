"""Count the comments of events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0022"
down_revision = "0021"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "event_comments",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("comments", INT64, nullable=False),
        sa.Column("counted_through_id", INT64, nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_comments_event_id")),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_event_comments")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.execute(
        "INSERT INTO event_comments (event_id, comments, counted_through_id) "
        "SELECT event_id, count(*), max(id) FROM comments GROUP BY event_id"
    )
