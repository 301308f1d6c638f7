"""Invite people; keep what they agreed to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0051"
down_revision = "0050"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "invitations",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("uses", INT64, nullable=False),
        sa.Column("used", INT64, server_default="0", nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=True),
        sa.Column("withdrawn_at_ms", INT64, nullable=True),
        sa.Column("credit_kopecks", INT64, nullable=False),
        sa.Column("creator", FLAG, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.CheckConstraint("used <= uses", name=op.f("ck_invitations_never_overused")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.add_column("users", sa.Column("invitation_id", INT64, nullable=True))
    op.add_column("users", sa.Column("terms_version", sa.Text(), nullable=True))
