"""What refuses any order and any quote, in the contract's sequence (decisions.md, "Trading").

`find_pool`, what a kind refuses of the markets that it names, `check_order`, and then what it refuses itself.
"""

from __future__ import annotations

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import BadRequest
from foreknow.market.pools.errors import MarketNotFound
from foreknow.market.pools.store import PricedPool
from foreknow.money.pricing import Side
from foreknow.trading.desk.errors import NO_OF_OTHER, OutcomesChanged, OwnEvent
from foreknow.trading.desk.made import TradedPool
from foreknow.trading.desk.orders import Order
from foreknow.trading.desk.state import LockedState


def find_pool(order: Order, state: LockedState) -> tuple[TradedPool, int]:
    """Return the pool of an order and its outcome there; `MarketNotFound`, or `BadRequest` of NO of a list's Other."""
    place = state.ids.markets.get(order.market_id)
    if place is None:
        raise MarketNotFound
    pool = state.pools[place.pool_id]
    if not is_visible_to(order.visitor, pool.row):
        raise MarketNotFound
    check_side(pool.row, place.outcome_index, order.side)
    return pool, place.outcome_index


def check_side(pool: PricedPool, outcome: int, side: Side) -> None:
    """Raise `BadRequest` of NO of a list's Other."""
    if side == Side.NO and outcome == pool.other_index:
        raise BadRequest(NO_OF_OTHER)


def check_order(order: Order, pool: TradedPool, state: LockedState) -> None:
    """Raise the error of an order in a pool that cannot be traded now, or not by its caller."""
    refused = order.visitor if order.not_by_creator else None
    check_tradable(pool.row, state.now_ms, refused_to=refused, outcomes=order.outcomes)


def check_tradable(pool: PricedPool, now_ms: int, *, refused_to: UserCaller | None, outcomes: int | None) -> None:
    """Raise the error of a caller who would trade in a pool that cannot be traded now, or not by them.

    `refused_to`: the caller where creators may not trade in their own events. `outcomes`: how many the caller knows of.
    """
    if refused_to is not None and refused_to.user_id == pool.creator_id:
        raise OwnEvent
    error = pool.trading_error(now_ms)
    if error is not None:
        raise error
    if outcomes is not None and outcomes != len(pool.markets):
        raise OutcomesChanged
