"""Executes orders one by one, in memory, on the locked rows of a batch."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import BadRequest, DomainError, InvalidPartnerKey, Unauthorized
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.errors import MarketNotFound
from foreknow.market.pools.store import PricedPool
from foreknow.money.ledger import IdempotencyRecord, LedgerTransaction, ScopedKey
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import NewSubAccount, SubAccount
from foreknow.platform.db.transactions import Locked
from foreknow.trading.book import Book
from foreknow.trading.desk.arrivals import Arrivals
from foreknow.trading.desk.baskets import Baskets
from foreknow.trading.desk.errors import NO_OF_OTHER, InsufficientShares, OutcomesChanged, OwnEvent, Unended, Unturned
from foreknow.trading.desk.execution import NO_ONE, PricedOrder, price_buy, price_limit, price_sale
from foreknow.trading.desk.fills import RestingChanges, count_fills
from foreknow.trading.desk.orders import (
    BasketChanges,
    BasketStake,
    Buy,
    CancelTerms,
    LimitTerms,
    Order,
    OrderCancellation,
    OrderTerms,
    Sell,
)
from foreknow.trading.desk.results import (
    CREATED,
    CancelledRows,
    DuplicateOrder,
    Execution,
    ExecutionResult,
    MadeTrade,
    TradedPool,
)
from foreknow.trading.desk.state import LockedState
from foreknow.trading.limit_orders.errors import TooManyOrders
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.status import OrderEnd, end_of
from foreknow.trading.limit_orders.store import OPEN_MAX

#: The table of pools, as `Locked` names it.
POOLS = "pools"
_encode = msgspec.json.Encoder().encode


class OrderProcessor:
    """Executes orders one by one, in memory, on locked rows."""

    def __init__(self, state: LockedState, ledger_tx: LedgerTransaction) -> None:
        """`ledger_tx` holds the locks of the accounts of `state`."""
        self.state = state
        self.resting = RestingChanges(state, ledger_tx)
        self._arrivals = Arrivals(state, ledger_tx, self.resting.lines)
        self._baskets = Baskets(state, ledger_tx, self._arrivals, self.resting)
        #: Trades so far, those in many markets several times.
        self.trades = 0
        self.ledger_tx = ledger_tx
        self._executed: dict[ScopedKey, Execution] = {}

    def process(self, order: Order) -> ExecutionResult:
        """Execute an order, or return the error that prevents it."""
        place = self.state.ids.markets.get(order.market_id)
        if place is not None and place.pool_id in self.state.skipped_pool_ids:
            return Locked(table=POOLS)
        try:
            self._check_credentials(order.caller)
            # Buys first here and below: whether something is of any other class takes Python longer to say.
            if not isinstance(order.terms, Buy) and isinstance(order.terms, CancelTerms):
                return self._cancel(order, order.terms)
            key = order.idempotency_key
            if key is not None and key.scoped in self.state.records:
                return self.state.records[key.scoped].replay_for(key.fingerprint)
            if key is not None and key.scoped in self._executed:
                return DuplicateOrder(self._executed[key.scoped].for_request(key.fingerprint))
            if self.state.unturned:
                self._check_turned(order)
            execution = self._execute(order)
        except DomainError as error:
            return error
        if key is not None:
            self._executed[key.scoped] = execution
        self.trades += execution.weight
        return execution

    @property
    def new_sub_accounts(self) -> list[NewSubAccount]:
        """Sub-accounts of executed orders that are not written yet."""
        return self._arrivals.new_sub_accounts

    def new_records(self) -> dict[ScopedKey, IdempotencyRecord]:
        """Return the idempotency records of the executed orders."""
        return {
            key: IdempotencyRecord(_fingerprint(execution), CREATED, execution.body)
            for key, execution in self._executed.items()
        }

    def check_escrows(self, executions: Sequence[Execution]) -> None:
        """Raise `InsolventPool` if the escrow of a traded pool cannot pay its worst outcome: no order can cause it."""
        for pool in {id(execution.pool): execution.pool for execution in executions}.values():
            escrow_kopecks = self.ledger_tx.balance_kopecks(pool.row.escrow_account_id)
            if escrow_kopecks < pool.market_maker.liabilities_kopecks():
                raise InsolventPool(pool.row.id)

    def _check_credentials(self, caller: UserCaller | PartnerCaller) -> None:
        if isinstance(caller, UserCaller):
            if caller.session_id not in self.state.live_session_ids:
                raise Unauthorized
        elif caller.key_id not in self.state.live_key_ids:
            raise InvalidPartnerKey

    def _check_turned(self, order: Order) -> None:
        """Raise `Unturned` where the trader's position of Other is still to be turned after a split."""
        place, trader = self.state.ids.markets.get(order.market_id), self.state.trader(order)
        if place is not None and trader is not None and (trader.user_id, place.pool_id) in self.state.unturned:
            raise Unturned(place.pool_id, trader.user_id)

    def _execute(self, order: Order) -> Execution:
        ids, terms = self.state.ids, order.terms
        if not isinstance(terms, Buy):
            self._check_expiry(terms)
        if order.market_id not in ids.markets:
            raise MarketNotFound
        place = ids.markets[order.market_id]
        pool, outcome = self.state.pools[place.pool_id], place.outcome_index
        visitor = order.caller if isinstance(order.caller, UserCaller) else None
        if not is_visible_to(visitor, pool.row):
            raise MarketNotFound
        if order.side == Side.NO and outcome == pool.row.other_index:
            raise BadRequest(NO_OF_OTHER)
        if not isinstance(terms, Buy) and isinstance(terms, (BasketStake, BasketChanges)):
            self._baskets.check_markets(terms, pool, visitor)
        self._check_tradable(order, pool.row, visitor)
        probability_before = pool.probabilities[outcome]
        if isinstance(terms, Buy):
            execution = self._buy(order, terms, pool, outcome)
        elif isinstance(terms, Sell):
            execution = self._sell(order, terms, pool, outcome)
        elif isinstance(terms, (BasketStake, BasketChanges)):
            return self._baskets.execute(order, terms, pool)
        else:
            assert isinstance(terms, LimitTerms)
            execution = self._place(order, terms, pool, outcome)
        execution.probability_before = probability_before
        execution.probability_after = pool.probabilities[outcome]
        if execution.trade is not None:
            execution.trade.probability_before = probability_before
            execution.trade.probability_after = execution.probability_after
        return execution

    def _check_tradable(self, order: Order, pool: PricedPool, visitor: UserCaller | None) -> None:
        """Raise the error of an order in a pool that cannot be traded now, or not by this caller."""
        if order.not_by_creator and visitor is not None and visitor.user_id == pool.creator_id:
            raise OwnEvent
        error = pool.trading_error(self.state.now_ms)
        if error is not None:
            raise error
        if order.outcomes is not None and order.outcomes != len(pool.markets):
            raise OutcomesChanged

    def _check_expiry(self, terms: OrderTerms) -> None:
        expires_at_ms = terms.expires_at_ms if isinstance(terms, LimitTerms) else None
        if expires_at_ms is not None and expires_at_ms <= self.state.now_ms:
            raise wrong_field("expires_at", "must be later than now")

    def _buy(self, order: Order, terms: Buy, pool: TradedPool, outcome: int) -> Execution:
        trader = self.state.trader(order)
        priced = price_buy(
            pool.market_maker,
            outcome=outcome,
            side=order.side,
            margin=pool.row.margin,
            terms=terms,
            book=_book(pool),
            user_id=trader.user_id if trader else NO_ONE,
        )
        if priced.decision is None:
            self._arrivals.check_money(order, pool, priced, trader, required_kopecks=priced.money_kopecks)
        else:
            self._check_money(order, pool, priced, trader, hold_kopecks=0)
        return self._trade(order, pool, priced, trader or self._arrivals.create_sub_account(order), is_buy=True)

    def _sell(self, order: Order, terms: Sell, pool: TradedPool, outcome: int) -> Execution:
        trader = self.state.trader(order)
        trader, shares = self._seller(order, trader, terms.shares)
        priced = price_sale(
            pool.market_maker,
            outcome=outcome,
            side=order.side,
            shares=shares,
            min_payout_kopecks=terms.min_payout_kopecks,
            book=_book(pool),
            user_id=trader.user_id,
        )
        self.ledger_tx.check_balance_limit(trader.account_id, priced.money_kopecks)
        return self._trade(order, pool, priced, trader, is_buy=False)

    def _place(self, order: Order, terms: LimitTerms, pool: TradedPool, outcome: int) -> Execution:
        trader = self.state.trader(order)
        if not terms.is_buy:
            trader, _ = self._seller(order, trader, terms.shares)
        # A sub-account that is not there yet has its id already: what rests in the book is known by it as its owner's.
        user_id = trader.user_id if trader else self.state.new_user_ids[-1]
        if terms.rests and self.state.open_orders.get((user_id, pool.row.id), 0) >= OPEN_MAX:
            raise TooManyOrders
        assert pool.resting is not None
        priced = price_limit(
            pool.market_maker,
            outcome=outcome,
            side=order.side,
            margin=pool.row.margin,
            terms=terms,
            book=pool.resting.book,
            user_id=user_id,
            order_id=self.state.new_order_ids[0],
        )
        row = self._new_row(order, terms, pool, priced, user_id)
        hold_kopecks = row.hold_kopecks
        if terms.is_buy:
            self._check_money(order, pool, priced, trader, hold_kopecks=hold_kopecks)
        elif trader is not None:
            self.ledger_tx.check_balance_limit(trader.account_id, priced.money_kopecks)
        trader = trader or self._arrivals.create_sub_account(order)
        row.user_id = trader.user_id
        del self.state.new_order_ids[0]
        return self._trade(order, pool, priced, trader, is_buy=terms.is_buy, row=row)

    def _new_row(
        self, order: Order, terms: LimitTerms, pool: TradedPool, priced: PricedOrder, user_id: int
    ) -> LimitOrderRow:
        decision = priced.decision
        assert decision is not None
        row = LimitOrderRow(
            id=self.state.new_order_ids[0],
            pool_id=pool.row.id,
            market_id=order.market_id,
            user_id=user_id,
            partner_id=order.caller.partner_id if isinstance(order.caller, PartnerCaller) else None,
            external_user_id=order.external_user_id,
            action="buy" if terms.is_buy else "sell",
            side=order.side._value_,
            price_bps=terms.price_bps,
            shares=terms.shares,
            filled_shares=priced.shares,
            time_in_force=terms.time_in_force,
            post_only=terms.post_only,
            expires_at_ms=terms.expires_at_ms,
            amount_kopecks=priced.money_kopecks,
            fee_kopecks=priced.fee_kopecks,
            created_at_ms=pool.at_ms,
            updated_at_ms=pool.at_ms,
        )
        if not decision.rest_shares:
            row.status = "filled"
        elif decision.is_capped:
            row.end("cancelled", "fill_limit", at_ms=pool.at_ms)
        elif not terms.rests:
            row.end("cancelled", "ioc", at_ms=pool.at_ms)
        return row

    def _seller(self, order: Order, trader: SubAccount | None, wanted: int | None) -> tuple[SubAccount, int]:
        """Return who sells, and how many shares (`wanted`; None: all that no resting order offers)."""
        position = None
        if trader is not None:
            position = self.state.positions.get((trader.user_id, order.market_id, order.side._value_))
        free = position.shares - position.reserved_shares if position else 0
        shares = free if wanted is None else wanted
        if trader is None or not 1 <= shares <= free:
            raise InsufficientShares(required=max(shares, 1), available=free)
        return trader, shares

    def _check_money(
        self, order: Order, pool: TradedPool, priced: PricedOrder, trader: SubAccount | None, *, hold_kopecks: int
    ) -> None:
        """Raise the error of a purchase that its trader cannot pay, with what own orders that it meets give back."""
        returned = 0 if priced.decision is None else self.resting.held_by_own(pool, priced.decision)
        self._arrivals.check_money(
            order, pool, priced, trader, required_kopecks=priced.money_kopecks + hold_kopecks, returned_kopecks=returned
        )
        if hold_kopecks and pool.orders_account_id is not None:
            # So a level's shares, of which each lot holds a kopeck or more, stay far below what 64 bits can count.
            self.ledger_tx.check_balance_limit(pool.orders_account_id, hold_kopecks - returned)

    def _trade(
        self,
        order: Order,
        pool: TradedPool,
        priced: PricedOrder,
        trader: SubAccount,
        *,
        is_buy: bool,
        row: LimitOrderRow | None = None,
    ) -> Execution:
        """Do what was decided. Nothing refuses it any more."""
        decision, resting, arrivals = priced.decision, self.resting, self._arrivals
        if decision is not None:
            resting.return_own(pool, decision, trader)
        trade = None
        if priced.shares:
            taken = arrivals.take_bet if is_buy else arrivals.take_sale
            trade = taken(order, pool, priced, trader, order_id=None if row is None else row.id)
        fills: Sequence[MadeTrade] = ()
        if decision is not None:
            fills = resting.fill(pool, decision.met)
            if trade is not None and not is_buy:
                self._arrivals.pay_sale(pool, trade, trader)
            if row is not None:
                self._arrive(order, pool, row, trader)
            fills = [*fills, *resting.fill(pool, decision.swept)]
            resting.end_others(pool, decision.cancelled)
            assert pool.resting is not None
            pool.resting.book = decision.book
        pool.move_to(priced.after)
        if trade is not None:
            pool.add_trade(order.market_id, trade.money_kopecks)
        if fills:
            count_fills(fills)
        partner = self.state.partner(order)
        return Execution(
            order=order,
            pool=pool,
            user_id=trader.user_id,
            balance_kopecks=self.ledger_tx.balance_kopecks(trader.account_id),
            float_balance_kopecks=self.ledger_tx.balance_kopecks(partner.account_id) if partner else 0,
            trade=trade,
            fills=fills,
            row=None if row is None else msgspec.structs.replace(row),
            avg_price_bps=priced.avg_price_bps if trade is not None else 0,
            is_capped=priced.is_capped,
        )

    def _arrive(self, order: Order, pool: TradedPool, row: LimitOrderRow, trader: SubAccount) -> None:
        self.resting.arrive(pool, row)
        if row.is_open:
            from_float, _ = self._arrivals.fund(order, trader, row.hold_kopecks, order_id=row.id)
            self.resting.rest(pool, row, trader, funded_kopecks=from_float)

    def _cancel(self, order: Order, terms: CancelTerms) -> CancelledRows:
        """Cancel the open ones of some orders, and pay what is owed for all of them."""
        pool = self.state.pools[self.state.ids.markets[order.market_id].pool_id]
        owners = {owner.user_id: owner for owner in terms.owners}
        if isinstance(order.caller, UserCaller):
            self._check_ended(terms, pool, order.caller.user_id)
        rows: list[LimitOrderRow] = []
        cancelled: list[LimitOrderRow] = []
        for order_id in terms.order_ids:
            if order_id not in self.state.found_orders:
                continue
            found, ends = self.state.found_orders[order_id]
            row = found.order if pool.resting is None else pool.resting.take_row(found)
            if found.position is not None and pool.resting is None:
                self.state.positions.setdefault(found.position.key, found.position)
            if row.user_id not in owners or row.pool_id != pool.row.id:
                continue
            if row.is_open:
                end = end_of(row, ends, now_ms=self.state.now_ms)
                self.resting.end(pool, row, end or OrderEnd(pool.at_ms, "cancelled", "user"))
                if end is None:
                    cancelled.append(row)
            self.resting.pay_out(pool, row, owners[row.user_id])
            rows.append(row)
        partner = self.state.partner(order)
        in_float = self.ledger_tx.balance_kopecks(partner.account_id) if partner else 0
        body = _encode(order.receipt(OrderCancellation(rows=rows, cancelled=cancelled, float_balance_kopecks=in_float)))
        return CancelledRows(pool, body)

    def _check_ended(self, terms: CancelTerms, pool: TradedPool, user_id: int) -> None:
        """Raise `Unended` where any of a user's own orders has ended with its pool, which the worker has yet to write.

        A partner's are cancelled one by one: its users get no notices.
        """
        orders = self.state.found_orders
        for found, ends in (orders[order_id] for order_id in terms.order_ids if order_id in orders):
            row = found.order if pool.resting is None else pool.resting.rows.get(found.order.id, found.order)
            end = end_of(row, ends, now_ms=self.state.now_ms)
            if end is not None and end.reason is not None and (row.user_id, row.pool_id) == (user_id, pool.row.id):
                raise Unended(pool.row.id, user_id)


class InsolventPool(Exception):
    """A pool's escrow would not cover an outcome; nothing of the batch is written."""


def _book(pool: TradedPool) -> Book | None:
    """Return the orders that an order may meet."""
    return None if pool.resting is None else pool.resting.book


def _fingerprint(execution: Execution) -> str:
    assert execution.order.idempotency_key is not None
    return execution.order.idempotency_key.fingerprint
