"""Keep users' own API keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0039"
down_revision = "0038"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "user_keys",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("session_id", INT64, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("last_used_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_user_keys_session_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_user_keys_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_user_keys_key_hash")),
        sa.UniqueConstraint("session_id", name=op.f("uq_user_keys_session_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_user_keys_user_id"), "user_keys", ["user_id"], unique=False)
    op.add_column("sessions", sa.Column("key_scope", sa.Text(), nullable=True))
