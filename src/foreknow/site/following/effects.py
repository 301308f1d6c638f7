"""What follows from trades: events that traders follow, price alerts that are reached, main pools that have moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.people.follows.store import FollowByTrade, new_follows_by_trade
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.following import alerts, moves
from foreknow.site.following.alerts import PricePoint, ReachedAlert
from foreknow.site.following.moves import Move
from foreknow.site.following.trades import FollowedPiece, FollowedTrader, of_pools_since
from foreknow.trading.desk import basket_store
from foreknow.trading.desk.basket_store import BasketPrices


class LaterTrade(NamedTuple):
    """A trade, with YES of its market before and after it."""

    id: int
    market_id: int
    before: float
    after: float
    basket_id: int | None


@dataclass(frozen=True, slots=True)
class Effects:
    """What follows from some trades."""

    follows: Sequence[FollowByTrade] = ()
    reached: Sequence[ReachedAlert] = ()
    moves: Sequence[Move] = ()
    #: The names that notifications of reached alerts need.
    pools: Mapping[int, PoolRow] = field(default_factory=dict)

    @property
    def are_none(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.follows or self.reached or self.moves)


def effects_of(tx: ReadTx, piece: FollowedPiece, *, at_ms: int) -> Effects:
    """Return what follows from the next trades."""
    pools = load_pools(tx, piece.alerted_pool_ids)
    reached = alerts.reached(tx, _points(tx, piece.alerted, pools), most=alerts.REACHED_MAX) if pools else []
    last_traders = {one.pool_id: one.user_id for one in sorted(piece.traders, key=attrgetter("last_number"))}
    return Effects(
        new_follows_by_trade(tx, _first_trades(piece.traders)),
        reached,
        moves.of_events(tx, {one.event_id for one in piece.traders}, last_traders, at_ms=at_ms),
        pools,
    )


def _first_trades(traders: Sequence[FollowedTrader]) -> list[FollowByTrade]:
    first_ms: dict[tuple[int, int], int] = {}
    for one in traders:
        if one.is_person:
            key = (one.event_id, one.user_id)
            first_ms[key] = min(first_ms.get(key, one.first_ms), one.first_ms)
    return [FollowByTrade(*key, at_ms) for key, at_ms in first_ms.items()]


def _points(tx: ReadTx, traders: Mapping[int, int], pools: Mapping[int, PoolRow]) -> dict[int, list[PricePoint]]:
    """Return the prices of all markets of these pools after each of the trades, whose `traders` are given by id."""
    event_ids = {pool.event_id for pool in pools.values()}
    later: dict[int, list[LaterTrade]] = defaultdict(list)
    for trade_id, pool_id, *rest in of_pools_since(tx, event_ids, pools.keys(), since_id=min(traders)):
        later[pool_id].append(LaterTrade(trade_id, *rest))
    basket_ids = {one.basket_id for of_pool in later.values() for one in of_pool if one.basket_id is not None}
    baskets = basket_store.prices_of(tx, basket_ids)
    found: dict[int, list[PricePoint]] = {}
    for pool_id, trades in later.items():
        steps = _steps(pools[pool_id], trades, baskets)
        own = [(prices, number, traders[trade_id]) for trade_id, prices, number in steps if trade_id in traders]
        found |= alerts.points_by_market([market.id for market in pools[pool_id].markets], own)
    return found


def _steps(
    pool: PoolRow, newest_first: Sequence[LaterTrade], baskets: Mapping[int, BasketPrices]
) -> list[tuple[int, list[float], int]]:
    """Return the id, the prices after it and the number in its pool of each trade, oldest first.

    The prices are those of the outcomes as they stood then: what came later was part of a list's Other, and itself 0.
    From the present prices back: a trade in a market leaves the others in the ratios that they had, whichever side was
    traded, and so they follow from its market's prices before and after it. Of a basket they are known; it is one step,
    at its last trade, whatever the price was between its purchase and its sale.
    """
    places = {market.id: market.outcome_index for market in pool.markets}
    prices = list(pool.lmsr().probabilities())
    found: list[tuple[int, list[float], int]] = []
    last_basket_id: int | None = None
    for behind, (trade_id, market_id, before, after, basket_id) in enumerate(newest_first):
        number = pool.trade_count - behind
        prices = _before_splits(pool, prices, number)
        if basket_id is not None:
            if basket_id != last_basket_id:
                basket = baskets[basket_id]
                later = [0.0] * (len(prices) - len(basket.after))
                found.append((trade_id, [*basket.after, *later], number))
                prices = [*basket.before, *later]
            last_basket_id = basket_id
            continue
        place = places[market_id]
        prices[place] = after
        found.append((trade_id, list(prices), number))
        # Where the market was certain the others are 0 to the last digit, whatever they were before.
        share = (1 - before) / (1 - after) if after < 1 else 1.0
        prices = [one * share for one in prices]
        prices[place] = before
    return found[::-1]


def _before_splits(pool: PoolRow, prices: Sequence[float], number: int) -> list[float]:
    """Return prices of a pool as they were before those splits that its trade with this number came before."""
    found = list(prices)
    for split in pool.splits:
        if split.trades >= number:
            assert pool.other_index is not None
            found[pool.other_index] += found[split.outcome_index]
            found[split.outcome_index] = 0.0
    return found
