"""Keep objections to results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0118"
down_revision = "0117"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "objections",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("verdict", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("partner_id", INT64, nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("source_url", sa.Text(), nullable=False),
        sa.Column("proposal", sa.Text(), nullable=True),
        sa.Column("holds", FLAG, nullable=False),
        sa.Column("held_first", FLAG, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("answer_note", sa.Text(), server_default="", nullable=False),
        sa.Column("answered_at_ms", INT64, nullable=True),
        sa.Column("hidden_at_ms", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_objections_partner_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_objections_pool_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_objections_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_objections")),
        sa.UniqueConstraint("pool_id", "verdict", "user_id", name=op.f("uq_objections_pool_id_verdict_user_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_objections_partner_id_created_at_ms",
        "objections",
        ["partner_id", "created_at_ms"],
        unique=False,
        sqlite_where=sa.text("partner_id IS NOT NULL"),
        postgresql_where=sa.text("partner_id IS NOT NULL"),
    )
    op.create_index("ix_objections_pool_id_id", "objections", ["pool_id", "id"], unique=False)
    op.create_index("ix_objections_user_id_created_at_ms", "objections", ["user_id", "created_at_ms"], unique=False)
    op.create_index(
        "uq_objections_partner",
        "objections",
        ["pool_id", "verdict", "partner_id"],
        unique=True,
        sqlite_where=sa.text("partner_id IS NOT NULL"),
        postgresql_where=sa.text("partner_id IS NOT NULL"),
    )
