"""Grant to newcomers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0054"
down_revision = "0053"

FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")
INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "newcomer_grants",
        sa.Column("granted", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("granted", name=op.f("pk_newcomer_grants")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "newcomer_networks",
        sa.Column("day", INT64, autoincrement=False, nullable=False),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("newcomers", INT64, nullable=False),
        sa.PrimaryKeyConstraint("day", "network", name=op.f("pk_newcomer_networks")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "waiting_newcomers",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("is_invited", FLAG, nullable=False),
        sa.Column("invitation_kopecks", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_waiting_newcomers_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_waiting_newcomers")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
