"""Send mail."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0053"
down_revision = "0052"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "mail_requests",
        sa.Column("address_hash", sa.Text(), nullable=False),
        sa.Column("asked_at_ms", sa.Text(), nullable=False),
        sa.Column("last_asked_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("address_hash", name=op.f("pk_mail_requests")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_mail_requests_last_asked_at_ms"), "mail_requests", ["last_asked_at_ms"], unique=False)
    op.create_table(
        "mail_service",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("is_on", FLAG, nullable=False),
        sa.Column("last_sent_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_service")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "mails",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("params", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("ends_at_ms", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_mails_due_at_ms"), "mails", ["due_at_ms"], unique=False)
    op.create_index(op.f("ix_mails_user_id"), "mails", ["user_id"], unique=False)
    op.add_column("users", sa.Column("email_pending", sa.Text(), nullable=True))
    op.add_column("users", sa.Column("refused_email", sa.Text(), nullable=True))
    op.add_column("users", sa.Column("language", sa.Text(), nullable=True))
