"""Remember the newest backup."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0099"
down_revision = "0098"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "newest_backup",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("finished_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_newest_backup")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
