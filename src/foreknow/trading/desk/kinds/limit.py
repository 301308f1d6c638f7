"""A limit order: buy or sell at a price or better; what is not filled at once may rest."""

from __future__ import annotations

import msgspec

from foreknow.kernel.validation.fields import wrong_field
from foreknow.money.pricing import Lmsr, Side, fee_on_top_kopecks
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.book import Arrival, ArrivingLimit, Book, MatchDecision, decide
from foreknow.trading.desk.checks import PricedOrder, check_order, find_pool
from foreknow.trading.desk.errors import MarketLimit
from foreknow.trading.desk.floor import Floor, OrderKind
from foreknow.trading.desk.id_cache import MarketPlace
from foreknow.trading.desk.made import TradedPool
from foreknow.trading.desk.orders import Placement
from foreknow.trading.desk.state import Needs
from foreknow.trading.limit_orders.order import (
    PERCENT_BPS,
    LimitOrderRow,
    TimeInForce,
    TooManyOrders,
    Unfilled,
    WouldTrade,
)
from foreknow.trading.limit_orders.store import OPEN_MAX


class PlaceLimit(OrderKind, frozen=True, kw_only=True, gc=False):
    """Buy or sell `shares`, whole lots, at a price of `price_bps` of the side or better."""

    is_buy: bool
    shares: int
    price_bps: int
    time_in_force: TimeInForce = "gtc"
    post_only: bool = False
    expires_at_ms: int | None = None

    @property
    def rests(self) -> bool:
        """Whether what is not filled at once rests."""
        return self.time_in_force == "gtc"

    def need(self, needs: Needs, place: MarketPlace, trader: SubAccount | None) -> None:
        """Need an id, the account of the pool's orders, and how many of the trader's are open there."""
        needs.trade(self, place, trader)
        needs.placing_ids.add(place.pool_id)
        needs.limit_orders += 1
        if trader is not None:
            needs.resting_traders.add((trader.user_id, place.pool_id))
            if not self.is_buy:
                needs.seller_ids.add(trader.user_id)

    def execute(self, floor: Floor) -> Placement:
        """Fill what can be filled, let the rest rest or end; or raise the error that refuses it."""
        state = floor.state
        if self.expires_at_ms is not None and self.expires_at_ms <= state.now_ms:
            raise wrong_field("expires_at", "must be later than now")
        pool, outcome = find_pool(self, state)
        check_order(self, pool, state)
        trader = state.trader(self) if self.is_buy else floor.seller(self, self.shares)[0]
        # A sub-account that is not there yet has its id already: what rests in the book is known by it as its owner's.
        user_id = trader.user_id if trader else state.new_user_ids[-1]
        if self.rests and state.open_orders.get((user_id, pool.row.id), 0) >= OPEN_MAX:
            raise TooManyOrders
        assert pool.resting is not None
        order_id = state.new_order_ids[0]
        priced = self.price(
            pool.market_maker, pool.resting.book, outcome, margin=pool.row.margin, user_id=user_id, order_id=order_id
        )
        row = self._row(pool, priced, user_id, order_id)
        if self.is_buy:
            floor.check_purchase(self, pool, priced, trader, hold_kopecks=row.hold_kopecks)
        elif trader is not None:
            floor.ledger_tx.check_balance_limit(trader.account_id, priced.money_kopecks)
        trader = trader or floor.create_sub_account(self)
        row.user_id = trader.user_id
        del state.new_order_ids[0]
        before = pool.probabilities[outcome]
        trade, fills = floor.take(self, pool, outcome, priced, trader, is_buy=self.is_buy, row=row)
        balance_kopecks, float_balance_kopecks = floor.balances(self, trader)
        return Placement(
            pool=pool,
            user_id=trader.user_id,
            balance_kopecks=balance_kopecks,
            float_balance_kopecks=float_balance_kopecks,
            trade=trade,
            fills=fills,
            row=msgspec.structs.replace(row),
            probability_before=before,
            probability_after=pool.probabilities[outcome],
        )

    def price(
        self, market_maker: Lmsr, book: Book, outcome: int, *, margin: float, user_id: int, order_id: int
    ) -> PricedOrder:
        """Price what it takes on arrival; raises `WouldTrade`, `Unfilled` or `MarketLimit`, in this order."""
        price_percent = self.price_bps // PERCENT_BPS
        arriving = ArrivingLimit(
            shares=self.shares,
            level_percent=price_percent if self.side == Side.YES else 100 - price_percent,
            rests=self.rests,
        )
        arrival = Arrival(
            order_id=order_id, user_id=user_id, outcome=outcome, side=self.side, is_buy=self.is_buy, terms=arriving
        )
        decision = decide(market_maker, book, arrival)
        self._check_decision(decision)
        fee = fee_on_top_kopecks(cost_kopecks=decision.money_kopecks, margin=margin) if self.is_buy else 0
        return PricedOrder(
            money_kopecks=decision.money_kopecks + fee,
            fee_kopecks=fee,
            shares=decision.shares,
            after=decision.after,
            decision=decision,
        )

    def _check_decision(self, decision: MatchDecision) -> None:
        if self.post_only and decision.shares:
            raise WouldTrade
        if self.time_in_force == "fok" and decision.rest_shares:
            raise Unfilled(shares=decision.shares)
        if not decision.shares and (decision.is_capped or not self.rests):
            raise Unfilled(shares=0)
        if decision.exceeds_limit:
            raise MarketLimit

    def _row(self, pool: TradedPool, priced: PricedOrder, user_id: int, order_id: int) -> LimitOrderRow:
        decision = priced.decision
        assert decision is not None
        row = LimitOrderRow(
            id=order_id,
            pool_id=pool.row.id,
            market_id=self.market_id,
            user_id=user_id,
            partner_id=self.partner_id,
            external_user_id=self.external_user_id,
            action="buy" if self.is_buy else "sell",
            side=self.side._value_,
            price_bps=self.price_bps,
            shares=self.shares,
            filled_shares=priced.shares,
            time_in_force=self.time_in_force,
            post_only=self.post_only,
            expires_at_ms=self.expires_at_ms,
            amount_kopecks=priced.money_kopecks,
            fee_kopecks=priced.fee_kopecks,
            created_at_ms=pool.at_ms,
            updated_at_ms=pool.at_ms,
        )
        if not decision.rest_shares:
            row.status = "filled"
        elif decision.is_capped:
            row.end("cancelled", "fill_limit", at_ms=pool.at_ms)
        elif not self.rests:
            row.end("cancelled", "ioc", at_ms=pool.at_ms)
        return row
