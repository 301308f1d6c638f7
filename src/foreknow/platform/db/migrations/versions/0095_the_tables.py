"""The tables.

Migrations 0001 to 0094 are part of it: they were never released. Indexes of a table stand in the order in which they were
added: of two that serve a query equally well SQLite takes one by that order.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0095"
down_revision = None

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Make every table."""
    op.create_table(
        "accounts",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("owner_id", INT64, nullable=False),
        sa.Column("balance_kopecks", INT64, nullable=False),
        sa.Column("last_trade_id", INT64, nullable=True),
        sa.CheckConstraint("balance_kopecks >= 0 OR kind = 'house'", name=op.f("ck_accounts_never_below_zero")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("kind", "owner_id", name=op.f("uq_accounts_kind_owner_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "active_events",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("ends_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_active_events")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_active_events_ends_at_ms"), "active_events", ["ends_at_ms"])
    op.create_table(
        "activity_cursor",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("seq", INT64, server_default="0", nullable=False),
        sa.Column("resolved_since_ms", INT64, server_default="0", nullable=False),
        sa.Column("split_id", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_activity_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "admin_log",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=True),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_admin_log")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_admin_log_action", "admin_log", ["action", "id"])
    op.create_index("ix_admin_log_target", "admin_log", ["target", "id"])
    op.create_index("ix_admin_log_user_id", "admin_log", ["user_id", "id"])
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
        sqlite_strict=True,
    )
    op.create_table(
        "asset_prices",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("price_usd", FLOAT64, nullable=False),
        sa.Column("observed_at_ms", INT64, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("counts", FLAG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_asset_prices")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_asset_prices_observed", "asset_prices", ["observed_at_ms"])
    op.create_index("ix_asset_prices_symbol_id", "asset_prices", ["symbol", "id"])
    op.create_index("ix_asset_prices_symbol_observed", "asset_prices", ["symbol", "observed_at_ms", "id"])
    op.create_table(
        "assets",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("asset_type", sa.Text(), nullable=False),
        sa.Column("price_usd", FLOAT64, nullable=False),
        sa.Column("price_updated_at_ms", INT64, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("holds_until_ms", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("observed_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assets")),
        sa.UniqueConstraint("symbol", name=op.f("uq_assets_symbol")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
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
        sa.Column("alerted_at_ms", INT64, nullable=True),
        sa.Column("partner", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attention")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    _partial_index("ix_attention_open", "attention", ["id"], "closed_at_ms IS NULL")
    _partial_index("uq_attention_open_subject", "attention", ["subject"], "closed_at_ms IS NULL", unique=True)
    _partial_index("ix_attention_unalerted", "attention", ["id"], "closed_at_ms IS NULL AND alerted_at_ms IS NULL")
    op.create_table(
        "counted_splits",
        sa.Column("split_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("split_id", name=op.f("pk_counted_splits")),
        sqlite_strict=True,
    )
    op.create_table(
        "currency_rates",
        sa.Column("low_code", sa.Text(), nullable=False),
        sa.Column("high_code", sa.Text(), nullable=False),
        sa.Column("rate", FLOAT64, nullable=False),
        sa.Column("inverted", FLAG, nullable=False),
        sa.Column("updated_at_ms", INT64, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("holds_until_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("low_code", "high_code", name=op.f("pk_currency_rates")),
        sqlite_strict=True,
    )
    op.create_index("ix_currency_rates_high_code", "currency_rates", ["high_code", "low_code"])
    op.create_table(
        "event_activity",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("traders", INT64, server_default="0", nullable=False),
        sa.Column("volume_24h_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("moved_ppm", INT64, server_default="0", nullable=False),
        sa.Column("is_over", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("renew_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_event_activity")),
        sqlite_strict=True,
    )
    _partial_index(
        "ix_event_activity_moved_ppm", "event_activity", ["is_over", "moved_ppm", "event_id"], "moved_ppm > 0"
    )
    op.create_index(op.f("ix_event_activity_renew_at_ms"), "event_activity", ["renew_at_ms"])
    _partial_index(
        "ix_event_activity_volume_24h_kopecks",
        "event_activity",
        ["is_over", "volume_24h_kopecks", "event_id"],
        "volume_24h_kopecks > 0",
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
        "event_follows",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("is_on", FLAG, nullable=False),
        sa.Column("by_trade", FLAG, nullable=False),
        sa.Column("followed_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("event_id", "user_id", name=op.f("pk_event_follows")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_event_follows_user_id", "event_follows", ["user_id", "event_id"])
    op.create_table(
        "event_minutes",
        sa.Column("minute", INT64, autoincrement=False, nullable=False),
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("volume_kopecks", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("minute", "event_id", name=op.f("pk_event_minutes")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "event_news",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("comments_due_at_ms", INT64, nullable=True),
        sa.Column("moved_prices", sa.Text(), nullable=True),
        sa.Column("moved_at_ms", INT64, nullable=True),
        sa.Column("moved_due_at_ms", INT64, nullable=True),
        sa.Column("closing", FLAG, server_default=sa.text("false"), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_event_news")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_event_news_comments_due_at_ms"), "event_news", ["comments_due_at_ms"])
    op.create_index(op.f("ix_event_news_moved_due_at_ms"), "event_news", ["moved_due_at_ms"])
    op.create_table(
        "event_traders",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("event_id", "user_id", name=op.f("pk_event_traders")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "feed_leader",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("lease_until_ms", INT64, nullable=False),
        sa.Column("complete_through_id", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_leader")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "feed_order",
        sa.Column("seq", INT64, autoincrement=False, nullable=False),
        sa.Column("trade_id", INT64, nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_feed_order")),
        sa.UniqueConstraint("trade_id", name=op.f("uq_feed_order_trade_id")),
        sqlite_strict=True,
    )
    op.create_table(
        "followed_comments",
        sa.Column("comment_id", INT64, autoincrement=False, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.PrimaryKeyConstraint("comment_id", name=op.f("pk_followed_comments")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_followed_comments_event_id"), "followed_comments", ["event_id"])
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
    op.create_index("ix_follower_news_pieces", "follower_news", ["pieces", "id"])
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
        "holdings",
        sa.Column("position_id", INT64, autoincrement=False, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("market_id", INT64, nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("shares", INT64, server_default="0", nullable=False),
        sa.Column("sold_pnl_kopecks", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("position_id", name=op.f("pk_holdings")),
        sqlite_strict=True,
    )
    _partial_index("ix_holdings_market", "holdings", ["market_id", "side", "shares", "position_id"], "shares > 0")
    op.create_index("ix_holdings_pool", "holdings", ["pool_id", "position_id"])
    op.create_table(
        "house_days",
        sa.Column("day", INT64, autoincrement=False, nullable=False),
        sa.Column("spent_kopecks", INT64, nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_house_days")),
        sqlite_strict=True,
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("status", INT64, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", name=op.f("pk_idempotency_keys")),
        sqlite_strict=True,
    )
    op.create_table(
        "invitations",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("uses", INT64, nullable=False),
        sa.Column("used", INT64, server_default="0", nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=True),
        sa.Column("withdrawn_at_ms", INT64, nullable=True),
        sa.Column("credit_kopecks", INT64, nullable=False),
        sa.Column("creator", FLAG, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.CheckConstraint("used <= uses", name=op.f("ck_invitations_never_overused")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "mail_requests",
        sa.Column("address_hash", sa.Text(), nullable=False),
        sa.Column("asked_at_ms", sa.Text(), nullable=False),
        sa.Column("last_asked_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("address_hash", name=op.f("pk_mail_requests")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_mail_requests_last_asked_at_ms"), "mail_requests", ["last_asked_at_ms"])
    op.create_table(
        "mail_service",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("is_on", FLAG, nullable=False),
        sa.Column("last_sent_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_service")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "mails",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("params", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("ends_at_ms", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_mails_due_at_ms"), "mails", ["due_at_ms"])
    op.create_index(op.f("ix_mails_user_id"), "mails", ["user_id"])
    op.create_table(
        "market_holders",
        sa.Column("market_id", INT64, autoincrement=False, nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("holders", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("market_id", "side", name=op.f("pk_market_holders")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "newcomer_grants",
        sa.Column("granted", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("granted", name=op.f("pk_newcomer_grants")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "newcomer_networks",
        sa.Column("day", INT64, autoincrement=False, nullable=False),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("newcomers", INT64, nullable=False),
        sa.PrimaryKeyConstraint("day", "network", name=op.f("pk_newcomer_networks")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "notice_pauses",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("mailed_at_ms", INT64, nullable=False),
        sa.Column("ends_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "mode", name=op.f("pk_notice_pauses")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_notice_pauses_ends_at_ms"), "notice_pauses", ["ends_at_ms"])
    op.create_table(
        "notices",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=True),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_notices_due_at_ms"), "notices", ["due_at_ms"])
    op.create_index("ix_notices_user_id_due_at_ms", "notices", ["user_id", "due_at_ms"])
    op.create_table(
        "pool_activity",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("trades", INT64, server_default="0", nullable=False),
        sa.Column("traders", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_pool_activity")),
        sqlite_strict=True,
    )
    op.create_table(
        "pool_traders",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("pool_id", "user_id", name=op.f("pk_pool_traders")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
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
        sqlite_strict=True,
    )
    _partial_index(
        "ix_price_alerts_above_bps", "price_alerts", ["market_id", "above_bps", "user_id"], "above_bps IS NOT NULL"
    )
    _partial_index(
        "ix_price_alerts_below_bps", "price_alerts", ["market_id", "below_bps", "user_id"], "below_bps IS NOT NULL"
    )
    op.create_index(op.f("ix_price_alerts_pool_id"), "price_alerts", ["pool_id"])
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
        "provider_runs",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("run", INT64, nullable=False),
        sa.Column("failures", INT64, nullable=False),
        sa.Column("succeeded_at_ms", INT64, nullable=True),
        sa.Column("began_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("provider", name=op.f("pk_provider_runs")),
        sqlite_strict=True,
    )
    op.create_table(
        "record_bins",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("horizon", sa.Text(), nullable=False),
        sa.Column("bin", INT64, autoincrement=False, nullable=False),
        sa.Column("markets", INT64, nullable=False),
        sa.Column("won", INT64, nullable=False),
        sa.Column("probability", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tag", "horizon", "bin", name=op.f("pk_record_bins")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "record_cursor",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("resolved_since_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "record_sums",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("horizon", sa.Text(), nullable=False),
        sa.Column("pools", INT64, nullable=False),
        sa.Column("markets", INT64, nullable=False),
        sa.Column("brier", sa.Text(), nullable=False),
        sa.Column("base_brier", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tag", "horizon", name=op.f("pk_record_sums")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "recorded_pools",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_recorded_pools")),
        sqlite_strict=True,
    )
    op.create_table(
        "report_alerts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_report_alerts")),
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
    _partial_index("ix_report_cases_closed", "report_cases", ["id"], "closed_at_ms IS NOT NULL")
    _partial_index("ix_report_cases_open", "report_cases", ["id"], "closed_at_ms IS NULL")
    _partial_index(
        "ix_report_cases_unalerted", "report_cases", ["id"], "closed_at_ms IS NULL AND alerted_at_ms IS NULL"
    )
    op.create_index("ix_report_cases_target", "report_cases", ["kind", "target_id"])
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
        sqlite_strict=True,
    )
    op.create_table(
        "sending",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("held_since_ms", INT64, nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sending")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "sign_in_failures",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("failed_at_ms", sa.Text(), nullable=False),
        sa.Column("last_failed_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_sign_in_failures")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_sign_in_failures_last_failed_at_ms"), "sign_in_failures", ["last_failed_at_ms"])
    op.create_table(
        "spent_states",
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("state", name=op.f("pk_spent_states")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_spent_states_expires_at_ms"), "spent_states", ["expires_at_ms"])
    op.create_table(
        "stats_days",
        sa.Column("day", INT64, autoincrement=False, nullable=False),
        sa.Column("slot", INT64, autoincrement=False, nullable=False),
        sa.Column("sign_ups", INT64, server_default="0", nullable=False),
        sa.Column("traders", INT64, server_default="0", nullable=False),
        sa.Column("new_traders", INT64, server_default="0", nullable=False),
        sa.Column("volume_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("fees_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("open_interest_change_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("settlement_result_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("grants_kopecks", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("day", "slot", name=op.f("pk_stats_days")),
        sqlite_strict=True,
    )
    op.create_table(
        "support_alerts",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("sent_at_ms", INT64, nullable=True),
        sa.Column("given_up_at_ms", INT64, nullable=True),
        sa.Column("kind", sa.Text(), server_default="support", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_support_alerts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    _partial_index(
        "ix_support_alerts_waiting", "support_alerts", ["due_at_ms"], "sent_at_ms IS NULL AND given_up_at_ms IS NULL"
    )
    op.create_table(
        "support_channels",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("free_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("channel", name=op.f("pk_support_channels")),
        sqlite_strict=True,
    )
    op.create_table(
        "tag_counts",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("active", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("tag", name=op.f("pk_tag_counts")),
        sqlite_strict=True,
    )
    _partial_index("ix_tag_counts_active", "tag_counts", ["active", "tag"], "active > 0")
    op.create_table(
        "tag_follows",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("followed_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("tag", "user_id", name=op.f("pk_tag_follows")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_tag_follows_user_id", "tag_follows", ["user_id", "tag"])
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
        sqlite_strict=True,
    )
    op.create_index("ix_trader_sums_realized", "trader_sums", ["period", "number", "realized_kopecks", "user_id"])
    op.create_table(
        "partners",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("float_account_id", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["float_account_id"], ["accounts.id"], name=op.f("fk_partners_float_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partners")),
        sa.UniqueConstraint("name_key", name=op.f("uq_partners_name_key")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "transfers",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source_account_id", INT64, nullable=False),
        sa.Column("target_account_id", INT64, nullable=False),
        sa.Column("amount_kopecks", INT64, nullable=False),
        sa.Column("trade_id", INT64, nullable=True),
        sa.Column("position_id", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("order_id", INT64, nullable=True),
        sa.CheckConstraint("amount_kopecks > 0", name=op.f("ck_transfers_positive")),
        sa.CheckConstraint("source_account_id <> target_account_id", name=op.f("ck_transfers_two_sides")),
        sa.ForeignKeyConstraint(["source_account_id"], ["accounts.id"], name=op.f("fk_transfers_source_account_id")),
        sa.ForeignKeyConstraint(["target_account_id"], ["accounts.id"], name=op.f("fk_transfers_target_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfers")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    _partial_index(
        "uq_transfers_settled_position", "transfers", ["position_id"], "position_id IS NOT NULL", unique=True
    )
    _partial_index("ix_transfers_credits", "transfers", ["target_account_id", "id"], "kind = 'credit'")
    _partial_index("ix_transfers_debits", "transfers", ["source_account_id", "id"], "kind = 'debit'")
    _partial_index("ix_transfers_returns", "transfers", ["source_account_id", "id"], "kind = 'return'")
    _partial_index("ix_transfers_grants", "transfers", ["target_account_id", "id"], "kind = 'grant'")
    _partial_index("ix_transfers_orders", "transfers", ["source_account_id", "id"], "kind = 'order'")
    _partial_index("ix_transfers_order_returns", "transfers", ["target_account_id", "id"], "kind = 'order_return'")
    op.create_table(
        "partner_keys",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("partner_id", INT64, nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("last_used_at_ms", INT64, nullable=True),
        sa.Column("revoked_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_partner_keys_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partner_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_partner_keys_key_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_partner_keys_partner_id"), "partner_keys", ["partner_id"])
    op.create_table(
        "partner_transactions",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("partner_id", INT64, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, nullable=True),
        sa.Column("external_user_id", sa.Text(), nullable=True),
        sa.Column("market_id", INT64, nullable=True),
        sa.Column("trade_id", INT64, nullable=True),
        sa.Column("float_change_kopecks", INT64, nullable=False),
        sa.Column("balance_change_kopecks", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("order_id", INT64, nullable=True),
        sa.Column("basket_id", INT64, nullable=True),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_partner_transactions_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partner_transactions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_partner_transactions_partner_id_id", "partner_transactions", ["partner_id", "id"])
    op.create_index(
        "ix_partner_transactions_by_type", "partner_transactions", ["partner_id", "type", "created_at_ms", "id"]
    )
    _partial_index(
        "ix_partner_transactions_by_user",
        "partner_transactions",
        ["user_id", "type", "created_at_ms", "id"],
        "user_id IS NOT NULL",
    )
    op.create_table(
        "statement_totals",
        sa.Column("partner_id", INT64, autoincrement=False, nullable=False),
        sa.Column("users_balance_kopecks", INT64, nullable=False),
        sa.Column("held_kopecks", INT64, server_default="0", nullable=False),
        sa.CheckConstraint("users_balance_kopecks >= 0", name=op.f("ck_statement_totals_never_below_zero")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_statement_totals_partner_id")),
        sa.PrimaryKeyConstraint("partner_id", name=op.f("pk_statement_totals")),
        sqlite_strict=True,
    )
    op.create_table(
        "users",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("email", sa.Text(), server_default="", nullable=False),
        sa.Column("email_key", sa.Text(), nullable=True),
        sa.Column("email_verified", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("nickname", sa.Text(), server_default="", nullable=False),
        sa.Column("nickname_key", sa.Text(), nullable=True),
        sa.Column("avatar_url", sa.Text(), server_default="", nullable=False),
        sa.Column("profile_hidden", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("is_creator", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("is_admin", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("is_stats_viewer", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("is_operator", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("partner_id", INT64, nullable=True),
        sa.Column("external_user_id", sa.Text(), nullable=True),
        sa.Column("account_id", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("is_active", FLAG, server_default=sa.text("true"), nullable=False),
        sa.Column("avatar_object", sa.Text(), nullable=True),
        sa.Column("invitation_id", INT64, nullable=True),
        sa.Column("terms_version", sa.Text(), nullable=True),
        sa.Column("email_pending", sa.Text(), nullable=True),
        sa.Column("refused_email", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("time_zone", sa.Text(), nullable=True),
        sa.Column("deleted_at_ms", INT64, nullable=True),
        sa.Column("muted_until_ms", INT64, nullable=True),
        sa.CheckConstraint(
            "(partner_id IS NULL) = (external_user_id IS NULL)", name=op.f("ck_users_whole_sub_account")
        ),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_users_account_id")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_users_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email_key", name=op.f("uq_users_email_key")),
        sa.UniqueConstraint("nickname_key", name=op.f("uq_users_nickname_key")),
        sa.UniqueConstraint("partner_id", "external_user_id", name=op.f("uq_users_partner_id_external_user_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    _partial_index("ix_users_people", "users", ["id"], "external_user_id IS NULL")
    _partial_index("ix_users_sub_accounts", "users", ["partner_id", "id"], "partner_id IS NOT NULL")
    op.create_table(
        "webhook_pools",
        sa.Column("partner_id", INT64, autoincrement=False, nullable=False),
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("resolved_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_webhook_pools_partner_id")),
        sa.PrimaryKeyConstraint("partner_id", "pool_id", name=op.f("pk_webhook_pools")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
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
    op.create_index(op.f("ix_webhook_secrets_partner_id"), "webhook_secrets", ["partner_id"])
    op.create_table(
        "webhooks",
        sa.Column("partner_id", INT64, autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("line_id", INT64, nullable=False),
        sa.Column("pools_from_ms", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("failures", INT64, server_default="0", nullable=False),
        sa.Column("failing_since_ms", INT64, nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("delivered_at_ms", INT64, nullable=True),
        sa.Column("resent_id", INT64, nullable=True),
        sa.Column("resend_until_id", INT64, nullable=True),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_webhooks_partner_id")),
        sa.PrimaryKeyConstraint("partner_id", name=op.f("pk_webhooks")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_webhooks_due_at_ms"), "webhooks", ["due_at_ms"])
    op.create_table(
        "active_days",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("last_day", INT64, nullable=False),
        sa.Column("days", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_active_days_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_active_days")),
        sqlite_strict=True,
    )
    op.create_table(
        "baskets",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("net_kopecks", INT64, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_baskets_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_baskets")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "chat_sessions",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=True),
        sa.Column("cookie_hash", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("last_message_id", INT64, server_default="0", nullable=False),
        sa.Column("last_message_at_ms", INT64, nullable=True),
        sa.Column("waiting_since_ms", INT64, nullable=True),
        sa.Column("changed_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_chat_sessions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_sessions")),
        sa.UniqueConstraint("cookie_hash", name=op.f("uq_chat_sessions_cookie_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_chat_sessions_status_id", "chat_sessions", ["status", "id"])
    _partial_index(
        "uq_chat_sessions_active_user_id",
        "chat_sessions",
        ["user_id"],
        "user_id IS NOT NULL AND status != 'closed'",
        unique=True,
    )
    _partial_index("ix_chat_sessions_changed_at_ms", "chat_sessions", ["changed_at_ms"], "changed_at_ms IS NOT NULL")
    op.create_index("ix_chat_sessions_user_id", "chat_sessions", ["user_id"])
    op.create_table(
        "deletions",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_deletions_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_deletions")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_deletions_due_at_ms"), "deletions", ["due_at_ms"])
    op.create_table(
        "events",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("creator_id", INT64, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_ru", sa.Text(), nullable=False),
        sa.Column("search_key", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("versus_names", sa.Text(), nullable=False),
        sa.Column("versus_images", sa.Text(), nullable=False),
        sa.Column("has_draw", FLAG, nullable=False),
        sa.Column("image_url", sa.Text(), nullable=False),
        sa.Column("image_object", sa.Text(), nullable=True),
        sa.Column("external_event_url", sa.Text(), nullable=False),
        sa.Column("main_pool_index", INT64, nullable=False),
        sa.Column("loop_interval_minutes", INT64, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("published_at_ms", INT64, nullable=True),
        sa.Column("closes_at_ms", INT64, nullable=True),
        sa.Column("finish_at_ms", INT64, nullable=True),
        sa.Column("volume_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("resolves_at_ms", INT64, nullable=True),
        sa.Column("templates", sa.Text(), nullable=True),
        sa.Column("series_id", INT64, nullable=True),
        sa.Column("series_index", INT64, nullable=True),
        sa.Column("is_newest", FLAG, server_default=sa.text("true"), nullable=False),
        sa.ForeignKeyConstraint(["creator_id"], ["users.id"], name=op.f("fk_events_creator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_events_creator_id_status_id", "events", ["creator_id", "status", "id"])
    op.create_index("ix_events_status_closes", "events", ["status", "closes_at_ms"])
    op.create_index("ix_events_status_finish", "events", ["status", "finish_at_ms", "id"])
    op.create_index("ix_events_status_id", "events", ["status", "id"])
    op.create_index("ix_events_status_volume", "events", ["status", "volume_kopecks", "id"])
    _partial_index("uq_events_series", "events", ["series_id", "series_index"], "series_id IS NOT NULL", unique=True)
    _partial_index("ix_events_newest_id", "events", ["status", "id"], "is_newest")
    _partial_index("ix_events_newest_volume", "events", ["status", "volume_kopecks", "id"], "is_newest")
    _partial_index("ix_events_newest_finish", "events", ["status", "finish_at_ms", "id"], "is_newest")
    _partial_index("ix_events_series_id", "events", ["series_id", "status", "id"], "series_id IS NOT NULL")
    _partial_index(
        "ix_events_series_volume", "events", ["series_id", "status", "volume_kopecks", "id"], "series_id IS NOT NULL"
    )
    _partial_index(
        "ix_events_series_finish", "events", ["series_id", "status", "finish_at_ms", "id"], "series_id IS NOT NULL"
    )
    op.create_table(
        "exports",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("exported_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_exports_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_exports")),
        sqlite_strict=True,
    )
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_identities_user_id")),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identities")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_identities_user_id"), "identities", ["user_id"])
    op.create_table(
        "notification_settings",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("app", FLAG, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_notification_settings_user_id")),
        sa.PrimaryKeyConstraint("user_id", "type", name=op.f("pk_notification_settings")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "notifications",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("read_at_ms", INT64, nullable=True),
        sa.Column("params", sa.Text(), nullable=True),
        sa.Column("comment_id", INT64, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_notifications_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notifications")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    _partial_index("ix_notifications_unread", "notifications", ["user_id", "id", "read_at_ms"], "read_at_ms IS NULL")
    op.create_index("ix_notifications_user_id_id", "notifications", ["user_id", "id"])
    op.create_table(
        "order_leavers",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_order_leavers_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_order_leavers")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_order_leavers_due_at_ms"), "order_leavers", ["due_at_ms"])
    op.create_table(
        "password_resets",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_password_resets_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_password_resets")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_password_resets_token_hash")),
        sqlite_strict=True,
    )
    op.create_table(
        "pnl_points",
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("ordinal", INT64, nullable=False),
        sa.Column("at_ms", INT64, nullable=False),
        sa.Column("pnl_kopecks", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_pnl_points_user_id")),
        sa.PrimaryKeyConstraint("user_id", "ordinal", name=op.f("pk_pnl_points")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pnl_totals",
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("ordinal", INT64, nullable=False),
        sa.Column("at_ms", INT64, nullable=False),
        sa.Column("pnl_kopecks", INT64, nullable=False),
        sa.Column("closed_positions", INT64, nullable=True),
        sa.Column("closed_ordinal", INT64, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_pnl_totals_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_pnl_totals")),
        sqlite_strict=True,
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
        sqlite_strict=True,
    )
    op.create_index("ix_reports_user_id_created_at_ms", "reports", ["user_id", "created_at_ms"])
    op.create_index("uq_reports_case_id_place", "reports", ["case_id", "place"], unique=True)
    op.create_table(
        "series",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("creator_id", INT64, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("loop_interval_minutes", INT64, nullable=False),
        sa.Column("first_event_id", INT64, nullable=False),
        sa.Column("newest_event_id", INT64, nullable=False),
        sa.Column("newest_index", INT64, nullable=False),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.Column("draft_index", INT64, nullable=False),
        sa.Column("waiting", sa.Text(), nullable=True),
        sa.Column("waiting_index", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=True),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.Column("waits_for_role", FLAG, server_default=sa.text("true"), nullable=False),
        sa.ForeignKeyConstraint(["creator_id"], ["users.id"], name=op.f("fk_series_creator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_series_due_at_ms"), "series", ["due_at_ms"])
    op.create_index(op.f("ix_series_creator_id"), "series", ["creator_id"])
    op.create_table(
        "sessions",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=False),
        sa.Column("revoked_at_ms", INT64, nullable=True),
        sa.Column("generation", INT64, server_default="0", nullable=False),
        sa.Column("rotated_at_ms", INT64, nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=True),
        sa.Column("key_scope", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"])
    op.create_table(
        "stats_traders",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("last_day", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_stats_traders_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_stats_traders")),
        sqlite_strict=True,
    )
    op.create_table(
        "unused_avatars",
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_unused_avatars_user_id")),
        sa.PrimaryKeyConstraint("object", name=op.f("pk_unused_avatars")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_unused_avatars_due_at_ms"), "unused_avatars", ["due_at_ms"])
    op.create_table(
        "user_follows",
        sa.Column("followed_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("followed_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["followed_id"], ["users.id"], name=op.f("fk_user_follows_followed_id")),
        sa.PrimaryKeyConstraint("followed_id", "user_id", name=op.f("pk_user_follows")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_user_follows_user_id", "user_follows", ["user_id", "followed_id"])
    op.create_table(
        "waiting_newcomers",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("is_invited", FLAG, nullable=False),
        sa.Column("invitation_kopecks", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_waiting_newcomers_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_waiting_newcomers")),
        sqlite_strict=True,
    )
    op.create_table(
        "chat_messages",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("session_id", INT64, nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("author_id", INT64, nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_chat_messages_author_id")),
        sa.ForeignKeyConstraint(["session_id"], ["chat_sessions.id"], name=op.f("fk_chat_messages_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_messages")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_chat_messages_session_id_id", "chat_messages", ["session_id", "id"])
    _partial_index("ix_chat_messages_operator", "chat_messages", ["author_id", "id"], "sender = 'operator'")
    op.create_table(
        "comments",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("parent_id", INT64, nullable=True),
        sa.Column("place", INT64, nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("likes_count", INT64, server_default="0", nullable=False),
        sa.Column("dislikes_count", INT64, server_default="0", nullable=False),
        sa.Column("replies_count", INT64, server_default="0", nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("deleted_at_ms", INT64, nullable=True),
        sa.Column("root_id", INT64, nullable=True),
        sa.Column("hidden_at_ms", INT64, nullable=True),
        sa.CheckConstraint("(parent_id IS NULL) = (place IS NULL)", name=op.f("ck_comments_whole_reply")),
        sa.CheckConstraint("likes_count >= 0 AND dislikes_count >= 0", name=op.f("ck_comments_never_below_zero")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_comments_event_id")),
        sa.ForeignKeyConstraint(["parent_id"], ["comments.id"], name=op.f("fk_comments_parent_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_comments_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comments")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    _partial_index("ix_comments_top_level", "comments", ["event_id", "id"], "parent_id IS NULL")
    _partial_index(
        "uq_comments_parent_id_place", "comments", ["parent_id", "place"], "parent_id IS NOT NULL", unique=True
    )
    _partial_index("ix_comments_replies", "comments", ["event_id", "id"], "parent_id IS NOT NULL")
    _partial_index("ix_comments_most_liked", "comments", ["event_id", "likes_count", "id"], "parent_id IS NULL")
    op.create_index("ix_comments_user_id", "comments", ["user_id", "id"])
    op.create_table(
        "event_comments",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("comments", INT64, nullable=False),
        sa.Column("counted_through_id", INT64, nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_comments_event_id")),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_event_comments")),
        sqlite_strict=True,
    )
    op.create_table(
        "event_names_from",
        sa.Column("letters", sa.LargeBinary(), nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_names_from_event_id")),
        sa.PrimaryKeyConstraint("letters", "event_id", name=op.f("pk_event_names_from")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "event_tags",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_tags_event_id")),
        sa.PrimaryKeyConstraint("tag", "event_id", name=op.f("pk_event_tags")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "odds_events",
        sa.Column("event_id", INT64, autoincrement=False, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("due_at_ms", INT64, nullable=True),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.Column("checked_at_ms", INT64, nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("round", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_odds_events_event_id")),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_odds_events")),
        sqlite_strict=True,
    )
    op.create_index("ix_odds_events_source_due_at_ms", "odds_events", ["source", "due_at_ms"])
    op.create_table(
        "pools",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("creator_id", INT64, nullable=False),
        sa.Column("position", INT64, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_ru", sa.Text(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("margin", FLOAT64, nullable=False),
        sa.Column("live_at_ms", INT64, nullable=True),
        sa.Column("finish_at_ms", INT64, nullable=True),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("b", INT64, nullable=False),
        sa.Column("weights", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("paused", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("published_at_ms", INT64, nullable=True),
        sa.Column("resolved_at_ms", INT64, nullable=True),
        sa.Column("won_side", INT64, nullable=True),
        sa.Column("resolution", sa.Text(), nullable=True),
        sa.Column("loss_bound_kopecks", INT64, nullable=False),
        sa.Column("escrow_account_id", INT64, nullable=False),
        sa.Column("fees_account_id", INT64, nullable=False),
        sa.Column("volume_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("trade_count", INT64, server_default="0", nullable=False),
        sa.Column("last_trade_at_ms", INT64, nullable=True),
        sa.Column("resolution_kind", sa.Text(), server_default="manual", nullable=False),
        sa.Column("dispute_minutes", INT64, server_default="0", nullable=False),
        sa.Column("templates", sa.Text(), nullable=True),
        sa.Column("liquidity", sa.Text(), nullable=True),
        sa.Column("strike", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=True),
        sa.Column("decided_at_ms", INT64, nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("disputable_until_ms", INT64, nullable=True),
        sa.Column("attention_reason", sa.Text(), nullable=True),
        sa.Column("void_at_ms", INT64, nullable=True),
        sa.Column("void_prices", sa.Text(), nullable=True),
        sa.Column("paying", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("paid_at_ms", INT64, nullable=True),
        sa.Column("creator_has_paused", FLAG, server_default=sa.text("false"), nullable=False),
        sa.Column("open_orders", INT64, server_default="0", nullable=False),
        sa.Column("shape", sa.Text(), nullable=True),
        sa.Column("other_index", INT64, nullable=True),
        sa.Column("splits", sa.Text(), nullable=True),
        sa.Column("turning", FLAG, server_default=sa.text("false"), nullable=False),
        sa.ForeignKeyConstraint(["escrow_account_id"], ["accounts.id"], name=op.f("fk_pools_escrow_account_id")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_pools_event_id")),
        sa.ForeignKeyConstraint(["fees_account_id"], ["accounts.id"], name=op.f("fk_pools_fees_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pools")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_pools_event_id"), "pools", ["event_id"])
    _partial_index("ix_pools_open_creator", "pools", ["creator_id", "loss_bound_kopecks"], "state = 'open'")
    _partial_index(
        "ix_pools_waiting_for_price",
        "pools",
        ["finish_at_ms"],
        "state = 'open' AND resolution_kind = 'price' AND decided_at_ms IS NULL AND attention_reason IS NULL",
    )
    _partial_index("ix_pools_resolved", "pools", ["resolved_at_ms"], "resolved_at_ms IS NOT NULL")
    _partial_index("ix_pools_orders_finish", "pools", ["finish_at_ms"], "open_orders > 0 AND finish_at_ms IS NOT NULL")
    _partial_index(
        "ix_pools_orders_decided", "pools", ["decided_at_ms"], "open_orders > 0 AND decided_at_ms IS NOT NULL"
    )
    op.create_table(
        "unused_images",
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_unused_images_event_id")),
        sa.PrimaryKeyConstraint("object", name=op.f("pk_unused_images")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_unused_images_due_at_ms"), "unused_images", ["due_at_ms"])
    op.create_table(
        "user_keys",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("session_id", INT64, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("last_used_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_user_keys_session_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_user_keys_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_user_keys_key_hash")),
        sa.UniqueConstraint("session_id", name=op.f("uq_user_keys_session_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_user_keys_user_id"), "user_keys", ["user_id"])
    op.create_table(
        "chart_buckets",
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("step_ms", INT64, nullable=False),
        sa.Column("bucket", INT64, nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_chart_buckets_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", "step_ms", "bucket", name=op.f("pk_chart_buckets")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "comment_reactions",
        sa.Column("comment_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["comment_id"], ["comments.id"], name=op.f("fk_comment_reactions_comment_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_comment_reactions_user_id")),
        sa.PrimaryKeyConstraint("comment_id", "user_id", name=op.f("pk_comment_reactions")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_comment_reactions_user_id", "comment_reactions", ["user_id", "comment_id"])
    op.create_table(
        "house_pools",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("spent_kopecks", INT64, nullable=False),
        sa.Column("position_ids", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_house_pools_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_house_pools")),
        sqlite_strict=True,
    )
    op.create_table(
        "life_points",
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("ordinal", INT64, nullable=False),
        sa.Column("at_ms", INT64, nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_life_points_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", "ordinal", name=op.f("pk_life_points")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "markets",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("outcome_index", INT64, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("probability", FLOAT64, nullable=False),
        sa.Column("q_yes", INT64, server_default="0", nullable=False),
        sa.Column("q_no", INT64, server_default="0", nullable=False),
        sa.Column("volume_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("first_q_yes", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_markets_event_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_markets_pool_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_markets")),
        sa.UniqueConstraint("pool_id", "outcome_index", name=op.f("uq_markets_pool_id_outcome_index")),
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
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_payments_due_at_ms"), "payments", ["due_at_ms"])
    op.create_table(
        "pool_deadlines",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_pool_deadlines_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_pool_deadlines")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_pool_deadlines_due_at_ms"), "pool_deadlines", ["due_at_ms"])
    op.create_table(
        "split_turns",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("last_position_id", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_split_turns_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_split_turns")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_split_turns_due_at_ms"), "split_turns", ["due_at_ms"])
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
    _partial_index("ix_limit_orders_queue", "limit_orders", ["market_id", "is_up", "rank", "id"], "status = 'open'")
    _partial_index("ix_limit_orders_open_pool", "limit_orders", ["pool_id", "user_id", "id"], "status = 'open'")
    _partial_index(
        "ix_limit_orders_expiring", "limit_orders", ["expires_at_ms"], "status = 'open' AND expires_at_ms IS NOT NULL"
    )
    _partial_index("ix_limit_orders_held", "limit_orders", ["user_id", "held_kopecks"], "held_kopecks > 0")
    op.create_index("ix_limit_orders_user", "limit_orders", ["user_id", "status", "id"])
    op.create_index("ix_limit_orders_user_market", "limit_orders", ["user_id", "market_id", "status", "id"])
    _partial_index("ix_limit_orders_partner", "limit_orders", ["partner_id", "status", "id"], "partner_id IS NOT NULL")
    _partial_index(
        "ix_limit_orders_partner_market",
        "limit_orders",
        ["partner_id", "market_id", "status", "id"],
        "partner_id IS NOT NULL",
    )
    op.create_table(
        "order_levels",
        sa.Column("market_id", INT64, autoincrement=False, nullable=False),
        sa.Column("is_up", FLAG, autoincrement=False, nullable=False),
        sa.Column("rank", INT64, autoincrement=False, nullable=False),
        sa.Column("shares", INT64, nullable=False),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_order_levels_market_id")),
        sa.PrimaryKeyConstraint("market_id", "is_up", "rank", name=op.f("pk_order_levels")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "positions",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("market_id", INT64, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("shares", INT64, nullable=False),
        sa.Column("cost_kopecks", INT64, nullable=False),
        sa.Column("left_shares", INT64, nullable=False),
        sa.Column("left_cost_kopecks", INT64, nullable=False),
        sa.Column("pnl_kopecks", INT64, nullable=False),
        sa.Column("settled_shares", INT64, server_default="0", nullable=False),
        sa.Column("settled_kopecks", INT64, server_default="0", nullable=False),
        sa.Column("opened_at_ms", INT64, nullable=False),
        sa.Column("closed_at_ms", INT64, nullable=True),
        sa.Column("won_side", INT64, nullable=True),
        sa.Column("reserved_shares", INT64, server_default="0", nullable=False),
        sa.CheckConstraint("shares >= 0 AND cost_kopecks >= 0", name=op.f("ck_positions_not_negative")),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_positions_market_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_positions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_positions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    _partial_index(
        "ix_positions_closed_user", "positions", ["user_id", "closed_at_ms", "id"], "closed_at_ms IS NOT NULL"
    )
    _partial_index("ix_positions_open_market", "positions", ["market_id", "id"], "closed_at_ms IS NULL")
    _partial_index("ix_positions_open_user", "positions", ["user_id", "id"], "closed_at_ms IS NULL")
    _partial_index(
        "uq_positions_open", "positions", ["user_id", "market_id", "side"], "closed_at_ms IS NULL", unique=True
    )
    _partial_index(
        "ix_positions_closed_event",
        "positions",
        ["user_id", "event_id", "closed_at_ms", "id"],
        "closed_at_ms IS NOT NULL",
    )
    _partial_index("ix_positions_settled_user", "positions", ["user_id", "closed_at_ms", "id"], "settled_shares > 0")
    op.create_table(
        "order_dues",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("order_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("trade_id", INT64, nullable=True),
        sa.Column("pnl_kopecks", INT64, nullable=True),
        sa.Column("closes", FLAG, nullable=False),
        sa.Column("completes", FLAG, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["order_id"], ["limit_orders.id"], name=op.f("fk_order_dues_order_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_order_dues")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_order_dues_pool", "order_dues", ["pool_id", "id"])
    op.create_table(
        "position_splits",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("position_id", INT64, nullable=False),
        sa.Column("market_id", INT64, nullable=False),
        sa.Column("new_position_id", INT64, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("shares", INT64, nullable=False),
        sa.Column("cost_kopecks", INT64, nullable=False),
        sa.Column("share_percent", INT64, nullable=False),
        sa.Column("last_trade_id", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_position_splits_market_id")),
        sa.ForeignKeyConstraint(["position_id"], ["positions.id"], name=op.f("fk_position_splits_position_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_position_splits_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_position_splits")),
        sa.UniqueConstraint("market_id", "position_id", name=op.f("uq_position_splits_market_id_position_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_position_splits_user_id_id", "position_splits", ["user_id", "id"])
    op.create_table(
        "trades",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("market_id", INT64, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("position_id", INT64, nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("amount_kopecks", INT64, nullable=False),
        sa.Column("fee_kopecks", INT64, nullable=False),
        sa.Column("shares", INT64, nullable=False),
        sa.Column("pnl_kopecks", INT64, nullable=False),
        sa.Column("probability_before", FLOAT64, nullable=False),
        sa.Column("probability_after", FLOAT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("previous_trade_id", INT64, nullable=True),
        sa.Column("order_id", INT64, nullable=True),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("basket_id", INT64, nullable=True),
        sa.CheckConstraint("shares > 0 AND amount_kopecks > 0 AND fee_kopecks >= 0", name=op.f("ck_trades_positive")),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_trades_market_id")),
        sa.ForeignKeyConstraint(["position_id"], ["positions.id"], name=op.f("fk_trades_position_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_trades_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trades")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_trades_event_id", "trades", ["event_id", "id"])
    _partial_index("ix_trades_first_of_user", "trades", ["user_id", "id"], "previous_trade_id IS NULL")
    _partial_index("ix_trades_order", "trades", ["order_id", "id"], "order_id IS NOT NULL")
    _partial_index("ix_trades_baskets_of_event", "trades", ["event_id", "id"], "basket_id IS NOT NULL")
    op.create_table(
        "trade_legs",
        sa.Column("trade_id", INT64, autoincrement=False, nullable=False),
        sa.Column("market_id", INT64, autoincrement=False, nullable=False),
        sa.Column("position_id", INT64, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("shares", INT64, nullable=False),
        sa.Column("amount_kopecks", INT64, nullable=False),
        sa.Column("pnl_kopecks", INT64, nullable=False),
        sa.CheckConstraint("shares > 0 AND amount_kopecks >= 0", name=op.f("ck_trade_legs_within_bounds")),
        sa.ForeignKeyConstraint(["trade_id"], ["trades.id"], name=op.f("fk_trade_legs_trade_id")),
        sa.PrimaryKeyConstraint("trade_id", "market_id", name=op.f("pk_trade_legs")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )

    if op.get_context().dialect.name == "postgresql":
        # SQLite has an index that finds the beginning of a name.
        op.create_index(
            "ix_users_external_user_id",
            "users",
            ["partner_id", "external_user_id"],
            postgresql_where=sa.text("partner_id IS NOT NULL"),
            postgresql_ops={"external_user_id": "text_pattern_ops"},
        )
    triggers: dict[str, tuple[str, ...]] = {
        "sqlite": (
            "CREATE TRIGGER admin_log_never_changes BEFORE UPDATE ON admin_log WHEN NOT COALESCE( NEW.id = OLD.id AND NEW.user_id IS OLD.user_id AND NEW.action = OLD.action AND NEW.target = OLD.target AND NEW.created_at_ms = OLD.created_at_ms AND (NEW.who = OLD.who OR COALESCE(NEW.who = 'user:' || OLD.user_id, FALSE)) AND (NEW.details = OLD.details OR ( json_extract(NEW.details, '$.note') = '' AND json_type(OLD.details, '$.note') = 'text' AND json_remove(NEW.details, '$.note') = json_remove(OLD.details, '$.note') )), FALSE ) BEGIN SELECT RAISE(ABORT, 'admin_log is append-only'); END",
            "CREATE TRIGGER admin_log_never_shrinks BEFORE DELETE ON admin_log BEGIN SELECT RAISE(ABORT, 'admin_log is append-only'); END",
        ),
        "postgresql": (
            "CREATE FUNCTION admin_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''admin_log is append-only''; END'",
            "CREATE TRIGGER admin_log_never_changes BEFORE UPDATE ON admin_log FOR EACH ROW WHEN (NOT COALESCE( NEW.id = OLD.id AND NEW.user_id IS NOT DISTINCT FROM OLD.user_id AND NEW.action = OLD.action AND NEW.target = OLD.target AND NEW.created_at_ms = OLD.created_at_ms AND (NEW.who = OLD.who OR COALESCE(NEW.who = 'user:' || OLD.user_id, FALSE)) AND (NEW.details = OLD.details OR ( NEW.details::jsonb ->> 'note' = '' AND jsonb_typeof(OLD.details::jsonb -> 'note') = 'string' AND NEW.details::jsonb - 'note' = OLD.details::jsonb - 'note' )), FALSE )) EXECUTE FUNCTION admin_log_is_append_only()",
            "CREATE TRIGGER admin_log_never_shrinks BEFORE DELETE OR TRUNCATE ON admin_log FOR EACH STATEMENT EXECUTE FUNCTION admin_log_is_append_only()",
        ),
    }
    for statement in triggers[op.get_bind().dialect.name]:
        op.get_bind().exec_driver_sql(statement)


def _partial_index(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    rows = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=rows, postgresql_where=rows)
