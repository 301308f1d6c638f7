"""What is counted of trades. Only the follower writes these tables, and no order waits for their rows.

No foreign keys: on PostgreSQL each new row would wait for the locks of the pools and events that orders hold.
"""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Text, partial_index, table
from foreknow.platform.jobs import Cursor


def _key(name: str) -> sa.Column[int]:
    return sa.Column(name, Int64, primary_key=True, autoincrement=False)


def _sum(name: str) -> sa.Column[int]:
    return sa.Column(name, Int64, nullable=False, server_default="0")


#: One row: how far everything is counted.
activity_cursor = table(
    "activity_cursor",
    _key("id"),
    #: The last counted trade in the feed's order.
    _sum("seq"),
    #: The positions of all traded pools that were resolved before this moment are counted.
    _sum("resolved_since_ms"),
    #: All positions that splits have made up to this row of `position_splits` are counted.
    _sum("split_id"),
)
CURSOR = Cursor(activity_cursor)

#: Rows of `position_splits` beyond that which are counted: they are not committed in the order of their ids.
counted_splits = table("counted_splits", _key("split_id"))

pool_activity = table("pool_activity", _key("pool_id"), _sum("trades"), _sum("traders"))

event_activity = table(
    "event_activity",
    _key("event_id"),
    _sum("traders"),
    #: The sum of its minutes in `event_minutes`.
    _sum("volume_24h_kopecks"),
    #: Largest change of a probability of its main pool in 24 h, in millionths.
    _sum("moved_ppm"),
    #: Whether it is no longer active; it never will be again.
    sa.Column("is_over", Flag, nullable=False, server_default=sa.text("false")),
    #: When moved_ppm and is_over are renewed next; NULL while there is nothing to renew.
    sa.Column("renew_at_ms", Int64, index=True),
)
for _name in ("volume_24h_kopecks", "moved_ppm"):
    _is_ranked = event_activity.c[_name] > sa.literal(0, literal_execute=True)
    partial_index(
        f"ix_event_activity_{_name}",
        event_activity.c.is_over,
        event_activity.c[_name],
        event_activity.c.event_id,
        where=_is_ranked,
    )

#: Volume by minute (Unix minutes, rounded down) of the last 24 h.
event_minutes = table("event_minutes", _key("minute"), _key("event_id"), _sum("volume_kopecks"), clustered=True)

pool_traders = table("pool_traders", _key("pool_id"), _key("user_id"), clustered=True)
event_traders = table("event_traders", _key("event_id"), _key("user_id"), clustered=True)
creator_traders = table("creator_traders", _key("creator_id"), _key("user_id"), clustered=True)

#: How many have traded in the events of a person.
creator_activity = table("creator_activity", _key("creator_id"), _sum("traders"))

#: Positions that are open, or whose settlement has not been counted yet.
holdings = table(
    "holdings",
    _key("position_id"),
    sa.Column("pool_id", Int64, nullable=False),
    sa.Column("market_id", Int64, nullable=False),
    #: YES or NO
    sa.Column("side", Text, nullable=False),
    sa.Column("user_id", Int64, nullable=False),
    _sum("shares"),
    #: Profit of its sales.
    _sum("sold_pnl_kopecks"),
    sa.Index("ix_holdings_pool", "pool_id", "position_id"),
)


def is_held(rows: sa.FromClause) -> sa.ColumnElement[bool]:
    """Return the condition that holdings have shares, with a literal, so that the partial index matches."""
    return rows.c.shares > sa.literal_column("0")


partial_index(
    "ix_holdings_market",
    holdings.c.market_id,
    holdings.c.side,
    holdings.c.shares,
    holdings.c.position_id,
    where=is_held(holdings),
)

#: How many hold shares of each side.
market_holders = table(
    "market_holders", _key("market_id"), sa.Column("side", Text, primary_key=True), _sum("holders"), clustered=True
)

#: Sums of people by period: `all`; `week` (from Monday) and `month`, of UTC, by number.
trader_sums = table(
    "trader_sums",
    sa.Column("period", Text, primary_key=True),
    _key("number"),
    _key("user_id"),
    #: Profits of sales and of paid positions, as in the PnL chart.
    _sum("realized_kopecks"),
    #: Stakes and payouts of sales.
    _sum("volume_kopecks"),
    _sum("trades"),
    #: Events traded in; counted for `all` only.
    _sum("events"),
    #: Positions settled, and those of them whose profit is over 0; counted for `all` only.
    _sum("settled"),
    _sum("earned"),
    sa.Index("ix_trader_sums_realized", "period", "number", "realized_kopecks", "user_id"),
)

#: Events whose tags are counted as active, and when they close.
active_events = table("active_events", _key("event_id"), sa.Column("ends_at_ms", Int64, index=True))

tag_counts = table("tag_counts", sa.Column("tag", Text, primary_key=True), _sum("active"))
_IS_USED = tag_counts.c.active > sa.literal(0, literal_execute=True)
partial_index("ix_tag_counts_active", tag_counts.c.active, tag_counts.c.tag, where=_IS_USED)

#: All of them: `foreknow copy` leaves them out, whose own follower counts again.
ACTIVITY_TABLES = frozenset(
    {
        activity_cursor,
        pool_activity,
        event_activity,
        event_minutes,
        pool_traders,
        event_traders,
        creator_traders,
        creator_activity,
        holdings,
        market_holders,
        trader_sums,
        active_events,
        counted_splits,
        tag_counts,
    }
)
