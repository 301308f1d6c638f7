"""Post to partners' webhooks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0042"
down_revision = "0041"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "webhooks",
        sa.Column("partner_id", INT64, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("line_id", INT64, nullable=False),
        sa.Column("pools_from_ms", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("failures", INT64, server_default="0", nullable=False),
        sa.Column("failing_since_ms", INT64, nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("delivered_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_webhooks_partner_id")),
        sa.PrimaryKeyConstraint("partner_id", name=op.f("pk_webhooks")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_webhooks_due_at_ms"), "webhooks", ["due_at_ms"], unique=False)
    op.create_table(
        "webhook_secrets",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("partner_id", INT64, nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("ends_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_webhook_secrets_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_secrets")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_webhook_secrets_partner_id"), "webhook_secrets", ["partner_id"], unique=False)
    op.create_table(
        "webhook_pools",
        sa.Column("partner_id", INT64, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("resolved_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_webhook_pools_partner_id")),
        sa.PrimaryKeyConstraint("partner_id", "pool_id", name=op.f("pk_webhook_pools")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.add_column("attention", sa.Column("partner", sa.Text(), nullable=True))
