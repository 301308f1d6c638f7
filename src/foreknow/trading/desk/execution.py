"""Pricing of orders: pure functions, shared by orders and quotes."""

from __future__ import annotations

import msgspec

from foreknow.money.pricing import Lmsr, Side, average_price_bps, fee_kopecks
from foreknow.trading.desk.errors import AmountTooSmall, MarketLimit, Slippage
from foreknow.trading.desk.orders import Buy

BPS = 10_000


class PricedOrder(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The price of an order: `money_kopecks` is its stake or payout, `after` the market maker after it."""

    money_kopecks: int
    fee_kopecks: int
    shares: int
    after: Lmsr

    @property
    def avg_price_bps(self) -> int:
        """Basis points a share, fee included, halves to even."""
        return average_price_bps(money_kopecks=self.money_kopecks, shares=self.shares)


def price_buy(market_maker: Lmsr, *, outcome: int, side: Side, margin: float, terms: Buy) -> PricedOrder:
    """Price a buy; raises `AmountTooSmall`, `MarketLimit` or `Slippage`, in this order."""
    fee = fee_kopecks(stake_kopecks=terms.stake_kopecks, margin=margin)
    shares = market_maker.shares_bought(outcome, side, terms.stake_kopecks - fee)
    if shares < 1:
        raise AmountTooSmall
    after = market_maker.traded(outcome, side, shares)
    if not after.within_limit():
        raise MarketLimit
    too_few = terms.min_shares is not None and shares < terms.min_shares
    too_dear = terms.max_price_bps is not None and terms.stake_kopecks * BPS > terms.max_price_bps * shares
    if too_few or too_dear:
        raise Slippage(shares=shares)
    return PricedOrder(money_kopecks=terms.stake_kopecks, fee_kopecks=fee, shares=shares, after=after)


def price_sale(
    market_maker: Lmsr, *, outcome: int, side: Side, shares: int, min_payout_kopecks: int | None = None
) -> PricedOrder:
    """Price a sale; raises `AmountTooSmall`, `MarketLimit` or `Slippage`, in this order."""
    payout = market_maker.sale_payout_kopecks(outcome, side, shares)
    if payout < 1:
        raise AmountTooSmall
    after = market_maker.traded(outcome, side, -shares)
    if not after.within_limit():
        raise MarketLimit
    if min_payout_kopecks is not None and payout < min_payout_kopecks:
        raise Slippage(payout_kopecks=payout)
    return PricedOrder(money_kopecks=payout, fee_kopecks=0, shares=shares, after=after)
