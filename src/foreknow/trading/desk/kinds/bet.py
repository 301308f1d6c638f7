"""A bet: spend a stake on as many shares of one side as it covers."""

from __future__ import annotations

from foreknow.money.pricing import Lmsr, Side, fee_kopecks
from foreknow.trading.book import Arrival, ArrivingBet, Book, decide
from foreknow.trading.desk.checks import NO_ONE, PricedOrder, check_limit, check_order, find_pool
from foreknow.trading.desk.errors import AmountTooSmall, Slippage
from foreknow.trading.desk.floor import Floor, OrderKind
from foreknow.trading.desk.orders import Fill

BPS = 10_000


class Buy(OrderKind, frozen=True, kw_only=True, gc=False):
    """Spend `stake_kopecks`, fee included, on as many whole shares as it covers."""

    stake_kopecks: int
    min_shares: int | None = None
    max_price_bps: int | None = None

    def execute(self, floor: Floor) -> Fill:
        """Buy, or raise the error that refuses it."""
        pool, outcome = find_pool(self, floor.state)
        check_order(self, pool, floor.state)
        trader = floor.state.trader(self)
        priced = price_bet(
            pool.market_maker,
            outcome=outcome,
            side=self.side,
            margin=pool.row.margin,
            stake_kopecks=self.stake_kopecks,
            book=pool.book,
            user_id=NO_ONE if trader is None else trader.user_id,
        )
        self._check_slippage(priced.shares)
        floor.check_purchase(self, pool, priced, trader)
        return floor.fill(self, pool, outcome, priced, trader or floor.create_sub_account(self), is_buy=True)

    def _check_slippage(self, shares: int) -> None:
        too_few = self.min_shares is not None and shares < self.min_shares
        too_dear = self.max_price_bps is not None and self.stake_kopecks * BPS > self.max_price_bps * shares
        if too_few or too_dear:
            raise Slippage(shares=shares)


def price_bet(
    market_maker: Lmsr,
    *,
    outcome: int,
    side: Side,
    margin: float,
    stake_kopecks: int,
    book: Book | None = None,
    user_id: int = NO_ONE,
) -> PricedOrder:
    """Price a bet; raises `AmountTooSmall` or `MarketLimit`, in this order.

    `book`: the orders that rest beside the market maker, None for none; those of `user_id` are not met.
    """
    fee = fee_kopecks(stake_kopecks=stake_kopecks, margin=margin)
    money = stake_kopecks - fee
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
    check_limit(after, decision)
    return PricedOrder(money_kopecks=stake_kopecks, fee_kopecks=fee, shares=shares, after=after, decision=decision)
