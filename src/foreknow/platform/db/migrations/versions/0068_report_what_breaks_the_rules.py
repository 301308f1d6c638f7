"""Report what breaks the rules."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0068"
down_revision = "0067"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "report_alerts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_report_alerts")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "report_cases",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target_id", INT64, nullable=False),
        sa.Column("open_subject", sa.Text(), nullable=True),
        sa.Column("reports", INT64, server_default="0", nullable=False),
        sa.Column("opened_at_ms", INT64, nullable=False),
        sa.Column("closed_at_ms", INT64, nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("alerted_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report_cases")),
        sa.UniqueConstraint("open_subject", name=op.f("uq_report_cases_open_subject")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_report_cases_closed",
        "report_cases",
        ["id"],
        unique=False,
        sqlite_where=sa.text("closed_at_ms IS NOT NULL"),
        postgresql_where=sa.text("closed_at_ms IS NOT NULL"),
    )
    op.create_index(
        "ix_report_cases_open",
        "report_cases",
        ["id"],
        unique=False,
        sqlite_where=sa.text("closed_at_ms IS NULL"),
        postgresql_where=sa.text("closed_at_ms IS NULL"),
    )
    op.create_index(
        "ix_report_cases_unalerted",
        "report_cases",
        ["id"],
        unique=False,
        sqlite_where=sa.text("closed_at_ms IS NULL AND alerted_at_ms IS NULL"),
        postgresql_where=sa.text("closed_at_ms IS NULL AND alerted_at_ms IS NULL"),
    )
    op.create_table(
        "reports",
        sa.Column("case_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("place", INT64, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["report_cases.id"], name=op.f("fk_reports_case_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_reports_user_id")),
        sa.PrimaryKeyConstraint("case_id", "user_id", name=op.f("pk_reports")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_reports_user_id_created_at_ms", "reports", ["user_id", "created_at_ms"], unique=False)
    op.create_index("uq_reports_case_id_place", "reports", ["case_id", "place"], unique=True)
    op.add_column("comments", sa.Column("hidden_at_ms", INT64, nullable=True))
    op.add_column("users", sa.Column("muted_until_ms", INT64, nullable=True))
