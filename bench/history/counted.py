"""What `foreknow.site.activity` keeps of a history, written by a few statements instead of a follower's hour.

Every table gets the rows that a follower of these trades would have left, its cursor at the last one. Only the changes
of prices in 24 h are left to the service's own follower, which renews those of the open events in its first seconds.
What people were worth each day (`foreknow.site.worth`) is none of this: its follower goes back to the first movements.

The statements run while the tables have no indexes: all of them read whole tables, and sort what they group.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.history.sinks import Sink
from foreknow.kernel.clock import DAY_MS, MINUTE_MS
from foreknow.site.activity.counting import oldest_minute
from foreknow.site.activity.periods import Period, number_of
from foreknow.site.activity.traders import KEPT_PERIODS

#: More days than the kept periods have.
_DAYS = 31 * (KEPT_PERIODS + 1)

_TRADERS = (
    "INSERT INTO pool_traders (pool_id, user_id) SELECT pool_id, user_id FROM trades GROUP BY 1, 2 ORDER BY 1, 2",
    """INSERT INTO event_traders (event_id, user_id)
    SELECT p.event_id, t.user_id FROM pool_traders t JOIN pools p ON p.id = t.pool_id GROUP BY 1, 2 ORDER BY 1, 2""",
    """INSERT INTO creator_traders (creator_id, user_id)
    SELECT e.creator_id, t.user_id FROM event_traders t JOIN events e ON e.id = t.event_id
    GROUP BY 1, 2 ORDER BY 1, 2""",
    """INSERT INTO creator_activity (creator_id, traders)
    SELECT creator_id, COUNT(*) FROM creator_traders GROUP BY 1 ORDER BY 1""",
    """INSERT INTO pool_activity (pool_id, trades, traders)
    SELECT p.id, p.trade_count, t.traders
    FROM pools p JOIN (SELECT pool_id, COUNT(*) AS traders FROM pool_traders GROUP BY pool_id) t ON t.pool_id = p.id""",
)
_EVENTS = (
    """INSERT INTO event_minutes (minute, event_id, volume_kopecks)
    SELECT created_at_ms / {minute_ms}, event_id, SUM(amount_kopecks)
    FROM trades WHERE created_at_ms >= {since_ms} GROUP BY 1, 2 ORDER BY 1, 2""",
    """INSERT INTO event_activity (event_id, traders, volume_24h_kopecks, moved_ppm, is_over, renew_at_ms)
    SELECT e.id, t.traders, COALESCE(v.volume_kopecks, 0), 0,
        e.status <> 'active' OR COALESCE(e.closes_at_ms <= {end_ms}, FALSE),
        CASE WHEN e.status = 'active' THEN {end_ms} END
    FROM events e
    JOIN (SELECT event_id, COUNT(*) AS traders FROM event_traders GROUP BY event_id) t ON t.event_id = e.id
    LEFT JOIN (SELECT event_id, SUM(volume_kopecks) AS volume_kopecks FROM event_minutes GROUP BY event_id) v
        ON v.event_id = e.id""",
    """INSERT INTO active_events (event_id, ends_at_ms)
    SELECT id, closes_at_ms FROM events WHERE status = 'active' AND COALESCE(closes_at_ms > {end_ms}, TRUE)""",
    """INSERT INTO tag_counts (tag, active)
    SELECT t.tag, COUNT(*) FROM event_tags t JOIN active_events a ON a.event_id = t.event_id GROUP BY t.tag""",
)
# An open position has earned what its sales have.
_HOLDINGS = (
    """INSERT INTO holdings (position_id, pool_id, market_id, side, user_id, shares, sold_pnl_kopecks)
    SELECT id, pool_id, market_id, side, user_id, shares, pnl_kopecks FROM positions WHERE closed_at_ms IS NULL""",
    """INSERT INTO market_holders (market_id, side, holders)
    SELECT market_id, side, COUNT(*) FROM holdings GROUP BY 1, 2 ORDER BY 1, 2""",
)
_OF_ALL_TIME = """
    INSERT INTO trader_sums
        (period, number, user_id, realized_kopecks, volume_kopecks, trades, events, settled, earned)
    SELECT 'all', 0, u.id, p.pnl_kopecks, t.volume_kopecks, t.trades, e.events, p.settled, p.earned
    FROM users u
    JOIN (SELECT user_id, SUM(amount_kopecks) AS volume_kopecks, COUNT(*) AS trades FROM trades GROUP BY user_id) t
        ON t.user_id = u.id
    JOIN (
        SELECT user_id, SUM(pnl_kopecks) AS pnl_kopecks,
            SUM(CASE WHEN settled_shares > 0 THEN 1 ELSE 0 END) AS settled,
            SUM(CASE WHEN settled_shares > 0 AND pnl_kopecks > 0 THEN 1 ELSE 0 END) AS earned
        FROM positions GROUP BY user_id
    ) p ON p.user_id = u.id
    JOIN (SELECT user_id, COUNT(*) AS events FROM event_traders GROUP BY user_id) e ON e.user_id = u.id
    WHERE u.partner_id IS NULL
"""
# A settlement earns a position's profit less that of its sales.
_OF_PERIOD = """
    INSERT INTO trader_sums (period, number, user_id, realized_kopecks, volume_kopecks, trades, events)
    SELECT '{period}', {number}, done.user_id, SUM(done.pnl_kopecks), SUM(done.volume_kopecks), SUM(done.trades), 0
    FROM (
        SELECT user_id, pnl_kopecks, amount_kopecks AS volume_kopecks, 1 AS trades
        FROM trades WHERE created_at_ms >= {since_ms} AND created_at_ms < {until_ms}
        UNION ALL
        SELECT user_id, pnl_kopecks, 0, 0
        FROM positions WHERE settled_shares > 0 AND closed_at_ms >= {since_ms} AND closed_at_ms < {until_ms}
        UNION ALL
        SELECT t.user_id, -t.pnl_kopecks, 0, 0
        FROM positions p JOIN trades t ON t.position_id = p.id
        WHERE t.action = 'sell'
            AND p.settled_shares > 0 AND p.closed_at_ms >= {since_ms} AND p.closed_at_ms < {until_ms}
    ) done
    JOIN users u ON u.id = done.user_id
    WHERE u.partner_id IS NULL
    GROUP BY done.user_id
"""
_CURSOR = """
    INSERT INTO activity_cursor (id, seq, resolved_since_ms) SELECT 1, COALESCE(MAX(id), 0), {end_ms} FROM trades
"""


def count_trades(sink: Sink, *, end_ms: int) -> None:
    """Write what is counted of all rows of a history that ends at `end_ms`."""
    first_ms = (oldest_minute(end_ms) + 1) * MINUTE_MS
    for statement in (*_TRADERS, *_EVENTS, *_HOLDINGS, _OF_ALL_TIME, _CURSOR):
        sink.run(statement.format(end_ms=end_ms, since_ms=first_ms, minute_ms=MINUTE_MS))
    for period, number, since_ms, until_ms in _kept_periods(end_ms):
        sink.run(_OF_PERIOD.format(period=period, number=number, since_ms=since_ms, until_ms=until_ms))


def _kept_periods(end_ms: int) -> Iterator[tuple[Period, int, int, int]]:
    """Yield the weeks and months whose sums are kept: name, number, begin and end."""
    today = end_ms // DAY_MS
    periods: tuple[Period, ...] = ("week", "month")
    for period in periods:
        last = number_of(period, end_ms)
        for number in range(last - KEPT_PERIODS, last + 1):
            days = [day for day in range(today - _DAYS, today + 1) if number_of(period, day * DAY_MS) == number]
            yield period, number, days[0] * DAY_MS, (days[-1] + 1) * DAY_MS
