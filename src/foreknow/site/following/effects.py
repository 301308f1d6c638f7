"""What follows from trades: events that traders follow, price alerts that are reached, main pools that have moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.people.follows.store import FollowByTrade, new_follows_by_trade
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.following import alerts, moves
from foreknow.site.following.alerts import PricePoint, ReachedAlert
from foreknow.site.following.moves import Move
from foreknow.site.following.past_prices import left_prices
from foreknow.site.following.trades import FollowedPiece, FollowedTrader


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
    traders = sorted(piece.traders, key=lambda one: one.last_number or 0)
    # Of a pool in which orders that rested were filled alone, no one moved the price.
    last_traders = {one.pool_id: None if one.last_number is None else one.user_id for one in traders}
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
    found: dict[int, list[PricePoint]] = defaultdict(list)
    for pool_id, left in left_prices(tx, pools, traders).items():
        for prices, number, actor_id in left:
            for market, probability in zip(pools[pool_id].markets, prices, strict=True):
                found[market.id].append(PricePoint(probability, number, actor_id))
    return found
