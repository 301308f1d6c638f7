"""Keep what makes the rules of pools clearer, and count it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0119"
down_revision = "0118"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "clarifications",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_ru", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("hidden_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_clarifications_pool_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clarifications")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_clarifications_pool_id", "clarifications", ["pool_id", "id"])
    op.create_index("ix_clarifications_user_id", "clarifications", ["user_id", "id"])
    op.add_column("pools", sa.Column("clarifications", INT64, nullable=False, server_default="0"))
