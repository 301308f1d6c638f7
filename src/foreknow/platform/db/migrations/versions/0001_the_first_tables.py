"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0001"
down_revision = None

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "accounts",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("owner_id", INT64, nullable=False),
        sa.Column("balance_kopecks", INT64, nullable=False),
        sa.CheckConstraint("balance_kopecks >= 0 OR kind = 'house'", name=op.f("ck_accounts_never_below_zero")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("kind", "owner_id", name=op.f("uq_accounts_kind_owner_id")),
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
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assets")),
        sa.UniqueConstraint("symbol", name=op.f("uq_assets_symbol")),
        sqlite_autoincrement=True,
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
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_currency_rates_high_code", "currency_rates", ["high_code", "low_code"], unique=False)
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
        sqlite_autoincrement=False,
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
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "provider_runs",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("run", INT64, nullable=False),
        sa.Column("failures", INT64, nullable=False),
        sa.Column("succeeded_at_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("provider", name=op.f("pk_provider_runs")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "sign_in_failures",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("failed_at_ms", sa.Text(), nullable=False),
        sa.Column("last_failed_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_sign_in_failures")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_sign_in_failures_last_failed_at_ms"), "sign_in_failures", ["last_failed_at_ms"], unique=False
    )
    op.create_table(
        "spent_states",
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("state", name=op.f("pk_spent_states")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_spent_states_expires_at_ms"), "spent_states", ["expires_at_ms"], unique=False)
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
        sa.PrimaryKeyConstraint("day", "slot", name=op.f("pk_stats_days")),
        sqlite_autoincrement=False,
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
        sa.PrimaryKeyConstraint("id", name=op.f("pk_support_alerts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_support_alerts_waiting",
        "support_alerts",
        ["due_at_ms"],
        unique=False,
        sqlite_where=sa.text("sent_at_ms IS NULL AND given_up_at_ms IS NULL"),
        postgresql_where=sa.text("sent_at_ms IS NULL AND given_up_at_ms IS NULL"),
    )
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
        sa.CheckConstraint("amount_kopecks > 0", name=op.f("ck_transfers_positive")),
        sa.CheckConstraint("source_account_id <> target_account_id", name=op.f("ck_transfers_two_sides")),
        sa.ForeignKeyConstraint(["source_account_id"], ["accounts.id"], name=op.f("fk_transfers_source_account_id")),
        sa.ForeignKeyConstraint(["target_account_id"], ["accounts.id"], name=op.f("fk_transfers_target_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfers")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
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
    op.create_index(op.f("ix_partner_keys_partner_id"), "partner_keys", ["partner_id"], unique=False)
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
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_partner_transactions_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partner_transactions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_partner_transactions_partner_id_id", "partner_transactions", ["partner_id", "id"], unique=False)
    op.create_table(
        "statement_totals",
        sa.Column("partner_id", INT64, autoincrement=False, nullable=False),
        sa.Column("users_balance_kopecks", INT64, nullable=False),
        sa.CheckConstraint("users_balance_kopecks >= 0", name=op.f("ck_statement_totals_never_below_zero")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_statement_totals_partner_id")),
        sa.PrimaryKeyConstraint("partner_id", name=op.f("pk_statement_totals")),
        sqlite_autoincrement=False,
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
    op.create_index(
        "ix_users_people",
        "users",
        ["id"],
        unique=False,
        sqlite_where=sa.text("external_user_id IS NULL"),
        postgresql_where=sa.text("external_user_id IS NULL"),
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
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_chat_sessions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_sessions")),
        sa.UniqueConstraint("cookie_hash", name=op.f("uq_chat_sessions_cookie_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_chat_sessions_status_id", "chat_sessions", ["status", "id"], unique=False)
    op.create_index(
        "uq_chat_sessions_active_user_id",
        "chat_sessions",
        ["user_id"],
        unique=True,
        sqlite_where=sa.text("user_id IS NOT NULL AND status != 'closed'"),
        postgresql_where=sa.text("user_id IS NOT NULL AND status != 'closed'"),
    )
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
        sa.ForeignKeyConstraint(["creator_id"], ["users.id"], name=op.f("fk_events_creator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_events_creator_id_status_id", "events", ["creator_id", "status", "id"], unique=False)
    op.create_index("ix_events_status_closes", "events", ["status", "closes_at_ms"], unique=False)
    op.create_index("ix_events_status_finish", "events", ["status", "finish_at_ms", "id"], unique=False)
    op.create_index("ix_events_status_id", "events", ["status", "id"], unique=False)
    op.create_index("ix_events_status_volume", "events", ["status", "volume_kopecks", "id"], unique=False)
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_identities_user_id")),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identities")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_identities_user_id"), "identities", ["user_id"], unique=False)
    op.create_table(
        "notifications",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=True),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("read_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_notifications_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notifications")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_notifications_unread",
        "notifications",
        ["user_id", "id", "read_at_ms"],
        unique=False,
        sqlite_where=sa.text("read_at_ms IS NULL"),
        postgresql_where=sa.text("read_at_ms IS NULL"),
    )
    op.create_index("ix_notifications_user_id_id", "notifications", ["user_id", "id"], unique=False)
    op.create_table(
        "pnl_points",
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("ordinal", INT64, nullable=False),
        sa.Column("at_ms", INT64, nullable=False),
        sa.Column("pnl_kopecks", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_pnl_points_user_id")),
        sa.PrimaryKeyConstraint("user_id", "ordinal", name=op.f("pk_pnl_points")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pnl_totals",
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("ordinal", INT64, nullable=False),
        sa.Column("at_ms", INT64, nullable=False),
        sa.Column("pnl_kopecks", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_pnl_totals_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_pnl_totals")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "sessions",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.Column("expires_at_ms", INT64, nullable=False),
        sa.Column("revoked_at_ms", INT64, nullable=True),
        sa.Column("generation", INT64, server_default="0", nullable=False),
        sa.Column("rotated_at_ms", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"], unique=False)
    op.create_table(
        "stats_traders",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("last_day", INT64, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_stats_traders_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_stats_traders")),
        sqlite_autoincrement=False,
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
    op.create_index("ix_chat_messages_session_id_id", "chat_messages", ["session_id", "id"], unique=False)
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
        sa.CheckConstraint("(parent_id IS NULL) = (place IS NULL)", name=op.f("ck_comments_whole_reply")),
        sa.CheckConstraint("likes_count >= 0 AND dislikes_count >= 0", name=op.f("ck_comments_never_below_zero")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_comments_event_id")),
        sa.ForeignKeyConstraint(["parent_id"], ["comments.id"], name=op.f("fk_comments_parent_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_comments_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comments")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_comments_top_level",
        "comments",
        ["event_id", "id"],
        unique=False,
        sqlite_where=sa.text("parent_id IS NULL"),
        postgresql_where=sa.text("parent_id IS NULL"),
    )
    op.create_index(
        "uq_comments_parent_id_place",
        "comments",
        ["parent_id", "place"],
        unique=True,
        sqlite_where=sa.text("parent_id IS NOT NULL"),
        postgresql_where=sa.text("parent_id IS NOT NULL"),
    )
    op.create_table(
        "event_names_from",
        sa.Column("letters", sa.LargeBinary(), nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_names_from_event_id")),
        sa.PrimaryKeyConstraint("letters", "event_id", name=op.f("pk_event_names_from")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "event_tags",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_tags_event_id")),
        sa.PrimaryKeyConstraint("tag", "event_id", name=op.f("pk_event_tags")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
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
        sa.ForeignKeyConstraint(["escrow_account_id"], ["accounts.id"], name=op.f("fk_pools_escrow_account_id")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_pools_event_id")),
        sa.ForeignKeyConstraint(["fees_account_id"], ["accounts.id"], name=op.f("fk_pools_fees_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pools")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_pools_event_id"), "pools", ["event_id"], unique=False)
    op.create_index(
        "ix_pools_open_creator",
        "pools",
        ["creator_id", "loss_bound_kopecks"],
        unique=False,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "unused_images",
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("event_id", INT64, nullable=False),
        sa.Column("due_at_ms", INT64, nullable=False),
        sa.Column("attempts", INT64, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_unused_images_event_id")),
        sa.PrimaryKeyConstraint("object", name=op.f("pk_unused_images")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_unused_images_due_at_ms"), "unused_images", ["due_at_ms"], unique=False)
    op.create_table(
        "chart_buckets",
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("step_ms", INT64, nullable=False),
        sa.Column("bucket", INT64, nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_chart_buckets_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", "step_ms", "bucket", name=op.f("pk_chart_buckets")),
        sqlite_autoincrement=False,
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
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "life_points",
        sa.Column("pool_id", INT64, nullable=False),
        sa.Column("ordinal", INT64, nullable=False),
        sa.Column("at_ms", INT64, nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_life_points_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", "ordinal", name=op.f("pk_life_points")),
        sqlite_autoincrement=False,
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
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_markets_event_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_markets_pool_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_markets")),
        sa.UniqueConstraint("pool_id", "outcome_index", name=op.f("uq_markets_pool_id_outcome_index")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
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
        sa.CheckConstraint("shares >= 0 AND cost_kopecks >= 0", name=op.f("ck_positions_not_negative")),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_positions_market_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_positions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_positions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_positions_closed_user",
        "positions",
        ["user_id", "closed_at_ms", "id"],
        unique=False,
        sqlite_where=sa.text("closed_at_ms IS NOT NULL"),
        postgresql_where=sa.text("closed_at_ms IS NOT NULL"),
    )
    op.create_index(
        "ix_positions_open_market",
        "positions",
        ["market_id", "id"],
        unique=False,
        sqlite_where=sa.text("closed_at_ms IS NULL"),
        postgresql_where=sa.text("closed_at_ms IS NULL"),
    )
    op.create_index(
        "ix_positions_open_user",
        "positions",
        ["user_id", "id"],
        unique=False,
        sqlite_where=sa.text("closed_at_ms IS NULL"),
        postgresql_where=sa.text("closed_at_ms IS NULL"),
    )
    op.create_index(
        "uq_positions_open",
        "positions",
        ["user_id", "market_id", "side"],
        unique=True,
        sqlite_where=sa.text("closed_at_ms IS NULL"),
        postgresql_where=sa.text("closed_at_ms IS NULL"),
    )
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
        sa.CheckConstraint("shares > 0 AND amount_kopecks > 0 AND fee_kopecks >= 0", name=op.f("ck_trades_positive")),
        sa.ForeignKeyConstraint(["market_id"], ["markets.id"], name=op.f("fk_trades_market_id")),
        sa.ForeignKeyConstraint(["position_id"], ["positions.id"], name=op.f("fk_trades_position_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_trades_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trades")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )

    triggers: dict[str, tuple[str, ...]] = {
        "sqlite": (
            "CREATE TRIGGER admin_log_never_changes BEFORE UPDATE ON admin_log BEGIN SELECT RAISE(ABORT, 'admin_log is append-only'); END",
            "CREATE TRIGGER admin_log_never_shrinks BEFORE DELETE ON admin_log BEGIN SELECT RAISE(ABORT, 'admin_log is append-only'); END",
        ),
        "postgresql": (
            "CREATE FUNCTION admin_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''admin_log is append-only''; END'",
            "CREATE TRIGGER admin_log_never_changes BEFORE UPDATE OR DELETE OR TRUNCATE ON admin_log FOR EACH STATEMENT EXECUTE FUNCTION admin_log_is_append_only()",
        ),
    }
    for statement in triggers[op.get_bind().dialect.name]:
        op.get_bind().exec_driver_sql(statement)
