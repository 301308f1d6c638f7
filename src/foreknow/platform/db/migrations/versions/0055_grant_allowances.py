"""Grant allowances."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0055"
down_revision = "0054"

FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")
INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "active_days",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("last_day", INT64, nullable=False),
        sa.Column("days", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_active_days_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_active_days")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "allowances",
        sa.Column("number", INT64, autoincrement=False, nullable=False),
        sa.Column("terms", sa.Text(), nullable=True),
        sa.Column("next_terms", sa.Text(), nullable=True),
        sa.Column("start_ms", INT64, nullable=False),
        sa.Column("end_ms", INT64, nullable=False),
        sa.Column("paid_through_id", INT64, nullable=False),
        sa.Column("is_paid", FLAG, nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_allowances")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
