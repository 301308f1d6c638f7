"""A sale: give shares of one side back for what they are worth."""

from __future__ import annotations

from foreknow.money.pricing import Lmsr, Side
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.book import Arrival, ArrivingSale, Book, decide
from foreknow.trading.desk.checks import NO_ONE, PricedOrder, check_limit, check_order, find_pool
from foreknow.trading.desk.errors import AmountTooSmall, Slippage
from foreknow.trading.desk.floor import Floor, OrderKind
from foreknow.trading.desk.id_cache import MarketPlace
from foreknow.trading.desk.orders import Fill
from foreknow.trading.desk.state import Needs


class Sell(OrderKind, frozen=True, kw_only=True, gc=False):
    """Sell `shares` (None: all that no resting order offers) for the whole kopecks they are worth."""

    shares: int | None = None
    min_payout_kopecks: int | None = None

    def need(self, needs: Needs, place: MarketPlace, trader: SubAccount | None) -> None:
        """Need the seller's last profit beside what every order does."""
        needs.trade(self, place, trader)
        if trader is not None:
            needs.seller_ids.add(trader.user_id)

    def execute(self, floor: Floor) -> Fill:
        """Sell, or raise the error that refuses it."""
        pool, outcome = find_pool(self, floor.state)
        check_order(self, pool, floor.state)
        trader, shares = floor.seller(self, self.shares)
        priced = price_sale(
            pool.market_maker,
            outcome=outcome,
            side=self.side,
            shares=shares,
            book=pool.book,
            user_id=trader.user_id,
        )
        if self.min_payout_kopecks is not None and priced.money_kopecks < self.min_payout_kopecks:
            raise Slippage(payout_kopecks=priced.money_kopecks)
        floor.ledger_tx.check_balance_limit(trader.account_id, priced.money_kopecks)
        return floor.fill(self, pool, outcome, priced, trader, is_buy=False)


def price_sale(
    market_maker: Lmsr, *, outcome: int, side: Side, shares: int, book: Book | None = None, user_id: int = NO_ONE
) -> PricedOrder:
    """Price a sale; raises `AmountTooSmall` or `MarketLimit`, in this order. `book` as of a bet."""
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
    check_limit(after, decision)
    return PricedOrder(money_kopecks=payout, fee_kopecks=0, shares=shares, after=after, decision=decision)
