"""Gather alerts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0004"
down_revision = "0003"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "support_channels",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("free_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("channel", name=op.f("pk_support_channels")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
