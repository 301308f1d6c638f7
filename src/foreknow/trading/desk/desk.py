"""The trade desk: executes all orders of this process in batches, one commit each.

While one batch commits, new orders queue for the next; an idle desk commits a single order at once, without a timer:
as soon as a turn of the event loop brings no other.
The orders of a failed batch are retried one by one, those of a batch that met another session's lock on an account in
parts; those of pools that another transaction has locked are tried again by the next batches, then held apart. Other
processes run their own desks on the same PostgreSQL: row locks keep them correct.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from foreknow.kernel.errors import DomainError, InternalError, Unavailable
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.kernel.prompt_future import PromptFuture
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk.ahead import KeptRows
from foreknow.trading.desk.batch import Batch, HeldOrders, QueuedOrder
from foreknow.trading.desk.errors import DeskFull, Unfinished
from foreknow.trading.desk.finishing import finish
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.order_queue import OrderQueue
from foreknow.trading.desk.orders import OrderCancellation
from foreknow.trading.desk.processor import POOLS, OrderResponse, PutOff, Receipt
from foreknow.trading.desk.queue_bound import WAITING_MAX

log = structlog.get_logger("foreknow.trading")

#: Called with the ids of the pools that a commit traded in.
OnCommit = Callable[[Collection[int]], None]
#: Bets per commit; an order that takes as long as several counts as that many. More would commit no cheaper, and the
#: event loop would be idle meanwhile: while a batch is written, it reads new requests and sends the last responses.
BATCH_MAX = 128
#: Longest run of a batch, for which all other orders wait. After a timeout only the idempotency keys show whether its
#: orders were executed.
BATCH_LIMIT_S = 30.0
#: Lock timeout on PostgreSQL after a batch met another session's lock, for the retries and for all batches of the next
#: `LOCK_TIMEOUT_PERIOD_S`: other orders must not wait for a lock that may last minutes. Always that of what
#: is done between batches.
LOCK_TIMEOUT_S = 0.1
LOCK_TIMEOUT_PERIOD_S = 10.0
#: Batches that try an order whose pool is locked again before it is held. Another process's batch has the pool for some
#: milliseconds, and to hold an order costs a transaction of its own.
SKIPS_MAX = 3
#: Most orders that wait for locked pools; further ones get 503.
HELD_MAX = 1_000
#: Longest time for the retries of a batch, and of what its orders wait for; the rest of its orders fail.
RETRY_LIMIT_S = 3.0
#: Histogram bounds for the orders of a batch.
BATCH_SIZE_BOUNDS = (1, 2, 4, 8, 16, 32, 64, BATCH_MAX)


@dataclass(slots=True)
class DeskMetrics:
    """Counters since the start."""

    batches: int = 0
    orders: int = 0
    sizes: Histogram = field(default_factory=lambda: Histogram(BATCH_SIZE_BOUNDS))
    #: Duration of each batch, its commit included.
    commits_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))


class TradeDesk:
    """Queues orders, commits them in batches, and returns each result after its commit."""

    def __init__(
        self,
        db: Database,
        settings: LiveSettings,
        *,
        on_commit: Sequence[OnCommit] = (),
        on_fill: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_commit` is called after each commit with the pools it traded in, `on_fill` after one that filled resting
        orders; they must not block.
        """
        self._db = db
        self._settings = settings
        self._on_commit = tuple(on_commit)
        self._on_fill = on_fill
        self._id_cache = IdCache()
        #: What the last batch has left; on SQLite, where batches follow one another.
        self._kept: KeptRows | None = None
        self._queue = OrderQueue()
        self._held = HeldOrders(self._execute_held, batch_max=BATCH_MAX)
        self._order_arrived = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._closing = False
        #: When a batch last met another session's lock (`time.monotonic`).
        self._locked_at_s = -math.inf
        self.metrics = DeskMetrics()

    def start(self) -> None:
        """Start the worker."""
        self._worker = asyncio.create_task(self._work(), name="trade-desk")

    async def stop(self) -> None:
        """Execute the queued orders, then stop; new orders are rejected."""
        self._closing = True
        self._order_arrived.set()
        if self._worker is not None:
            await self._worker

    @property
    def waiting(self) -> int:
        """Number of orders that wait, held ones included."""
        return len(self._queue) + len(self._held)

    def refuses_all(self) -> bool:
        """Whether a further order is refused, of any caller."""
        return self._queue.is_full and not self._queue.has_largest

    async def place(self, order: OrderKind) -> Receipt:
        """Execute an order and return its receipt after the commit; raises the order's `DomainError`."""
        return await self.queue(order)

    def queue(self, order: OrderKind) -> asyncio.Future[Receipt]:
        """Queue an order; the future brings what `place` returns or raises. `Unavailable` where too many wait."""
        return self._queue_any(order)

    def cancel(self, order: OrderKind) -> asyncio.Future[OrderCancellation]:
        """Queue a cancelling, as an order; the future brings what was done."""
        return self._queue_any(order)

    def _queue_any(self, order: OrderKind) -> asyncio.Future[Any]:
        scope = order.caller.scope
        # Those held wait for a lock, not for the desk, and have a bound of their own.
        if self._queue.is_full or len(self._queue) + len(self._held) >= WAITING_MAX or self._closing:
            displaced = None if self._closing else self._queue.displace_for(scope)
            if displaced is None:
                raise DeskFull
            _resolve(displaced.answer, DeskFull())
        answer: PromptFuture[Any] = PromptFuture(loop=asyncio.get_running_loop())
        self._queue.put(QueuedOrder(order, answer, scope))
        self._order_arrived.set()
        return answer

    async def _work(self) -> None:
        while True:
            await self._order_arrived.wait()
            self._order_arrived.clear()
            while self._queue:
                await self._let_arrive()
                batch = self._next_batch()
                outcomes = await self._execute([waiting.order for waiting in batch]) if batch else []
                lock_s = None if self._db.is_sqlite else LOCK_TIMEOUT_S
                again, skipped = await self._answer(batch, outcomes, lock_s=lock_s)
                self._queue.put_back(again[::-1])
                self._put_off(skipped)
                decided = len(batch) - len(again) - len(skipped)
                self._queue.note(decided, batch_max=BATCH_MAX, now_s=time.monotonic())
            if self._closing:
                await self._held.finish()
                return

    async def _let_arrive(self) -> None:
        """Let the loop send the last responses, and read on while each of its turns brings an order.

        So what arrives together goes into one batch, and one commit.
        """
        count = 0
        while count < len(self._queue):
            count = len(self._queue)
            await asyncio.sleep(0)
            if count >= BATCH_MAX or self._closing:
                return

    def _next_batch(self) -> list[QueuedOrder]:
        """Take the next orders of the queue; those of held markets queue behind the held ones."""
        batch: list[QueuedOrder] = []
        weight = 0
        while self._queue and weight < BATCH_MAX:
            waiting = self._queue.take()
            if self._held and waiting.order.market_id in self._held:
                self._hold(waiting)
            else:
                batch.append(waiting)
                weight += waiting.order.weight
        return batch

    def _put_off(self, skipped: Sequence[QueuedOrder]) -> None:
        """Let the next batch try again what other sessions have locked; hold what was tried often."""
        again: list[QueuedOrder] = []
        for waiting in skipped:
            waiting.skips += 1
            if waiting.skips > SKIPS_MAX or waiting.order.market_id in self._held:
                self._hold(waiting)
            else:
                again.append(waiting)
        self._queue.put_back(again[::-1])

    def _hold(self, waiting: QueuedOrder) -> None:
        if len(self._held) < HELD_MAX:
            self._held.add(waiting)
        else:
            _resolve(waiting.answer, Locked(table=POOLS))

    async def _execute_held(self, held: Sequence[QueuedOrder]) -> None:
        while held:
            outcomes = await self._execute([waiting.order for waiting in held], skips_locked=False)
            # No order of another market waits for what these wait for.
            held, refused = await self._answer(held, outcomes, lock_s=None)
            for waiting in refused:
                _resolve(waiting.answer, Locked(table=POOLS))

    async def _answer(
        self, batch: Sequence[QueuedOrder], outcomes: Sequence[OrderResponse], *, lock_s: float | None
    ) -> tuple[list[QueuedOrder], list[QueuedOrder]]:
        """Answer the orders of a batch; return those to try again, and those whose pools other sessions have locked.

        What an order waits for is done first; it fails where that cannot be.
        """
        skipped: list[QueuedOrder] = []
        put_off: list[tuple[QueuedOrder, PutOff | Unfinished]] = []
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if not isinstance(outcome, DomainError):
                _resolve(waiting.answer, outcome)
            elif isinstance(outcome, PutOff | Unfinished):
                put_off.append((waiting, outcome))
            elif _is_pool_locked(outcome):
                skipped.append(waiting)
            else:
                _resolve(waiting.answer, outcome)
        if not put_off:
            return [], skipped
        failures = await finish(
            self._db,
            [cause for _, cause in put_off if isinstance(cause, Unfinished)],
            lock_s=lock_s,
            until_s=time.monotonic() + RETRY_LIMIT_S,
            on_commit=self._notify,
        )
        again: list[QueuedOrder] = []
        for waiting, cause in put_off:
            failure = failures.get(cause.key) if isinstance(cause, Unfinished) else None
            if failure is None:
                again.append(waiting)
            elif _is_pool_locked(failure):
                skipped.append(waiting)
            else:
                _resolve(waiting.answer, failure)
        return again, skipped

    async def _execute(
        self, orders: list[OrderKind], *, until_s: float | None = None, skips_locked: bool = True
    ) -> list[OrderResponse]:
        """Commit the orders together; if one fails the batch, each alone.

        If another session's lock blocks it, in parts until `until_s`, so that only those fail that need the locked row.
        """
        try:
            return await self._commit(orders, skips_locked=skips_locked)
        except Locked as locked:
            if locked.table == POOLS:
                return [locked] * len(orders)
            self._locked_at_s = time.monotonic()
            # SQLite has a single lock: parts would wait for it too.
            parts = [] if self._db.is_sqlite else _parts(orders, locked)
            if len(parts) < 2:
                return [locked] * len(orders)
            until_s = until_s or time.monotonic() + RETRY_LIMIT_S
            return await self._execute_in_parts(orders, parts, locked, until_s=until_s, skips_locked=skips_locked)
        except Unavailable as unavailable:
            return [unavailable] * len(orders)
        except Exception:  # an order must not fail the others: each is retried alone
            log.exception("order batch failed", orders=len(orders))
            if len(orders) == 1:
                return [InternalError()]
            return [outcome for order in orders for outcome in await self._execute([order], skips_locked=skips_locked)]

    async def _execute_in_parts(
        self,
        orders: list[OrderKind],
        parts: Sequence[Sequence[int]],
        locked: Locked,
        *,
        until_s: float,
        skips_locked: bool,
    ) -> list[OrderResponse]:
        """Execute the orders of each part, given by their indexes; after `until_s` they fail."""
        outcomes: dict[int, OrderResponse] = {}
        for part in parts:
            part_outcomes: Sequence[OrderResponse] = [locked] * len(part)
            if time.monotonic() < until_s:
                part_outcomes = await self._execute(
                    [orders[index] for index in part], until_s=until_s, skips_locked=skips_locked
                )
            outcomes.update(zip(part, part_outcomes, strict=True))
        return [outcomes[index] for index in range(len(orders))]

    async def _commit(self, orders: Sequence[OrderKind], *, skips_locked: bool) -> list[OrderResponse]:
        began = time.perf_counter()
        # Until it is committed, they are the batch's, which changes them.
        kept, self._kept = self._kept, None
        skips_locked = skips_locked and not self._db.is_sqlite
        batch = Batch(orders, self._id_cache, self._settings, kept=kept, skips_locked=skips_locked)
        # Who is held waits for the lock: no other order waits for them.
        is_short = skips_locked and time.monotonic() < self._locked_at_s + LOCK_TIMEOUT_PERIOD_S
        lock_s = LOCK_TIMEOUT_S if is_short else None
        outcomes = await self._db.write_orders(batch.run, limit_s=BATCH_LIMIT_S, lock_s=lock_s)
        self._id_cache.merge(batch.found)
        self._kept = batch.kept
        self._notify(batch.pool_ids)
        if batch.owes:
            self._on_fill()
        self.metrics.batches += 1
        self.metrics.orders += len(orders)
        self.metrics.sizes.add(len(orders))
        self.metrics.commits_s.add(time.perf_counter() - began)
        return outcomes

    def _notify(self, pool_ids: Collection[int]) -> None:
        for callback in self._on_commit:
            try:
                callback(pool_ids)
            except Exception:  # the orders are committed: their callers must get the receipts
                log.exception("on_commit callback failed")


def _parts(orders: Sequence[OrderKind], locked: Locked) -> list[list[int]]:
    """Return the indexes of the orders in parts: one by one if an account is locked, by market if a pool may be."""
    indexes = range(len(orders))
    if locked.table == "accounts":
        return [[index] for index in indexes]
    by_market = sorted(indexes, key=lambda index: orders[index].market_id)
    return [list(part) for _, part in itertools.groupby(by_market, lambda index: orders[index].market_id)]


def _is_pool_locked(outcome: DomainError) -> bool:
    return isinstance(outcome, Locked) and outcome.table == POOLS


def _resolve(answer: PromptFuture[Any], outcome: OrderResponse) -> None:
    if answer.cancelled():
        return
    if isinstance(outcome, DomainError):
        answer.set_exception(outcome)
    else:
        answer.set_result(outcome)
    try:
        answer.announce()
    except Exception:  # the other orders of the batch must be answered
        log.exception("response to an order failed")
