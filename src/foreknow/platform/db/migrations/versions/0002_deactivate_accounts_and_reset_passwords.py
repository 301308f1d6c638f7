"""Deactivate accounts, and reset passwords."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0002"
down_revision = "0001"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    # First, as it asks for the stronger lock on the table of users, which the new one refers to.
    op.add_column("users", sa.Column("is_active", FLAG, server_default=sa.text("true"), nullable=False))
    op.create_table(
        "password_resets",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_password_resets_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_password_resets")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_password_resets_token_hash")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
