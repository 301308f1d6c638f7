"""What refuses any order and any quote, in the contract's sequence (decisions.md, "Trading"); and the price of one.

`find_pool`, what a kind refuses of the markets that it names, `check_order`, and then what it refuses itself.
"""

from __future__ import annotations

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import BadRequest
from foreknow.market.pools.errors import MarketNotFound
from foreknow.market.pools.store import PricedPool
from foreknow.money.pricing import Lmsr, Side, average_price_bps
from foreknow.trading.book import MatchDecision
from foreknow.trading.desk.errors import NO_OF_OTHER, MarketLimit, OutcomesChanged, OwnEvent
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
    refused = None if state.creators_trade else order.visitor
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
        raise OutcomesChanged(outcomes=len(pool.markets))


#: The id of a trader who has no orders: of a visitor, and of a sub-account that is not created yet.
NO_ONE = 0


class PricedOrder(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The price of an order: `money_kopecks` is its stake or payout, `after` the market maker after it."""

    money_kopecks: int
    fee_kopecks: int
    shares: int
    after: Lmsr
    #: What it does in a pool where orders rest; None elsewhere.
    decision: MatchDecision | None = None

    @property
    def avg_price_bps(self) -> int:
        """Basis points a share, fee included, halves to even."""
        return average_price_bps(money_kopecks=self.money_kopecks, shares=self.shares)

    @property
    def is_capped(self) -> bool:
        """Whether it stopped before the 101st resting order, and went on along the curve."""
        return self.decision is not None and self.decision.is_capped


def check_limit(after: Lmsr, decision: MatchDecision | None) -> None:
    """Raise `MarketLimit` for a trade after which a market would hold too many shares."""
    if not after.within_limit() if decision is None else decision.exceeds_limit:
        raise MarketLimit
