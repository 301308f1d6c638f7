"""Count what is traded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0034"
down_revision = "0033"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "active_events",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("ends_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_active_events")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_active_events_ends_at_ms"), "active_events", ["ends_at_ms"], unique=False)
    op.create_table(
        "activity_cursor",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("seq", INT64, server_default="0", nullable=False),
        sa.Column("resolved_since_ms", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_activity_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "event_activity",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("traders", INT64, server_default="0", nullable=False),
        sa.Column("volume_24h_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("moved_ppm", INT64, server_default="0", nullable=False),
        sa.Column("is_over", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("renew_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_event_activity")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_event_activity_moved_ppm",
        "event_activity",
        ["is_over", "moved_ppm", "event_id"],
        unique=False,
        sqlite_where=sa.text("moved_ppm > 0"),
        postgresql_where=sa.text("moved_ppm > 0"),
    )
    op.create_index(op.f("ix_event_activity_renew_at_ms"), "event_activity", ["renew_at_ms"], unique=False)
    op.create_index(
        "ix_event_activity_volume_24h_kopecks",
        "event_activity",
        ["is_over", "volume_24h_kopecks", "event_id"],
        unique=False,
        sqlite_where=sa.text("volume_24h_kopecks > 0"),
        postgresql_where=sa.text("volume_24h_kopecks > 0"),
    )
    op.create_table(
        "event_changes",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_changes")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "event_minutes",
        sa.Column("minute", INT64, autoincrement=False, nullable=False),
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("volume_kopecks", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("minute", "event_id", name=op.f("pk_event_minutes")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "event_traders",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("event_id", "user_id", name=op.f("pk_event_traders")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "holdings",
        sa.Column("position_id", INT64, autoincrement=False, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("market_id", INT64, nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("shares", INT64, server_default="0", nullable=False),
        sa.Column("sold_pnl_kopecks", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("position_id", name=op.f("pk_holdings")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_holdings_market",
        "holdings",
        ["market_id", "side", "shares", "position_id"],
        unique=False,
        sqlite_where=sa.text("shares > 0"),
        postgresql_where=sa.text("shares > 0"),
    )
    op.create_index("ix_holdings_pool", "holdings", ["pool_id", "position_id"], unique=False)
    op.create_table(
        "market_holders",
        sa.Column("market_id", INT64, autoincrement=False, nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("holders", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("market_id", "side", name=op.f("pk_market_holders")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pool_activity",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("trades", INT64, server_default="0", nullable=False),
        sa.Column("traders", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_pool_activity")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "pool_traders",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("pool_id", "user_id", name=op.f("pk_pool_traders")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tag_counts",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("active", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("tag", name=op.f("pk_tag_counts")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_tag_counts_active",
        "tag_counts",
        ["active", "tag"],
        unique=False,
        sqlite_where=sa.text("active > 0"),
        postgresql_where=sa.text("active > 0"),
    )
    op.create_table(
        "trader_sums",
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("number", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("realized_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("volume_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("trades", INT64, server_default="0", nullable=False),
        sa.Column("events", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("period", "number", "user_id", name=op.f("pk_trader_sums")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_trader_sums_realized", "trader_sums", ["period", "number", "realized_kopecks", "user_id"], unique=False
    )
