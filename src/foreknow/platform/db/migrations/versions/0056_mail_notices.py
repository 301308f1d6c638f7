"""Mail notices."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0056"
down_revision = "0055"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "notice_pauses",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("mailed_at_ms", INT64, nullable=False),
        sa.Column("ends_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "mode", name=op.f("pk_notice_pauses")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_notice_pauses_ends_at_ms"), "notice_pauses", ["ends_at_ms"], unique=False)
    op.create_table(
        "notices",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=True),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_notices_due_at_ms"), "notices", ["due_at_ms"], unique=False)
    op.create_index("ix_notices_user_id_due_at_ms", "notices", ["user_id", "due_at_ms"], unique=False)
    op.create_table(
        "notification_settings",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("app", FLAG, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_notification_settings_user_id")),
        sa.PrimaryKeyConstraint("user_id", "type", name=op.f("pk_notification_settings")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.add_column("users", sa.Column("time_zone", sa.Text(), nullable=True))
