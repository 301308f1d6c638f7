"""Count what the house account spends by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0048"
down_revision = "0047"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "house_days",
        sa.Column("day", INT64, autoincrement=False, nullable=False),
        sa.Column("spent_kopecks", INT64, nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_house_days")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
