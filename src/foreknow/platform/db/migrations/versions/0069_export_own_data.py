"""Export own data."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0069"
down_revision = "0068"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "exports",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("exported_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_exports_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_exports")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
