"""Let limit orders rest."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0073"
down_revision = "0072"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "limit_orders",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("market_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("partner_id", INT64, nullable=True),
        sa.Column("external_user_id", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("price_bps", INT64, nullable=False),
        sa.Column("is_up", FLAG, nullable=False),
        sa.Column("rank", INT64, nullable=False),
        sa.Column("shares", INT64, nullable=False),
        sa.Column("filled_shares", INT64, nullable=False),
        sa.Column("time_in_force", sa.Text(), nullable=False),
        sa.Column("post_only", FLAG, nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("amount_kopecks", INT64, nullable=False),
        sa.Column("fee_kopecks", INT64, nullable=False),
        sa.Column("held_kopecks", INT64, nullable=False),
        sa.Column("owed_kopecks", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("updated_at_ms", INT64, nullable=False),
        sa.CheckConstraint(
            "filled_shares >= 0 AND filled_shares <= shares AND owed_kopecks >= 0 AND owed_kopecks <= held_kopecks",
            name=op.f("ck_limit_orders_within_bounds"),
        ),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_limit_orders_market_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_limit_orders_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_limit_orders")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_limit_orders_queue",
        "limit_orders",
        ["market_id", "is_up", "rank", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_index(
        "ix_limit_orders_open_user",
        "limit_orders",
        ["user_id", "pool_id", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_index(
        "ix_limit_orders_expiring",
        "limit_orders",
        ["expires_at_ms"],
        unique=False,
        sqlite_where=sa.text("status = 'open' AND expires_at_ms IS NOT NULL"),
        postgresql_where=sa.text("status = 'open' AND expires_at_ms IS NOT NULL"),
    )
    op.create_index(
        "ix_limit_orders_held",
        "limit_orders",
        ["user_id", "held_kopecks"],
        unique=False,
        sqlite_where=sa.text("held_kopecks > 0"),
        postgresql_where=sa.text("held_kopecks > 0"),
    )
    op.create_index(
        "ix_limit_orders_user",
        "limit_orders",
        ["user_id", "status", "id"],
        unique=False,
    )
    op.create_index(
        "ix_limit_orders_user_market",
        "limit_orders",
        ["user_id", "market_id", "status", "id"],
        unique=False,
    )
    op.create_index(
        "ix_limit_orders_partner",
        "limit_orders",
        ["partner_id", "status", "id"],
        unique=False,
        sqlite_where=sa.text("partner_id IS NOT NULL"),
        postgresql_where=sa.text("partner_id IS NOT NULL"),
    )
    op.create_index(
        "ix_limit_orders_partner_market",
        "limit_orders",
        ["partner_id", "market_id", "status", "id"],
        unique=False,
        sqlite_where=sa.text("partner_id IS NOT NULL"),
        postgresql_where=sa.text("partner_id IS NOT NULL"),
    )
    op.create_table(
        "order_dues",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("order_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("trade_id", INT64, nullable=True),
        sa.Column("pnl_kopecks", INT64, nullable=True),
        sa.Column("closes", FLAG, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["order_id"], ["limit_orders.id"], name=op.f("fk_order_dues_order_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_order_dues")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_order_dues_pool", "order_dues", ["pool_id", "id"], unique=False)
