"""Show operators who waits, and what has changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0032"
down_revision = "0031"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("chat_sessions", sa.Column("waiting_since_ms", INT64, nullable=True))
    op.add_column("chat_sessions", sa.Column("changed_at_ms", INT64, nullable=True))
    rows = sa.text("changed_at_ms IS NOT NULL")
    op.create_index(
        "ix_chat_sessions_changed_at_ms", "chat_sessions", ["changed_at_ms"], sqlite_where=rows, postgresql_where=rows
    )
