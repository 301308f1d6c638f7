"""Delete accounts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0061"
down_revision = "0060"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "deletions",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_deletions_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_deletions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_deletions_due_at_ms"), "deletions", ["due_at_ms"], unique=False)
    op.add_column("users", sa.Column("deleted_at_ms", INT64, nullable=True))
