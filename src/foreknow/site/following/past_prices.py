"""The prices that trades of a pool left: from its present shares back, trade by trade, each taken back exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from foreknow.market.pools.liquidity import PastTrades
from foreknow.market.pools.store import PoolRow
from foreknow.money.pricing import Side
from foreknow.platform.db.bulk import in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.history.trades import traded_legs

_NAMES: Final = ("id", "pool_id", "market_id", "side", "action", "shares", "created_at_ms", "role", "basket_id")
_T = trades.c


class PastTrade(NamedTuple):
    """A trade in one market, or what a basket's trade did there."""

    id: int
    market_id: int
    side: str
    action: str
    shares: int
    at_ms: int
    #: `maker`: it filled an order that rested.
    role: str | None
    basket_id: int | None


class LeftPrices(NamedTuple):
    """The YES prices of all of a pool's markets after a trade and what it filled.

    Those of the outcomes as they stood then: what came later was part of a list's Other, and itself 0.
    """

    prices: Sequence[float]
    #: The number of the pool's trades by then.
    number: int
    at_ms: int
    #: Whose trade it was; None where orders that rested were filled without one.
    actor_id: int | None


def left_prices(
    tx: ReadTx, pools: Mapping[int, PoolRow], traders: Mapping[int, int]
) -> Mapping[int, Sequence[LeftPrices]]:
    """Return by pool what each of some of its trades left, oldest first; the trades' `traders` are given by id.

    Reads all trades of these pools from the first of them on.
    """
    event_ids = {pool.event_id for pool in pools.values()}
    legs = traded_legs(*_NAMES, where=in_array(_T.event_id) & (_T.id >= min(traders)) & _T.pool_id.in_(pools)).c
    query = sa.select(*legs).order_by(legs.id)
    by_pool: dict[int, list[PastTrade]] = defaultdict(list)
    for trade_id, pool_id, *rest in tx.execute(query, {"ids": event_ids}):
        by_pool[pool_id].append(PastTrade(trade_id, *rest))
    return {pool_id: _left(pools[pool_id], found, traders) for pool_id, found in by_pool.items()}


def _left(pool: PoolRow, later: Sequence[PastTrade], traders: Mapping[int, int]) -> list[LeftPrices]:
    """Return what trades left, given all of the pool from the first of them on, oldest first."""
    market_maker = pool.lmsr()
    places = {market.id: market.outcome_index for market in pool.markets}
    additions = {step.trades for step in pool.liquidity[1:]}
    found: list[LeftPrices] = []
    back: list[tuple[int, Side, int]] = []
    for made, number in reversed(list(_orders(pool, later))):
        is_wanted = any(one.id in traders for one in made)
        if is_wanted or number in additions:
            # Trades whose prices no one wants, those that came after all others, are taken back together.
            market_maker, back = market_maker.traded_together(back), []
        if is_wanted:
            prices = _as_they_stood(pool, market_maker.probabilities(), number)
            actor_id = None if made[0].role == "maker" else traders.get(made[0].id)
            found.append(LeftPrices(prices, number, made[-1].at_ms, actor_id))
        if number in additions:
            # What was added after it changed no price, and shares move it less since.
            then = PastTrades(q_yes=market_maker.q_yes, q_no=market_maker.q_no, trades=number - 1)
            market_maker = pool.lmsr_at(then)
        back += _back(pool, places, made, number)
    return found[::-1]


def _orders(pool: PoolRow, later: Sequence[PastTrade]) -> Iterator[tuple[Sequence[PastTrade], int]]:
    """Yield what was traded at once, with the number of its last trade: what lies between was the price of no one.

    That is a basket's purchase and sale, and an order with the resting orders that it filled.
    """
    # Between these trades liquidity was added or an outcome split off, which may have filled orders too.
    ends = {step.trades for step in pool.liquidity} | {split.trades for split in pool.splits}
    number = pool.trade_count - len({one.id for one in later})
    made: list[PastTrade] = []
    for one in later:
        last = made[-1] if made else None
        if last is None or one.id != last.id:
            if last is not None and (number in ends or not _is_of_the_same(last, one)):
                yield made, number
                made = []
            number += 1
        made.append(one)
    if made:
        yield made, number


def _is_of_the_same(last: PastTrade, one: PastTrade) -> bool:
    if one.basket_id is not None:
        return one.basket_id == last.basket_id
    return one.role == "maker" and one.at_ms == last.at_ms


def _back(
    pool: PoolRow, places: Mapping[int, int], made: Sequence[PastTrade], number: int
) -> Iterator[tuple[int, Side, int]]:
    """Yield outcome, side and shares of what takes back what was traded at once."""
    # What was split off later was in Other then: of it, too, as many shares were traded.
    split_off = [split.outcome_index for split in pool.splits if split.trades >= number]
    for one in made:
        place, side, shares = places[one.market_id], Side(one.side), -one.shares if one.action == "buy" else one.shares
        yield place, side, shares
        if place == pool.other_index:
            for outcome in split_off:
                yield outcome, side, shares


def _as_they_stood(pool: PoolRow, prices: Sequence[float], number: int) -> Sequence[float]:
    """Return prices of a pool as they were before those splits that its trade with this number came before."""
    later = [split.outcome_index for split in pool.splits if split.trades >= number]
    if not later:
        return prices
    found = list(prices)
    assert pool.other_index is not None
    for outcome in later:
        found[pool.other_index] += found[outcome]
        found[outcome] = 0.0
    return found
