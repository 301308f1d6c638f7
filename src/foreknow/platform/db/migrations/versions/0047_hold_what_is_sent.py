"""Hold what is sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0047"
down_revision = "0046"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "sending",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("held_since_ms", INT64, nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sending")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
