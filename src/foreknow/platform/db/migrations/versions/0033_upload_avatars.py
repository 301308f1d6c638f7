"""Upload avatars."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0033"
down_revision = "0032"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("users", sa.Column("avatar_object", sa.Text(), nullable=True))
    op.create_table(
        "unused_avatars",
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_unused_avatars_user_id")),
        sa.PrimaryKeyConstraint("object", name=op.f("pk_unused_avatars")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_unused_avatars_due_at_ms"), "unused_avatars", ["due_at_ms"], unique=False)
