"""Follow pools from their result to their payment."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0005"
down_revision = "0004"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("pools", sa.Column("resolution_kind", sa.Text(), server_default="manual", nullable=False))
    op.add_column("pools", sa.Column("dispute_minutes", INT64, server_default="0", nullable=False))
    op.add_column("pools", sa.Column("templates", sa.Text(), nullable=True))
    op.add_column("pools", sa.Column("liquidity", sa.Text(), nullable=True))
    op.add_column("pools", sa.Column("strike", sa.Text(), nullable=True))
    op.add_column("pools", sa.Column("evidence", sa.Text(), nullable=True))
    op.add_column("pools", sa.Column("decided_at_ms", INT64, nullable=True))
    op.add_column("pools", sa.Column("decided_by", sa.Text(), nullable=True))
    op.add_column("pools", sa.Column("disputable_until_ms", INT64, nullable=True))
    op.add_column("pools", sa.Column("attention_reason", sa.Text(), nullable=True))
    op.add_column("pools", sa.Column("void_at_ms", INT64, nullable=True))
    op.add_column("pools", sa.Column("void_prices", sa.Text(), nullable=True))
    op.add_column("pools", sa.Column("paying", FLAG, server_default=sa.text("false"), nullable=False))
    op.add_column("pools", sa.Column("paid_at_ms", INT64, nullable=True))
    op.create_table(
        "attention",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=True),
        sa.Column("pool_id", INT64, nullable=True),
        sa.Column("series_id", INT64, nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("since_ms", INT64, nullable=False),
        sa.Column("closed_at_ms", INT64, nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attention")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "payments",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_payments_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_payments")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_payments_due_at_ms"), "payments", ["due_at_ms"], unique=False)
    op.create_table(
        "pool_deadlines",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_pool_deadlines_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_pool_deadlines")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_pool_deadlines_due_at_ms"), "pool_deadlines", ["due_at_ms"], unique=False)
    # Pools that are open already are looked at when they end, too.
    op.execute(
        "INSERT INTO pool_deadlines (pool_id, due_at_ms)"
        " SELECT id, finish_at_ms FROM pools WHERE state = 'open' AND finish_at_ms IS NOT NULL"
    )
    for name, columns, unique in (
        ("ix_attention_open", ["id"], False),
        ("uq_attention_open_subject", ["subject"], True),
    ):
        rows = sa.text("closed_at_ms IS NULL")
        op.create_index(name, "attention", columns, unique=unique, sqlite_where=rows, postgresql_where=rows)
