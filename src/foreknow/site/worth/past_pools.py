"""Pools as they were at the ends of past days: their prices then, or what they pay.

What had been traded at a day's end is what is traded now less what was traded on the days after it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.cache import BoundedCache, in_bytes
from foreknow.kernel.clock import DAY_MS
from foreknow.market.pools.liquidity import PastTrades
from foreknow.market.pools.splits import SplitStep, outcomes_at
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.money.pricing import Lmsr, Side
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.history.trades import traded_legs

#: Bounds the memory of pools that a sweep keeps.
CACHE_BYTES_MAX = 32 * 1024 * 1024
#: About what a pool takes, and each number of shares that is outstanding at the end of a day.
_POOL_BYTES, _NUMBER_BYTES = 10_000, 40
_T = trades.c


def day_of(at_ms: int) -> int:
    """Return the day in which a moment lies: the first that does not end before it."""
    return -(-at_ms // DAY_MS)


class _Sold(NamedTuple):
    """What is outstanding in a pool, and how many trades it has had."""

    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]
    trades: int


class PastPool:
    """A pool at the ends of days from `first_day` on that were over some time before it was read."""

    def __init__(self, tx: ReadTx, pool: PoolRow, *, first_day: int) -> None:
        """Read what it was traded since then."""
        self._pool = pool
        self.first_day = first_day
        #: Days with trades, oldest first, and what was outstanding before each.
        self._days: Sequence[int] = ()
        self._before: Sequence[_Sold] = ()
        if (pool.last_trade_at_ms or 0) > first_day * DAY_MS:
            self._read(tx)
        resolved_ms, until_ms = pool.resolved_at_ms, pool.disputable_until_ms
        self._final_ms = min((at_ms for at_ms in (resolved_ms, until_ms) if at_ms is not None), default=None)
        #: The market makers of the piece under way, by place among the days and number of outcomes.
        self._makers: dict[tuple[int, int], Lmsr] = {}

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory."""
        return _POOL_BYTES + _NUMBER_BYTES * 2 * len(self._pool.markets) * (1 + len(self._days))

    def forget_prices(self) -> None:
        """Free the memory of its market makers."""
        self._makers.clear()

    def last_split(self, market_id: int, position_id: int, day: int) -> SplitStep | None:
        """Return the split by which a position of Other was to be turned by the end of a day, the last one."""
        pool = self._pool
        if pool.other_index is None or pool.markets[pool.other_index].id != market_id:
            return None
        split = next((one for one in reversed(pool.splits) if one.at_ms <= day * DAY_MS), None)
        return split if split is not None and position_id <= split.last_position_id else None

    def value_kopecks(
        self, market_id: int, side: Side, shares: int, *, day: int, unturned: SplitStep | None = None
    ) -> int:
        """Return what shares were worth at the end of a day, as `values_kopecks` then did.

        `unturned`: the split by which these of Other were still to be turned.
        """
        at_ms, pool = day * DAY_MS, self._pool
        outcome = next(index for index, market in enumerate(pool.markets) if market.id == market_id)
        both = (outcome,) if unturned is None else (outcome, unturned.outcome_index)
        decision = pool.decision
        if decision is not None and self._final_ms is not None and self._final_ms <= at_ms:
            maker = pool.lmsr_at(decision.void_prices)
            return sum(decision.resolution.payout_kopecks(maker, one, side, shares) for one in both)
        # What was taken out of Other later was part of it.
        later = (split.outcome_index for split in pool.splits if split.at_ms > at_ms and outcome == pool.other_index)
        all_of_it = {*both, *later}
        maker = self._maker(day)
        if len(all_of_it) == 1:
            return maker.value_kopecks(outcome, side, shares)
        return maker.set_value_kopecks(all_of_it, shares)

    def _maker(self, day: int) -> Lmsr:
        pool = self._pool
        place = bisect_right(self._days, day)
        outcomes = outcomes_at(pool.splits, len(pool.markets), at_ms=day * DAY_MS)
        maker = self._makers.get((place, outcomes))
        if maker is None:
            sold = self._before[place] if place < len(self._days) else _sold_now(pool)
            then = PastTrades(q_yes=sold.q_yes[:outcomes], q_no=sold.q_no[:outcomes], trades=sold.trades)
            maker = self._makers[place, outcomes] = pool.lmsr_at(then)
        return maker

    def _read(self, tx: ReadTx) -> None:
        shares, counts = _traded_by_day(tx, self._pool, after_ms=self.first_day * DAY_MS)
        sold = _sold_now(self._pool)
        self._days = sorted(counts)
        before: list[_Sold] = []
        for day in reversed(self._days):
            sold = _Sold(
                self._less(sold.q_yes, Side.YES, shares[day]),
                self._less(sold.q_no, Side.NO, shares[day]),
                sold.trades - counts[day],
            )
            before.append(sold)
        self._before = before[::-1]

    def _less(self, sold: Sequence[int], side: Side, traded: Mapping[tuple[int, str], int]) -> tuple[int, ...]:
        of_markets = zip(self._pool.markets, sold, strict=True)
        return tuple(count - traded.get((market.id, side.value), 0) for market, count in of_markets)


class PastPools:
    """Pools that a sweep has read."""

    def __init__(self) -> None:
        """Begin with none."""
        self._cache: BoundedCache[int, PastPool] = BoundedCache(CACHE_BYTES_MAX, in_bytes)

    def read(self, tx: ReadTx, pool_ids: Collection[int], *, first_day: int) -> Mapping[int, PastPool]:
        """Return pools, each at the ends of days from `first_day` on."""
        found: dict[int, PastPool] = {}
        for pool_id in pool_ids:
            kept = self._cache.get(pool_id)
            if kept is not None and kept.first_day <= first_day:
                kept.forget_prices()
                found[pool_id] = kept
        for pool_id, pool in load_pools(tx, set(pool_ids) - found.keys()).items():
            found[pool_id] = PastPool(tx, pool, first_day=first_day)
            self._cache.put(pool_id, found[pool_id])
        return found

    def clear(self) -> None:
        """Forget all of them: another day has ended."""
        self._cache.clear()


def _sold_now(pool: PoolRow) -> _Sold:
    markets = pool.markets
    return _Sold(tuple(market.q_yes for market in markets), tuple(market.q_no for market in markets), pool.trade_count)


def _traded_by_day(
    tx: ReadTx, pool: PoolRow, *, after_ms: int
) -> tuple[Mapping[int, Mapping[tuple[int, str], int]], Mapping[int, int]]:
    """Return the trades of a pool after a moment by day: shares bought less shares sold by market and side, and how
    many trades. It takes as long as there are trades of its event since.
    """
    of_pool = sa.and_(_T.event_id == pool.event_id, _T.pool_id == pool.id)
    before = sa.select(_T.id).where(of_pool, _T.created_at_ms <= after_ms).order_by(_T.id.desc()).limit(1)
    # Within a pool, the order of ids is the order of times.
    later = sa.and_(of_pool, _T.id > (tx.execute(before).scalar() or 0))
    legs = traded_legs("market_id", "side", "action", "shares", "created_at_ms", where=later).c
    day = _day(legs.created_at_ms)
    net = sa.func.sum(sa.case((legs.action == "buy", legs.shares), else_=-legs.shares))
    shares: dict[int, Counter[tuple[int, str]]] = defaultdict(Counter)
    for number, market_id, side, count in tx.execute(
        sa.select(day, legs.market_id, legs.side, net).group_by(day, legs.market_id, legs.side)
    ):
        # PostgreSQL sums 64-bit integers as decimals.
        shares[number][market_id, side] = int(count)
    day = _day(_T.created_at_ms)
    rows = tx.execute(sa.select(day, sa.func.count()).where(later).group_by(day))
    return shares, {number: count for number, count in rows}  # noqa: C416 - rows


def _day(at_ms: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    # In literals: PostgreSQL must recognize the expression among those of GROUP BY.
    return (at_ms + sa.literal_column(str(DAY_MS - 1), Int64)) // sa.literal_column(str(DAY_MS), Int64)
