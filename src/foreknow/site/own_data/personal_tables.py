"""Which tables keep something of a person: how a person finds it in their export, and what a deletion leaves of it.

A test compares this with all tables there are: a new one with a column of a person is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

#: A condition beside the person's, with which the statement follows an index.
_Condition = Callable[[sa.Table], sa.ColumnElement[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedTable:
    """Rows of a person that are exported, all columns but secret ones."""

    #: `table.column`: the column holds the person's id, after `prefix`.
    column: str
    #: Its name in the export; "" for the table's.
    name: str = ""
    prefix: str = ""
    #: Columns of an index after the person's, by which pages of many rows follow each other; none where rows are few.
    order: tuple[str, ...] = ()
    where: _Condition | None = None
    #: Columns that are about another person.
    without: frozenset[str] = frozenset()

    @property
    def table(self) -> str:
        """The table's name."""
        return self.column.partition(".")[0]

    @property
    def title(self) -> str:
        """The name in the export."""
        return self.name or self.table


#: What identifies or lets in: no export has it. Hashes of secrets, and answers to programs, which repeat other rows.
SECRET_COLUMNS = frozenset({"password_hash", "key_hash", "cookie_hash", "token_hash", "fingerprint", "body"})

#: In the order of the export. `export.py` adds the balance, its credits and debits, trades and messages of the chat.
EXPORTED: tuple[ExportedTable, ...] = (
    ExportedTable(column="users.id"),
    ExportedTable(column="sessions.user_id"),
    ExportedTable(column="user_keys.user_id"),
    ExportedTable(column="identities.user_id"),
    ExportedTable(column="password_resets.user_id"),
    ExportedTable(column="active_days.user_id"),
    ExportedTable(column="waiting_newcomers.user_id"),
    ExportedTable(column="mails.user_id"),
    ExportedTable(column="dead_mailboxes.user_id"),
    ExportedTable(column="notices.user_id"),
    ExportedTable(column="notice_pauses.user_id"),
    ExportedTable(column="notification_settings.user_id"),
    ExportedTable(column="notifications.user_id", order=("id",)),
    ExportedTable(column="event_follows.user_id", order=("event_id",)),
    ExportedTable(column="user_follows.user_id", order=("followed_id",)),
    ExportedTable(column="tag_follows.user_id", order=("tag",)),
    ExportedTable(column="price_alerts.user_id", order=("market_id",)),
    ExportedTable(column="comments.user_id", order=("id",)),
    ExportedTable(column="clarifications.user_id", order=("id",)),
    ExportedTable(column="comment_reactions.user_id", order=("comment_id",)),
    ExportedTable(column="chat_sessions.user_id"),
    ExportedTable(
        column="chat_messages.author_id",
        name="answers_as_operator",
        order=("id",),
        where=lambda table: table.c.sender == sa.literal_column("'operator'"),
    ),
    ExportedTable(column="reports.user_id"),
    ExportedTable(column="objections.user_id", order=("created_at_ms", "id"), without=frozenset({"partner_id"})),
    ExportedTable(column="events.creator_id", order=("status", "id")),
    ExportedTable(column="series.creator_id", order=("id",)),
    ExportedTable(
        column="positions.user_id",
        name="open_positions",
        order=("id",),
        where=lambda table: table.c.closed_at_ms.is_(None),
    ),
    ExportedTable(
        column="positions.user_id",
        name="closed_positions",
        order=("closed_at_ms", "id"),
        where=lambda table: table.c.closed_at_ms.is_not(None),
    ),
    ExportedTable(column="position_splits.user_id", order=("id",)),
    ExportedTable(column="worth_days.user_id", order=("day",)),
    ExportedTable(column="forecasts.user_id", order=("id",)),
    ExportedTable(column="forecast_scores.user_id", order=("pool_id",)),
    ExportedTable(column="source_records.user_id", name="forecast_records", order=("tag",)),
    ExportedTable(column="limit_orders.user_id", order=("status", "id")),
    ExportedTable(column="idempotency_keys.scope", prefix="user:", order=("key",)),
    ExportedTable(column="admin_log.user_id", name="actions_as_admin", order=("id",)),
    ExportedTable(
        column="admin_log.target",
        name="actions_of_admins",
        prefix="user:",
        order=("id",),
        without=frozenset({"who", "user_id"}),
    ),
)

_COUNTED = "counted from trades and positions, which are exported"
_OF_THE_POOL = "the creator of its event, which is exported"
#: What is not exported, and why.
NOT_EXPORTED: Mapping[str, str] = {
    "accounts.owner_id": "exported as the balance",
    "trades.user_id": "exported by `export.py`",
    "baskets.user_id": "exported as its trades, with their legs",
    "pools.creator_id": _OF_THE_POOL,
    "unused_avatars.user_id": "names of files that are deleted within an hour",
    "sign_in_failures.account": "failed sign-ins of the last minute, which are not the person's own perhaps",
    "newcomer_grants.granted": "that something was granted: the grant itself is exported",
    "partner_transactions.user_id": "of partners' sub-accounts, which are no persons here",
    "deletions.user_id": "whose account was deleted has none to ask with",
    "order_dues.user_id": "fills that are shown and paid within seconds: trades and orders are exported",
    "order_leavers.user_id": "until the orders of an account that has ended do",
    "rule_notices.user_id": "when they were last notified: the notifications are exported",
    "exports.user_id": "when the person exported last",
    "user_follows.followed_id": "whom others follow is theirs to know",
    "followed_comments.user_id": "for a moment: the comment itself is exported",
    "forecast_news.user_id": "for a moment: the forecast itself is exported",
    "invitations.admin_id": "stands in the admin log, which is exported",
    "comment_mentions.author_id": "stands in the comment, which is exported",
    "comment_mentions.user_id": "whom others name is theirs to know",
    "forecast_sums.user_id": "counted from scores, which are exported",
    **dict.fromkeys(
        (
            "pnl_points.user_id",
            "pnl_totals.user_id",
            "stats_traders.user_id",
            "pool_traders.user_id",
            "event_traders.user_id",
            "creator_traders.user_id",
            "creator_traders.creator_id",
            "creator_activity.creator_id",
            "holdings.user_id",
            "trader_sums.user_id",
        ),
        _COUNTED,
    ),
}

_TRADED = 'of the "Deleted trader": books and charts stay right'
#: What stays of a deleted person, without a text of theirs, and why. Of all else no row is left.
STAYING: Mapping[str, str] = {
    "users.id": "the row of the Deleted trader",
    "comments.user_id": "the place of a comment among the others; its text is cleared",
    "clarifications.user_id": "part of what their events' rules say, which name no author",
    "comment_reactions.user_id": "a like counts on",
    "chat_sessions.user_id": "closed, its messages without texts",
    "chat_messages.author_id": "without texts",
    "events.creator_id": "published events, and empty rows of drafts",
    "series.creator_id": "of published events",
    "pools.creator_id": _OF_THE_POOL,
    "reports.user_id": "counts on, without text",
    "objections.user_id": "counts on, without text",
    "admin_log.user_id": "what an admin did, by id",
    "invitations.admin_id": "what an admin did, by id",
    "admin_log.target": "what admins did, without notes",
    "accounts.owner_id": "with a balance of 0",
    "newcomer_grants.granted": "so that no one is granted something twice",
    "partner_transactions.user_id": "of sub-accounts",
    "unused_avatars.user_id": "for an hour at most: an upload that was under way",
    "deletions.user_id": "until all is erased",
    "order_dues.user_id": "until what is held has gone to the house",
    "order_leavers.user_id": "until the orders have ended",
    "followed_comments.user_id": "for an hour at most, without a text",
    "forecast_news.user_id": "for a moment, until the crowd is kept without them",
    **dict.fromkeys(
        ("trades.user_id", "baskets.user_id", "positions.user_id", "position_splits.user_id", "limit_orders.user_id"),
        _TRADED,
    ),
    **dict.fromkeys((name for name, why in NOT_EXPORTED.items() if why == _COUNTED), _TRADED),
}
