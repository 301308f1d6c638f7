"""Keep what people were worth at the end of each day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0107"
down_revision = "0106"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "worth_cursor",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("day", INT64, server_default="0", nullable=False),
        sa.Column("target_day", INT64, server_default="0", nullable=False),
        sa.Column("after_id", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worth_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "worth_days",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("day", INT64, autoincrement=False, nullable=False),
        sa.Column("worth_kopecks", INT64, nullable=False),
        sa.Column("added_kopecks", INT64, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "day", name=op.f("pk_worth_days")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
