"""Alert operators of what waits for a person."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0014"
down_revision = "0013"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("support_alerts", sa.Column("kind", sa.Text(), server_default="support", nullable=False))
    op.add_column("attention", sa.Column("alerted_at_ms", INT64, nullable=True))
    rows = sa.text("closed_at_ms IS NULL AND alerted_at_ms IS NULL")
    op.create_index("ix_attention_unalerted", "attention", ["id"], sqlite_where=rows, postgresql_where=rows)
