"""One batch of orders in one transaction: lock, execute each in arrival order, write everything in bulk."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from foreknow.money import stats
from foreknow.money.ledger import LedgerTransaction, store_idempotency_records
from foreknow.people.users.sub_accounts import insert_sub_accounts
from foreknow.platform.db.changes import Writes
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk import store
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.kept_rows import KeptRows, still_true
from foreknow.trading.desk.locks import ids_of, lock, needed_by, read_locked
from foreknow.trading.desk.orders import Order
from foreknow.trading.desk.processor import OrderProcessor
from foreknow.trading.desk.resting_reads import TRADES_MAX
from foreknow.trading.desk.results import Execution, ExecutionResult, MadeTrade, OrderResponse, PutOff, outcome_of
from foreknow.trading.desk.turns import find_unturned

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
        #: Whether the last run has left anything to be done for owners of resting orders.
        self.owes = False

    def run(self, tx: WriteTx) -> list[OrderResponse]:
        """Execute every order, write the results, and return each order's outcome."""
        with LedgerTransaction(tx) as ledger_tx:
            kept, self._kept, self.kept = still_true(self._kept, tx), None, None
            ids = ids_of(tx, self._orders, self._known)
            wanted = needed_by(self._orders, ids)
            lock(tx, wanted, skips_locked=self._skips_locked)
            state = read_locked(
                tx, self._orders, wanted, self._known, ledger_tx, kept=kept, skips_locked=self._skips_locked
            )
            self.found, self.pool_ids = state.ids, state.pools.keys()
            find_unturned(tx, state)
            processor = OrderProcessor(state, ledger_tx)
            results: list[ExecutionResult] = [
                processor.process(order) if processor.trades < TRADES_MAX else PutOff() for order in self._orders
            ]
            executions = [result for result in results if isinstance(result, Execution)]
            trades: list[MadeTrade] = []
            self.owes = processor.resting.owes
            if executions or not processor.resting.is_empty:
                processor.check_escrows(executions)
                trades = store.number_trades(tx, executions, state.ahead, ledger_tx)
                for execution in executions:
                    execution.body = _encode(execution.order.receipt(execution.fill()))
                self._write(tx, trades, processor, ledger_tx)
            self.kept = kept.after(tx, ledger_tx, trades, state.ahead)
        return [outcome_of(result) for result in results]

    def _write(
        self, tx: WriteTx, trades: Sequence[MadeTrade], processor: OrderProcessor, ledger_tx: LedgerTransaction
    ) -> None:
        state = processor.state
        figures = store.trade_stats(trades)
        # Owners of resting orders are counted later, under the lock of their account.
        newest = stats.newest_days(
            figures if processor.resting.is_empty else store.trade_stats([one for one in trades if not one.is_maker])
        )
        uncounted = stats.not_counted(newest, self._known.counted)
        state.read_last_days(tx, uncounted.keys() - {created.id for created in processor.new_sub_accounts})
        store.number_positions(tx, trades, state.ahead)
        with Writes(tx) as writes:
            ledger_tx.write_new_accounts(writes)
            insert_sub_accounts(writes, processor.new_sub_accounts)
            store.write_batch(writes, trades, ledger_tx, state.ahead, processor.resting, at_ms=state.now_ms)
            store_idempotency_records(writes, processor.new_records(), at_ms=state.now_ms)
            # Last: transactions of other pools lock these rows too.
            stats.write_trades(writes, figures, uncounted=uncounted, last_days=state.last_days)
        self.found.counted = newest
