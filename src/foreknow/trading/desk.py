"""The trade desk: every order of this process goes through it, many a commit.

While one batch commits, arrivals queue; then the desk takes all of them: one transaction, one commit, then every
caller is answered. No timer: an idle desk commits a single order at once. An order that breaks its batch is tried
again alone, so that it hurts nobody else. Processes on other machines run desks of their own against the same
PostgreSQL: row locks keep them right, batching keeps them fast.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import structlog

from foreknow.db.engine import Database, Locked
from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import DomainError, InternalError, Unavailable
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.trading.batch import Batch
from foreknow.trading.id_cache import IdCache
from foreknow.trading.orders import Order
from foreknow.trading.results import Outcome, Receipt

log = structlog.get_logger("foreknow.trading")

#: Told which pools a commit traded in.
OnCommit = Callable[[Collection[int]], None]
#: Over so many waiting orders new ones are refused with 503.
WAITING_MAX = 10_000
#: One commit takes at most so many. More would commit no cheaper, and leave the event loop nothing to do meanwhile:
#: while these are on their way to the disk, it reads the next and answers the last.
BATCH_MAX = 128
#: All other orders wait for a batch's end. It may have to wait itself, for the payments of a pool with many positions;
#: one that takes longer than this is given up, and only the keys of its orders tell what became of them.
BATCH_LIMIT_S = 30.0
#: On PostgreSQL, a batch that met somebody else's lock is tried again in parts, which wait only so long for locks, and
#: so do all batches for a while after: other orders need not wait for a lock that may stay for minutes.
LOCK_AGAIN_S = 0.1
LOCK_REMEMBERED_S = 10.0
#: What is still to be tried again after so long is refused, too.
AGAIN_LIMIT_S = 3.0
#: Bounds for how many orders a batch had.
SIZES = (1, 2, 4, 8, 16, 32, 64, BATCH_MAX)


@dataclass(slots=True)
class DeskMetrics:
    """What the desk has done since the start, for the metrics."""

    batches: int = 0
    orders: int = 0
    sizes: Histogram = field(default_factory=lambda: Histogram(SIZES))
    #: How long each batch took, its commit included.
    commits_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))


class TradeDesk:
    """Takes orders, commits them in batches, answers each after its commit."""

    def __init__(self, db: Database, clock: Clock, *, on_commit: Sequence[OnCommit] = ()) -> None:
        """Make a desk; `on_commit` are told of each commit and the pools it traded in, and must not block."""
        self._db = db
        self._clock = clock
        self._on_commit = tuple(on_commit)
        self._id_cache = IdCache()
        self._waiting: deque[tuple[Order, asyncio.Future[Receipt]]] = deque()
        self._arrived = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._closing = False
        self._lock_met_at_s = -math.inf
        self.metrics = DeskMetrics()

    def start(self) -> None:
        """Begin to work."""
        self._worker = asyncio.create_task(self._work(), name="trade-desk")

    async def stop(self) -> None:
        """Finish the orders that wait, then rest. New ones are refused."""
        self._closing = True
        self._arrived.set()
        if self._worker is not None:
            await self._worker

    @property
    def waiting(self) -> int:
        """How many orders wait for a batch."""
        return len(self._waiting)

    async def place(self, order: Order) -> Receipt:
        """Have an order decided and return its answer after the commit; raises the `DomainError` it met."""
        if len(self._waiting) >= WAITING_MAX or self._closing:
            raise Unavailable("Too many orders wait; send this one again in a second, with the same Idempotency-Key.")
        answered: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._waiting.append((order, answered))
        self._arrived.set()
        return await answered

    async def _work(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._waiting:
                count = min(len(self._waiting), BATCH_MAX)
                taken = [self._waiting.popleft() for _ in range(count)]
                outcomes = await self._decide([order for order, _ in taken])
                for (_, answered), outcome in zip(taken, outcomes, strict=True):
                    _answer(answered, outcome)
            if self._closing:
                return

    async def _decide(self, orders: list[Order], *, in_parts: bool = True) -> list[Outcome]:
        """Commit the orders together; where one breaks that, each alone; where a lock stops it, perhaps in parts."""
        batch = Batch(orders, self._id_cache, self._clock)
        try:
            return await self._commit(batch, orders)
        except Locked as locked:
            self._lock_met_at_s = time.monotonic()
            # SQLite has one lock for all.
            if self._db.is_sqlite or len(orders) == 1 or not in_parts:
                return [locked] * len(orders)
            return await self._decide_in_parts(batch, orders, locked)
        except Unavailable as unavailable:
            return [unavailable] * len(orders)
        except Exception:  # whatever one order provoked must not reach the others: each is tried alone
            log.exception("an order broke its batch", orders=len(orders))
            if len(orders) == 1:
                return [InternalError()]
            return [outcome for order in orders for outcome in await self._decide([order])]

    async def _decide_in_parts(self, batch: Batch, orders: list[Order], locked: Locked) -> list[Outcome]:
        """Decide all but those that need what is locked: a pool, whose orders fail together, or one order's account."""
        until_s = time.monotonic() + AGAIN_LIMIT_S
        numbers = range(len(orders))
        parts = [[number] for number in numbers]
        if not batch.has_pools:
            by_market = sorted(numbers, key=lambda number: orders[number].market_id)
            parts = [list(part) for _, part in itertools.groupby(by_market, lambda number: orders[number].market_id)]
        outcomes: dict[int, Outcome] = {}
        for part in parts:
            decided: Sequence[Outcome] = [locked] * len(part)
            if time.monotonic() < until_s:
                decided = await self._decide([orders[number] for number in part], in_parts=False)
            outcomes.update(zip(part, decided, strict=True))
        return [outcomes[number] for number in numbers]

    async def _commit(self, batch: Batch, orders: Sequence[Order]) -> list[Outcome]:
        began = time.perf_counter()
        lock_s = LOCK_AGAIN_S if time.monotonic() < self._lock_met_at_s + LOCK_REMEMBERED_S else None
        outcomes = await self._db.write_orders(batch.run, limit_s=BATCH_LIMIT_S, lock_s=lock_s)
        self._id_cache.learn(batch.found)
        self._tell(batch.pool_ids)
        self.metrics.batches += 1
        self.metrics.orders += len(orders)
        self.metrics.sizes.add(len(orders))
        self.metrics.commits_s.add(time.perf_counter() - began)
        return outcomes

    def _tell(self, pool_ids: Collection[int]) -> None:
        for tell in self._on_commit:
            try:
                tell(pool_ids)
            except Exception:  # the orders are done: their callers must get their answers
                log.exception("a listener of the desk failed")


def _answer(answered: asyncio.Future[Receipt], outcome: Outcome) -> None:
    if answered.cancelled():
        return
    if isinstance(outcome, DomainError):
        answered.set_exception(outcome)
    else:
        answered.set_result(outcome)
