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
from foreknow.trading.desk.kind import OrderKind
from foreknow.trading.desk.locks import ids_of, lock, needs_of, read_locked
from foreknow.trading.desk.made import MadeTrade
from foreknow.trading.desk.orders import Executed
from foreknow.trading.desk.processor import OrderProcessor, OrderResponse, PutOff, Result, response_of
from foreknow.trading.desk.resting_reads import TRADES_MAX

_encode = msgspec.json.Encoder().encode


class Batch:
    """Orders executed in one transaction. `run` starts afresh when the transaction is retried."""

    def __init__(
        self, orders: Sequence[OrderKind], known: IdCache, *, kept: KeptRows | None = None, skips_locked: bool = False
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
            needs = needs_of(self._orders, ids)
            lock(tx, needs, skips_locked=self._skips_locked)
            state = read_locked(
                tx, len(self._orders), needs, self._known, ledger_tx, kept=kept, skips_locked=self._skips_locked
            )
            self.found, self.pool_ids = state.ids, state.pools.keys()
            processor = OrderProcessor(state, ledger_tx)
            results: list[Result] = [
                processor.process(order) if processor.trades < TRADES_MAX else PutOff() for order in self._orders
            ]
            executed = [
                (order, one) for order, one in zip(self._orders, results, strict=True) if isinstance(one, Executed)
            ]
            trades: list[MadeTrade] = []
            resting = processor.floor.resting
            self.owes = resting.owes
            if executed or not resting.is_empty:
                processor.check_escrows(one for _, one in executed)
                trades = store.number_trades(tx, [one for _, one in executed], state.ahead, ledger_tx)
                for order, one in executed:
                    one.body = _encode(order.receipt(one))
                self._write(tx, trades, processor)
            self.kept = kept.after(tx, ledger_tx, trades, state.ahead)
        return list(map(response_of, results))

    def _write(self, tx: WriteTx, trades: Sequence[MadeTrade], processor: OrderProcessor) -> None:
        floor = processor.floor
        state, resting, ledger_tx = floor.state, floor.resting, floor.ledger_tx
        figures = store.trade_stats(trades)
        # Owners of resting orders are counted later, under the lock of their account.
        newest = stats.newest_days(
            figures if resting.is_empty else store.trade_stats([one for one in trades if not one.is_maker])
        )
        uncounted = stats.not_counted(newest, self._known.counted)
        state.read_last_days(tx, uncounted.keys() - {created.id for created in floor.new_sub_accounts})
        store.number_positions(tx, trades, state.ahead)
        with Writes(tx) as writes:
            ledger_tx.write_new_accounts(writes)
            insert_sub_accounts(writes, floor.new_sub_accounts)
            store.write_batch(writes, trades, ledger_tx, state.ahead, resting, at_ms=state.now_ms)
            store_idempotency_records(writes, processor.new_records(), at_ms=state.now_ms)
            # Last: transactions of other pools lock these rows too.
            stats.write_trades(writes, figures, uncounted=uncounted, last_days=state.last_days)
        self.found.counted = newest
