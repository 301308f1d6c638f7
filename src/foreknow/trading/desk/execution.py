"""Pricing of orders: pure functions, shared by orders and quotes."""

from __future__ import annotations

import msgspec

from foreknow.money.pricing import Lmsr, Side, average_price_bps, fee_kopecks, fee_on_top_kopecks
from foreknow.trading.book import (
    Arrival,
    ArrivingBet,
    ArrivingLimit,
    ArrivingSale,
    Book,
    MatchDecision,
    decide,
)
from foreknow.trading.desk.errors import AmountTooSmall, MarketLimit, Slippage
from foreknow.trading.desk.orders import Buy, LimitTerms
from foreknow.trading.limit_orders.errors import Unfilled, WouldTrade
from foreknow.trading.limit_orders.order import PERCENT_BPS

BPS = 10_000
#: The id of a trader who has no orders: of a visitor, and of a sub-account that is not created yet.
NOBODY = 0


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


def price_buy(
    market_maker: Lmsr,
    *,
    outcome: int,
    side: Side,
    margin: float,
    terms: Buy,
    book: Book | None = None,
    user_id: int = NOBODY,
) -> PricedOrder:
    """Price a buy; raises `AmountTooSmall`, `MarketLimit` or `Slippage`, in this order.

    `book`: the orders that rest beside the market maker, None for none; those of `user_id` are not met.
    """
    fee = fee_kopecks(stake_kopecks=terms.stake_kopecks, margin=margin)
    money = terms.stake_kopecks - fee
    decision = None
    if book is None:
        shares = market_maker.shares_bought(outcome, side, money)
    else:
        if money < 1:
            raise AmountTooSmall
        arriving = ArrivingBet(money_kopecks=money)
        arrival = Arrival(user_id=user_id, outcome=outcome, side=side, is_buy=True, terms=arriving)
        decision = decide(market_maker, book, arrival)
        shares = decision.shares
    if shares < 1:
        raise AmountTooSmall
    after = market_maker.traded(outcome, side, shares) if decision is None else decision.after
    _check_limit(after, decision)
    too_few = terms.min_shares is not None and shares < terms.min_shares
    too_dear = terms.max_price_bps is not None and terms.stake_kopecks * BPS > terms.max_price_bps * shares
    if too_few or too_dear:
        raise Slippage(shares=shares)
    return PricedOrder(
        money_kopecks=terms.stake_kopecks, fee_kopecks=fee, shares=shares, after=after, decision=decision
    )


def price_sale(
    market_maker: Lmsr,
    *,
    outcome: int,
    side: Side,
    shares: int,
    min_payout_kopecks: int | None = None,
    book: Book | None = None,
    user_id: int = NOBODY,
) -> PricedOrder:
    """Price a sale; raises `AmountTooSmall`, `MarketLimit` or `Slippage`, in this order. `book` as of a buy."""
    decision = None
    if book is None:
        payout = market_maker.sale_payout_kopecks(outcome, side, shares)
    else:
        arriving = ArrivingSale(shares=shares)
        arrival = Arrival(user_id=user_id, outcome=outcome, side=side, is_buy=False, terms=arriving)
        decision = decide(market_maker, book, arrival)
        payout = decision.money_kopecks
    if payout < 1:
        raise AmountTooSmall
    after = market_maker.traded(outcome, side, -shares) if decision is None else decision.after
    _check_limit(after, decision)
    if min_payout_kopecks is not None and payout < min_payout_kopecks:
        raise Slippage(payout_kopecks=payout)
    return PricedOrder(money_kopecks=payout, fee_kopecks=0, shares=shares, after=after, decision=decision)


def price_limit(
    market_maker: Lmsr,
    *,
    outcome: int,
    side: Side,
    margin: float,
    terms: LimitTerms,
    book: Book,
    user_id: int = NOBODY,
    order_id: int,
) -> PricedOrder:
    """Price what a limit order takes on arrival; raises `WouldTrade`, `Unfilled` or `MarketLimit`, in this order."""
    price_percent = terms.price_bps // PERCENT_BPS
    arriving = ArrivingLimit(
        shares=terms.shares,
        level_percent=price_percent if side == Side.YES else 100 - price_percent,
        rests=terms.rests,
    )
    arrival = Arrival(
        order_id=order_id, user_id=user_id, outcome=outcome, side=side, is_buy=terms.is_buy, terms=arriving
    )
    decision = decide(market_maker, book, arrival)
    if terms.post_only and decision.shares:
        raise WouldTrade
    if terms.time_in_force == "fok" and decision.rest_shares:
        raise Unfilled(shares=decision.shares)
    if not decision.shares and (decision.is_capped or not terms.rests):
        raise Unfilled(shares=0)
    if decision.exceeds_limit:
        raise MarketLimit
    fee = fee_on_top_kopecks(cost_kopecks=decision.money_kopecks, margin=margin) if terms.is_buy else 0
    return PricedOrder(
        money_kopecks=decision.money_kopecks + fee,
        fee_kopecks=fee,
        shares=decision.shares,
        after=decision.after,
        decision=decision,
    )


def _check_limit(after: Lmsr, decision: MatchDecision | None) -> None:
    if not after.within_limit() if decision is None else decision.exceeds_limit:
        raise MarketLimit
