"""A price alert before it is replaced or taken back: what has reached it, though the follower has not read it yet."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.people.follows.tables import prior_moves
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.feed.tables import feed_leader, feed_order
from foreknow.site.following import alerts
from foreknow.site.following.alerts import PricePoint
from foreknow.site.following.follower import notify_of_reached, points_of
from foreknow.site.following.trades import CURSOR
from foreknow.trading.desk.tables import trades


def tell_reached(tx: WriteTx, *, user_id: int, market_id: int, pool_id: int, at_ms: int) -> None:
    """Notify a person of the alert on a market of a locked pool where a price has reached it, and end it then."""
    if not alerts.is_set(tx, user_id=user_id, market_id=market_id):
        return
    pools = load_pools(tx, [pool_id])
    unread = _unread_trades(tx, pools[pool_id])
    points = points_of(tx, unread, pools)[market_id] if unread else []
    points = [*points, *_priors(tx, pools[pool_id], market_id)]
    if points:
        reached = alerts.reached(tx, {market_id: points}, most=len(alerts.LIMITS), user_id=user_id)
        notify_of_reached(tx, alerts.take(tx, reached), pools, at_ms=at_ms)


def _unread_trades(tx: ReadTx, pool: PoolRow) -> dict[int, int]:
    """Return the traders of all of a pool's trades that the follower has not read, and perhaps of some before them."""
    seq = CURSOR.get(tx, "seq")
    first_id = seq + 1
    if tx.dialect.name != "sqlite":
        numbered = tx.execute(sa.select(sa.func.min(feed_order.c.trade_id)).where(feed_order.c.seq > seq)).scalar()
        through = tx.execute(sa.select(feed_leader.c.complete_through_id)).scalar()
        first_id = min(INT64_MAX if numbered is None else numbered, 0 if through is None else through + 1)
    of_pool = (trades.c.event_id == pool.event_id, trades.c.pool_id == pool.id, trades.c.id >= first_id)
    rows = tx.execute(sa.select(trades.c.id, trades.c.user_id).where(*of_pool).order_by(trades.c.id))
    return {row.id: row.user_id for row in rows}


def _priors(tx: ReadTx, pool: PoolRow, market_id: int) -> list[PricePoint]:
    """Return the prices of a market after new priors that the follower has not read."""
    (outcome,) = (market.outcome_index for market in pool.markets if market.id == market_id)
    query = sa.select(prior_moves.c.after, prior_moves.c.moved_at_ms).where(prior_moves.c.pool_id == pool.id)
    rows = tx.execute(query.order_by(prior_moves.c.id))
    # A list may have more markets since.
    return [PricePoint(row.after[outcome], 0, row.moved_at_ms) for row in rows if outcome < len(row.after)]
