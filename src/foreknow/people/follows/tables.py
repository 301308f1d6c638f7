"""What people follow, and the news for followers and for who holds shares.

Rows that a worker writes for many people have no foreign keys: on PostgreSQL their checks would wait for the locks that
orders hold. A deletion of a person deletes their rows.
"""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Json, Text, own_id, partial_index, table


def _key(name: str) -> sa.Column[int]:
    return sa.Column(name, Int64, primary_key=True, autoincrement=False)


#: Events that people follow, or do not want to follow.
event_follows = table(
    "event_follows",
    _key("event_id"),
    _key("user_id"),
    #: False: the person has unfollowed it, and no trade follows it again.
    sa.Column("is_on", Flag, nullable=False),
    #: Whether a trade follows it, and no request.
    sa.Column("by_trade", Flag, nullable=False),
    #: Since when it is so.
    sa.Column("followed_at_ms", Int64, nullable=False),
    #: From when until when the person followed it before, NULL for never: what happened then is sent to them still.
    sa.Column("earlier_from_ms", Int64),
    sa.Column("earlier_until_ms", Int64),
    sa.Index("ix_event_follows_user_id", "user_id", "event_id"),
    clustered=True,
)

user_follows = table(
    "user_follows",
    #: Who is followed.
    sa.Column("followed_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    _key("user_id"),
    sa.Column("followed_at_ms", Int64, nullable=False),
    sa.Index("ix_user_follows_user_id", "user_id", "followed_id"),
    clustered=True,
)

tag_follows = table(
    "tag_follows",
    sa.Column("tag", Text, primary_key=True),
    _key("user_id"),
    sa.Column("followed_at_ms", Int64, nullable=False),
    sa.Index("ix_tag_follows_user_id", "user_id", "tag"),
    clustered=True,
)

#: News that goes to followers in pieces, in the order of their ids.
follower_news = table(
    "follower_news",
    own_id(),
    #: A notification's, or `news.PUBLISHED`.
    sa.Column("kind", Text, nullable=False),
    sa.Column("event_id", Int64, nullable=False),
    #: What the notification says.
    sa.Column("params", Json, nullable=False),
    #: Ids of people who are not notified: it is their own act, or they are notified otherwise.
    sa.Column("without", Json, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: Followers up to this id are notified; the number of pieces so far.
    sa.Column("after_user_id", Int64, nullable=False, server_default="0"),
    sa.Column("pieces", Int64, nullable=False, server_default="0"),
    sa.Index("ix_follower_news_pieces", "pieces", "id"),
)

#: New comments on followed events, until a notification counts them.
followed_comments = table(
    "followed_comments",
    sa.Column("comment_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("event_id", Int64, nullable=False, index=True),
    sa.Column("user_id", Int64, nullable=False),
)

#: What the followers of an event were notified of last.
event_news = table(
    "event_news",
    _key("event_id"),
    #: When a notification last counted comments, and when the next one may.
    sa.Column("comments_due_at_ms", Int64, index=True),
    #: Prices of the main pool, of the last notification of a move; NULL: those of its publication.
    sa.Column("moved_prices", Json),
    sa.Column("moved_at_ms", Int64),
    #: When a move that came within a day of the last one is looked at again.
    sa.Column("moved_due_at_ms", Int64, index=True),
    #: Whether the end of trading was announced.
    sa.Column("closing", Flag, nullable=False, server_default=sa.text("false")),
)

#: One row: up to which trade, in the feed's order, and which time followers are notified.
following_cursor = table(
    "following_cursor",
    _key("id"),
    sa.Column("seq", Int64, nullable=False),
    sa.Column("closing_ms", Int64, nullable=False),
)

#: Prices at which people want to be notified.
price_alerts = table(
    "price_alerts",
    _key("user_id"),
    _key("market_id"),
    sa.Column("pool_id", Int64, nullable=False, index=True),
    #: Basis points of YES; NULL for none.
    sa.Column("above_bps", Int64),
    sa.Column("below_bps", Int64),
    #: The pool's number of trades when it was set: it is of later trades.
    sa.Column("trades", Int64, nullable=False),
    sa.Column("set_at_ms", Int64, nullable=False),
)
for _name in ("above_bps", "below_bps"):
    _is_set = price_alerts.c[_name].is_not(None)
    partial_index(
        f"ix_price_alerts_{_name}",
        price_alerts.c.market_id,
        price_alerts.c[_name],
        price_alerts.c.user_id,
        where=_is_set,
    )

#: New priors of pools with price alerts or followers, until they are compared.
prior_moves = table(
    "prior_moves",
    own_id(),
    sa.Column("event_id", Int64, nullable=False),
    sa.Column("pool_id", Int64, nullable=False),
    #: YES of each market, before and after.
    sa.Column("before", Json, nullable=False),
    sa.Column("after", Json, nullable=False),
    sa.Column("moved_at_ms", Int64, nullable=False),
)

#: News of a pool that goes in pieces to who holds shares of it.
pool_news = table(
    "pool_news",
    own_id(),
    #: A notification's.
    sa.Column("kind", Text, nullable=False),
    sa.Column("pool_id", Int64, nullable=False, index=True),
    sa.Column("event_id", Int64, nullable=False, index=True),
    #: What the notification says to everyone.
    sa.Column("params", Json, nullable=False),
    #: Of `verdict_decided`: what the verdict pays, as `pool_news.PaidVerdict`.
    sa.Column("verdict", Json),
    #: Who is not notified: it is their own act.
    sa.Column("without_id", Int64),
    #: When it happened.
    sa.Column("created_at_ms", Int64, nullable=False),
    #: Whose turn it is (`pool_news.NewsStage`), and up to which position, in outcome order, or user it is sent.
    sa.Column("stage", Int64, nullable=False, server_default="0"),
    sa.Column("outcome_index", Int64, nullable=False, server_default="0"),
    sa.Column("after_id", Int64, nullable=False, server_default="0"),
    #: When a process may go on; while one does, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)

#: When people were last notified that an event's rules were made clearer.
rule_notices = table(
    "rule_notices",
    _key("event_id"),
    _key("user_id"),
    sa.Column("notified_at_ms", Int64, nullable=False),
    sa.Index("ix_rule_notices_user_id", "user_id", "event_id"),
    clustered=True,
)
