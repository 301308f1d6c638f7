"""One batch of orders in one transaction: lock, execute each in arrival order, write everything in bulk.

Orders of pools that another transaction has locked wait for the lock apart, and no other order for them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from foreknow.kernel.prompt_future import PromptFuture
from foreknow.money import stats
from foreknow.money.ledger import LedgerTransaction, store_idempotency_records
from foreknow.people.users.sub_accounts import insert_sub_accounts
from foreknow.platform.db.changes import Writes
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk import store
from foreknow.trading.desk.ahead import KeptRows, still_true
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.locks import ids_of, lock, needs_of, read_locked
from foreknow.trading.desk.made import MadeTrade
from foreknow.trading.desk.orders import Executed
from foreknow.trading.desk.processor import OrderProcessor, OrderResponse, PutOff, Result, response_of
from foreknow.trading.desk.resting_reads import TRADES_MAX

_encode = msgspec.json.Encoder().encode


class Batch:
    """Orders executed in one transaction. `run` starts afresh when the transaction is retried."""

    def __init__(
        self,
        orders: Sequence[OrderKind],
        known: IdCache,
        settings: LiveSettings,
        *,
        kept: KeptRows | None = None,
        skips_locked: bool = False,
    ) -> None:
        """`orders` are in arrival order; `known` is read only, `kept` is the batch's from now on.

        `skips_locked` (on PostgreSQL): orders of pools that another transaction has locked get `Locked`, the others are
        executed.
        """
        self._orders = orders
        self._settings = settings
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
                tx,
                len(self._orders),
                needs,
                self._known,
                ledger_tx,
                settings=self._settings,
                kept=kept,
                skips_locked=self._skips_locked,
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


#: Markets that are waited for at a time: each takes a connection, of which a process has 20. Further ones wait.
LANES_MAX = 6


@dataclass(slots=True)
class QueuedOrder:
    """An order in the desk's queue, and what its caller waits for."""

    order: OrderKind
    answer: PromptFuture[Any]
    #: Of its caller.
    scope: str
    #: How many batches have met its pool locked.
    skips: int = 0


#: Executes orders together, waiting for their pools, and answers them.
Execute = Callable[[Sequence[QueuedOrder]], Awaitable[None]]


class HeldOrders:
    """Orders whose pool is locked elsewhere, by market, in their order of arrival.

    One task for each held market waits for its pool's lock in the database, where waiting transactions come by turns,
    and then executes the market's orders until none is left.
    """

    def __init__(self, execute: Execute, *, batch_max: int) -> None:
        """`execute` gets up to `batch_max` orders of one market at a time."""
        self._execute = execute
        self._batch_max = batch_max
        self._by_market: dict[int, deque[QueuedOrder]] = {}
        self._lanes: set[asyncio.Task[None]] = set()
        self._turns = asyncio.Semaphore(LANES_MAX)

    def __len__(self) -> int:
        return sum(map(len, self._by_market.values())) if self._by_market else 0

    def __contains__(self, market_id: int) -> bool:
        return market_id in self._by_market

    def add(self, waiting: QueuedOrder) -> None:
        """Hold an order behind those of its market."""
        market_id = waiting.order.market_id
        if market_id not in self._by_market:
            self._by_market[market_id] = deque()
            lane = asyncio.create_task(self._work(market_id), name="held-orders")
            self._lanes.add(lane)
            lane.add_done_callback(self._lanes.discard)
        self._by_market[market_id].append(waiting)

    async def finish(self) -> None:
        """Wait until no order is held."""
        while self._lanes:
            await asyncio.gather(*self._lanes)

    async def _work(self, market_id: int) -> None:
        held = self._by_market[market_id]
        async with self._turns:
            while held:
                count = min(len(held), self._batch_max)
                await self._execute([held.popleft() for _ in range(count)])
            del self._by_market[market_id]
