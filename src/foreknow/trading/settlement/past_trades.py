"""What had been traded in a pool at a past moment: what is traded now, less what came after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.market.pools.liquidity import PastTrades
from foreknow.market.pools.splits import outcomes_at
from foreknow.market.pools.store import PoolRow, PricedPool
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.history.trades import traded_legs

_C = trades.c


@dataclass(frozen=True, slots=True)
class LaterTrades:
    """A pool's trades after a moment, of those with ids up to `through_id`.

    Within a pool, the order of ids is the order of times.
    """

    through_id: int
    #: Shares bought less shares sold, by (market id, side).
    shares: Mapping[tuple[int, str], int]
    count: int


NOTHING_KNOWN = LaterTrades(0, {}, 0)


def later_trades(tx: ReadTx, pool: PricedPool, *, at_ms: int, after_id: int = 0) -> LaterTrades:
    """Add up the trades of a pool after `at_ms`, of those with ids over `after_id`.

    It takes as long as there are trades of the event after that moment: for a pool that trades, read it before the
    transaction that needs it.
    """
    of_pool = sa.and_(_C.event_id == pool.event_id, _C.pool_id == pool.id, _C.id > after_id)
    by_id = sa.select(_C.id).where(of_pool).order_by(_C.id.desc()).limit(1)
    newest_id = tx.execute(by_id).scalar() or after_id
    last_before_id = tx.execute(by_id.where(_C.created_at_ms <= at_ms)).scalar() or after_id
    later = sa.and_(of_pool, _C.id > last_before_id, _C.id <= newest_id)
    legs = traded_legs("market_id", "side", "action", "shares", where=later).c
    net_shares = sa.func.sum(sa.case((legs.action == "buy", legs.shares), else_=-legs.shares))
    sums = sa.select(legs.market_id, legs.side, net_shares).group_by(legs.market_id, legs.side)
    return LaterTrades(
        newest_id,
        # PostgreSQL sums 64-bit integers as decimals.
        {(market_id, side): int(shares) for market_id, side, shares in tx.execute(sums)},
        tx.execute(sa.select(sa.func.count()).where(later)).scalar_one(),
    )


def past_trades(tx: ReadTx, pool: PoolRow, known: LaterTrades, *, at_ms: int) -> PastTrades:
    """Return what had been traded in a locked pool at `at_ms`; `known` was read before, and is completed."""
    since = later_trades(tx, pool, at_ms=at_ms, after_id=known.through_id)

    def after(market_id: int, side: str) -> int:
        return known.shares.get((market_id, side), 0) + since.shares.get((market_id, side), 0)

    # What was taken out of Other since has the prices that follow from Other's.
    markets = pool.markets[: outcomes_at(pool.splits, len(pool.markets), at_ms=at_ms)]
    return PastTrades(
        q_yes=tuple(market.q_yes - after(market.id, "YES") for market in markets),
        q_no=tuple(market.q_no - after(market.id, "NO") for market in markets),
        trades=pool.trade_count - known.count - since.count,
    )
