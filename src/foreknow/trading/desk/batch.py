"""One batch of orders in one transaction: lock, execute each in arrival order, write everything in bulk."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import DomainError, InsufficientFunds, InvalidPartnerKey, Unauthorized
from foreknow.market.pools.errors import MarketNotFound
from foreknow.money import stats
from foreknow.money.ledger import (
    AccountKind,
    IdempotencyRecord,
    LedgerTransaction,
    ScopedKey,
    Transfer,
    TransferKind,
    store_idempotency_records,
)
from foreknow.people.users.sub_accounts import NewSubAccount, SubAccount, insert_sub_accounts
from foreknow.platform.db.changes import Writes
from foreknow.platform.db.transactions import Locked, WriteTx
from foreknow.trading.desk import store
from foreknow.trading.desk.errors import InsufficientFloat, InsufficientShares, OwnEvent
from foreknow.trading.desk.execution import PricedOrder, price_buy, price_sale
from foreknow.trading.desk.id_cache import IdCache, PartnerFloat
from foreknow.trading.desk.kept_rows import KeptRows, still_true
from foreknow.trading.desk.locks import LockedState, ids_of, lock, read_locked, sub_account_name
from foreknow.trading.desk.orders import Buy, Order, Sell
from foreknow.trading.desk.results import (
    CREATED,
    DuplicateOrder,
    Execution,
    ExecutionResult,
    OrderResponse,
    TradedPool,
    outcome_of,
)
from foreknow.trading.positions.store import OpenPosition

#: The table of pools, as `Locked` names it.
POOLS = "pools"
_encode = msgspec.json.Encoder().encode


class Batch:
    """Orders executed in one transaction. `run` starts afresh when the transaction is retried."""

    def __init__(
        self, orders: Sequence[Order], known: IdCache, *, kept: KeptRows | None = None, skips_locked: bool = False
    ) -> None:
        """`orders` are in arrival order; `known` is read only, `kept` is the batch's from now on.

        `skips_locked` (on PostgreSQL): orders of pools that another transaction has locked get `Locked`, the others are
        executed.
        """
        self._orders = orders
        self._skips_locked = skips_locked
        self._known = known
        #: Ids found by the last run, for the cache after its commit.
        self.found = IdCache()
        self._kept = kept
        #: What the last run has left, for the next batch after its commit.
        self.kept: KeptRows | None = None
        #: Pools of the last run's orders.
        self.pool_ids: Collection[int] = ()

    def run(self, tx: WriteTx) -> list[OrderResponse]:
        """Execute every order, write the results, and return each order's outcome."""
        with LedgerTransaction(tx) as ledger_tx:
            kept, self._kept, self.kept = still_true(self._kept, tx), None, None
            ids = ids_of(tx, self._orders, self._known)
            lock(tx, self._orders, ids, skips_locked=self._skips_locked)
            state = read_locked(
                tx, self._orders, ids, self._known, ledger_tx, kept=kept, skips_locked=self._skips_locked
            )
            self.found, self.pool_ids = state.ids, state.pools.keys()
            processor = OrderProcessor(state, ledger_tx)
            results = [processor.process(order) for order in self._orders]
            executions = [result for result in results if isinstance(result, Execution)]
            if executions:
                processor.check_escrows(executions)
                store.number_trades(executions, state.ahead, ledger_tx)
                for execution in executions:
                    execution.body = _encode(execution.order.receipt(execution.fill()))
                self._write(tx, executions, processor, ledger_tx)
            self.kept = kept.after(tx, ledger_tx, executions, state.ahead)
        return [outcome_of(result) for result in results]

    def _write(
        self, tx: WriteTx, executions: Sequence[Execution], processor: OrderProcessor, ledger_tx: LedgerTransaction
    ) -> None:
        state = processor.state
        trades = store.trade_stats(executions)
        newest = stats.newest_days(trades)
        uncounted = stats.not_counted(newest, self._known.counted)
        state.read_last_days(tx, uncounted.keys() - {created.id for created in processor.new_sub_accounts})
        with Writes(tx) as writes:
            ledger_tx.write_new_accounts(writes)
            insert_sub_accounts(writes, processor.new_sub_accounts)
            store.write_batch(writes, executions, ledger_tx, state.ahead, at_ms=state.now_ms)
            store_idempotency_records(writes, processor.new_records(), at_ms=state.now_ms)
            # Last: transactions of other pools lock these rows too.
            stats.write_trades(writes, trades, uncounted=uncounted, last_days=state.last_days)
        self.found.counted = newest


class OrderProcessor:
    """Executes orders one by one, in memory, on locked rows."""

    def __init__(self, state: LockedState, ledger_tx: LedgerTransaction) -> None:
        """`ledger_tx` holds the locks of the accounts of `state`."""
        self.state = state
        #: Sub-accounts of executed orders that are not written yet.
        self.new_sub_accounts: list[NewSubAccount] = []
        self._ledger_tx = ledger_tx
        self._executed: dict[ScopedKey, Execution] = {}

    def process(self, order: Order) -> ExecutionResult:
        """Execute an order, or return the error that prevents it."""
        place = self.state.ids.markets.get(order.market_id)
        if place is not None and place.pool_id in self.state.skipped_pool_ids:
            return Locked(table=POOLS)
        try:
            self._check_credentials(order.caller)
            key = order.idempotency_key
            if key is not None and key.scoped in self.state.records:
                return self.state.records[key.scoped].replay_for(key.fingerprint)
            if key is not None and key.scoped in self._executed:
                return DuplicateOrder(self._executed[key.scoped].for_request(key.fingerprint))
            execution = self._execute(order)
        except DomainError as error:
            return error
        if key is not None:
            self._executed[key.scoped] = execution
        return execution

    def new_records(self) -> dict[ScopedKey, IdempotencyRecord]:
        """Return the idempotency records of the executed orders."""
        return {
            key: IdempotencyRecord(_fingerprint(execution), CREATED, execution.body)
            for key, execution in self._executed.items()
        }

    def check_escrows(self, executions: Sequence[Execution]) -> None:
        """Raise `InsolventPool` if the escrow of a traded pool cannot pay its worst outcome: no order can cause it."""
        for pool in {id(execution.pool): execution.pool for execution in executions}.values():
            escrow_kopecks = self._ledger_tx.balance_kopecks(pool.row.escrow_account_id)
            if escrow_kopecks < pool.market_maker.liabilities_kopecks():
                raise InsolventPool(pool.row.id)

    def _check_credentials(self, caller: UserCaller | PartnerCaller) -> None:
        if isinstance(caller, UserCaller):
            if caller.session_id not in self.state.live_session_ids:
                raise Unauthorized
        elif caller.key_id not in self.state.live_key_ids:
            raise InvalidPartnerKey

    def _execute(self, order: Order) -> Execution:
        ids = self.state.ids
        if order.market_id not in ids.markets:
            raise MarketNotFound
        place = ids.markets[order.market_id]
        pool, outcome = self.state.pools[place.pool_id], place.outcome_index
        visitor = order.caller if isinstance(order.caller, UserCaller) else None
        if not is_visible_to(visitor, pool.row):
            raise MarketNotFound
        if order.not_by_creator and visitor is not None and visitor.user_id == pool.row.creator_id:
            raise OwnEvent
        error = pool.row.trading_error(self.state.now_ms)
        if error is not None:
            raise error
        terms = order.terms
        if isinstance(terms, Buy):
            execution = self._buy(order, terms, pool, outcome)
        else:
            execution = self._sell(order, terms, pool, outcome)
        execution.probability_before = pool.probabilities[outcome]
        pool.market_maker = execution.priced.after
        pool.probabilities = pool.market_maker.probabilities()
        execution.probability_after = pool.probabilities[outcome]
        pool.points.append((pool.at_ms, pool.probabilities))
        volume = pool.volume_kopecks
        volume[order.market_id] = volume.get(order.market_id, 0) + execution.priced.money_kopecks
        return execution

    def _buy(self, order: Order, terms: Buy, pool: TradedPool, outcome: int) -> Execution:
        priced = price_buy(pool.market_maker, outcome=outcome, side=order.side, margin=pool.row.margin, terms=terms)
        stake, fee = priced.money_kopecks, priced.fee_kopecks
        trader, partner = self.state.trader(order), self.state.partner(order)
        balance = self._ledger_tx.balance_kopecks(trader.account_id) if trader else 0
        from_float = max(0, stake - balance) if partner else 0
        if partner is None and stake > balance:
            raise InsufficientFunds(required=stake, available=balance)
        if partner and from_float > (in_float := self._ledger_tx.balance_kopecks(partner.account_id)):
            raise InsufficientFloat(required=from_float, available=in_float)
        self._ledger_tx.check_balance_limit(pool.row.escrow_account_id, stake - fee)
        self._ledger_tx.check_balance_limit(pool.row.fees_account_id, fee)
        if trader is None:
            trader = self._create_sub_account(order)
        transfers = []
        if partner and from_float:
            transfers.append(self._transfer(TransferKind.FUNDING, partner.account_id, trader.account_id, from_float))
        transfers.append(self._transfer(TransferKind.BET, trader.account_id, pool.row.escrow_account_id, stake - fee))
        if fee:
            transfers.append(self._transfer(TransferKind.FEE, trader.account_id, pool.row.fees_account_id, fee))
        position = self._position(order, trader, pool)
        position.buy(shares=priced.shares, stake_kopecks=stake)
        change = (-from_float, from_float - stake) if partner else (0, 0)
        return self._execution(
            order,
            pool,
            position=position,
            trader=trader,
            partner=partner,
            priced=priced,
            transfers=transfers,
            statement=change,
        )

    def _sell(self, order: Order, terms: Sell, pool: TradedPool, outcome: int) -> Execution:
        positions, trader = self.state.positions, self.state.trader(order)
        position = positions.get((trader.user_id, order.market_id, order.side.value)) if trader else None
        held = position.shares if position else 0
        shares = held if terms.shares is None else terms.shares
        if trader is None or position is None or not 1 <= shares <= held:
            raise InsufficientShares(required=max(shares, 1), available=held)
        priced = price_sale(
            pool.market_maker,
            outcome=outcome,
            side=order.side,
            shares=shares,
            min_payout_kopecks=terms.min_payout_kopecks,
        )
        payout = self._transfer(TransferKind.SALE, pool.row.escrow_account_id, trader.account_id, priced.money_kopecks)
        pnl = position.sell(shares=shares, payout_kopecks=priced.money_kopecks, at_ms=pool.at_ms)
        if position.closed_at_ms is not None:
            del positions[position.key]
        change = (0, priced.money_kopecks) if isinstance(order.caller, PartnerCaller) else (0, 0)
        return self._execution(
            order,
            pool,
            position=position,
            trader=trader,
            partner=self.state.partner(order),
            priced=priced,
            transfers=[payout],
            statement=change,
            pnl_kopecks=pnl,
            closes=position.closed_at_ms is not None,
        )

    def _execution(
        self,
        order: Order,
        pool: TradedPool,
        *,
        position: OpenPosition,
        trader: SubAccount,
        partner: PartnerFloat | None,
        priced: PricedOrder,
        transfers: list[Transfer],
        statement: tuple[int, int],
        pnl_kopecks: int = 0,
        closes: bool = False,
    ) -> Execution:
        return Execution(
            order=order,
            pool=pool,
            position=position,
            user_id=trader.user_id,
            priced=priced,
            probability_before=0.0,
            probability_after=0.0,
            balance_kopecks=self._ledger_tx.balance_kopecks(trader.account_id),
            float_balance_kopecks=self._ledger_tx.balance_kopecks(partner.account_id) if partner else 0,
            pnl_kopecks=pnl_kopecks,
            closes=closes,
            account_id=trader.account_id,
            statement_kopecks=statement,
            transfers=transfers,
        )

    def _create_sub_account(self, order: Order) -> SubAccount:
        """Create the sub-account of an order that is about to be executed."""
        name = sub_account_name(order)
        assert name is not None
        partner = self.state.ids.partners[name[0]]
        account_id, user_id = self.state.new_account_ids.pop(), self.state.new_user_ids.pop()
        self._ledger_tx.open(account_id, kind=AccountKind.USER, owner_id=user_id)
        self.new_sub_accounts.append(
            NewSubAccount(
                id=user_id,
                name=partner.name,
                partner_id=name[0],
                external_user_id=name[1],
                account_id=account_id,
                created_at_ms=self.state.now_ms,
            )
        )
        created = self.state.ids.sub_accounts[name] = SubAccount(user_id, account_id)
        return created

    def _position(self, order: Order, trader: SubAccount, pool: TradedPool) -> OpenPosition:
        """Return the open position of a buy, a new one if there is none."""
        key = (trader.user_id, order.market_id, order.side._value_)
        position = self.state.positions.get(key)
        if position is None:
            position = self.state.positions[key] = OpenPosition(
                user_id=trader.user_id,
                market_id=order.market_id,
                pool_id=pool.row.id,
                event_id=pool.row.event_id,
                side=order.side._value_,
                opened_at_ms=pool.at_ms,
            )
        return position

    def _transfer(self, kind: TransferKind, source: int, target: int, amount_kopecks: int) -> Transfer:
        return self._ledger_tx.transfer(
            Transfer(kind=kind, source=source, target=target, amount_kopecks=amount_kopecks)
        )


class InsolventPool(Exception):
    """A pool's escrow would not cover an outcome; nothing of the batch is written."""


def _fingerprint(execution: Execution) -> str:
    assert execution.order.idempotency_key is not None
    return execution.order.idempotency_key.fingerprint
