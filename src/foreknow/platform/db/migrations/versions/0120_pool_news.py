"""Keep news of pools for who holds shares and for partners, and when people were notified of clearer rules."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0120"
down_revision = "0119"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "rule_notices",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("notified_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("event_id", "user_id", name=op.f("pk_rule_notices")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_rule_notices_user_id", "rule_notices", ["user_id", "event_id"])
    op.create_table(
        "pool_news",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("without_id", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("stage", INT64, server_default="0", nullable=False),
        sa.Column("outcome_index", INT64, server_default="0", nullable=False),
        sa.Column("after_id", INT64, server_default="0", nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pool_news")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "pool_decisions",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("won_side", INT64, nullable=False),
        sa.Column("payouts", sa.Text(), nullable=True),
        sa.Column("disputable_until_ms", INT64, nullable=False),
        sa.Column("held_until_ms", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pool_decisions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_pool_decisions_created_at_ms"), "pool_decisions", ["created_at_ms"])
    op.create_table(
        "webhook_decisions",
        sa.Column("partner_id", INT64, autoincrement=False, nullable=False),
        sa.Column("decision_id", INT64, autoincrement=False, nullable=False),
        sa.Column("decided_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_webhook_decisions_partner_id")),
        sa.PrimaryKeyConstraint("partner_id", "decision_id", name=op.f("pk_webhook_decisions")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.add_column("webhooks", sa.Column("decisions_from_ms", INT64, server_default="0", nullable=False))
    for column in ("pool_id", "event_id", "due_at_ms"):
        op.create_index(op.f(f"ix_pool_news_{column}"), "pool_news", [column])
