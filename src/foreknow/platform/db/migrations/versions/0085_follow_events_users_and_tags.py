"""Follow events, users and tags."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0085"
down_revision = "0084"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "event_follows",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("is_on", FLAG, nullable=False),
        sa.Column("by_trade", FLAG, nullable=False),
        sa.Column("followed_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("event_id", "user_id", name=op.f("pk_event_follows")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_event_follows_user_id", "event_follows", ["user_id", "event_id"], unique=False)
    op.create_table(
        "event_news",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("comments_due_at_ms", INT64, nullable=True),
        sa.Column("moved_prices", sa.Text(), nullable=True),
        sa.Column("moved_at_ms", INT64, nullable=True),
        sa.Column("moved_due_at_ms", INT64, nullable=True),
        sa.Column("closing", FLAG, server_default=sa.text("false"), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_event_news")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_event_news_comments_due_at_ms"), "event_news", ["comments_due_at_ms"], unique=False)
    op.create_index(op.f("ix_event_news_moved_due_at_ms"), "event_news", ["moved_due_at_ms"], unique=False)
    op.create_table(
        "followed_comments",
        sa.Column("comment_id", INT64, autoincrement=False, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.PrimaryKeyConstraint("comment_id", name=op.f("pk_followed_comments")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_followed_comments_event_id"), "followed_comments", ["event_id"], unique=False)
    op.create_table(
        "follower_news",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("without", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("after_user_id", INT64, server_default="0", nullable=False),
        sa.Column("pieces", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_follower_news")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_follower_news_pieces", "follower_news", ["pieces", "id"], unique=False)
    op.create_table(
        "following_cursor",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("seq", INT64, nullable=False),
        sa.Column("closing_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_following_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "price_alerts",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("market_id", INT64, autoincrement=False, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("above_bps", INT64, nullable=True),
        sa.Column("below_bps", INT64, nullable=True),
        sa.Column("trades", INT64, nullable=False),
        sa.Column("set_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "market_id", name=op.f("pk_price_alerts")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_price_alerts_above_bps",
        "price_alerts",
        ["market_id", "above_bps", "user_id"],
        unique=False,
        sqlite_where=sa.text("above_bps IS NOT NULL"),
        postgresql_where=sa.text("above_bps IS NOT NULL"),
    )
    op.create_index(
        "ix_price_alerts_below_bps",
        "price_alerts",
        ["market_id", "below_bps", "user_id"],
        unique=False,
        sqlite_where=sa.text("below_bps IS NOT NULL"),
        postgresql_where=sa.text("below_bps IS NOT NULL"),
    )
    op.create_index(op.f("ix_price_alerts_pool_id"), "price_alerts", ["pool_id"], unique=False)
    op.create_table(
        "prior_moves",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("moved_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prior_moves")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "tag_follows",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("followed_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("tag", "user_id", name=op.f("pk_tag_follows")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_tag_follows_user_id", "tag_follows", ["user_id", "tag"], unique=False)
    op.create_table(
        "user_follows",
        sa.Column("followed_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("followed_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["followed_id"], ["users.id"], name=op.f("fk_user_follows_followed_id")),
        sa.PrimaryKeyConstraint("followed_id", "user_id", name=op.f("pk_user_follows")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_user_follows_user_id", "user_follows", ["user_id", "followed_id"], unique=False)
