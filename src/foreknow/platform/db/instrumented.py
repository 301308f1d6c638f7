"""A database that counts and times its transactions, for the metrics."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.cost import COST, RequestCost
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, ReadWork, WriteTx, WriteWork

log = structlog.get_logger("foreknow.db")

#: Least interval of log lines while the database is unavailable.
LOG_INTERVAL_S = 1.0
#: What a commit costs everybody beside its work: others' writes wait for it.
COMMIT_S = 0.005
Result = TypeVar("Result")
Tx = TypeVar("Tx", ReadTx, WriteTx)


@dataclass(slots=True)
class DatabaseMetrics:
    """This process's transactions since its start."""

    #: From the call to the commit or result, waiting for a connection included; successes only.
    write_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))
    read_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))
    #: Transactions run again after they lost a race.
    retries: int = 0
    #: Transactions that failed because the database was unreachable, or whose outcome was unknown.
    unavailable: int = 0
    #: Transactions with a statement that the database rejected: bugs of ours.
    errors: int = 0


class InstrumentedDatabase:
    """Delegates to a database and keeps `metrics`. Call it from one event loop."""

    def __init__(self, db: Database) -> None:
        """Delegate to `db`."""
        self._db = db
        self.url = db.url
        self.is_sqlite = db.is_sqlite
        self.on_write: list[Callable[[], None]] = db.on_write
        self.metrics = DatabaseMetrics()
        self._next_log_at_s = 0.0
        # SQLite works in the calling thread. PostgreSQL works elsewhere, while the thread waits.
        self._timer = time.thread_time if db.is_sqlite else time.perf_counter

    async def write(self, work: WriteWork[Result]) -> Result:
        """See `Database.write`."""
        return await self._measure_write(self._db.write, work)

    async def write_private(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_private`."""
        return await self._measure_write(self._db.write_private, work)

    async def write_brief(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_brief`."""
        return await self._measure_write(self._db.write_brief, work)

    async def write_orders(self, work: WriteWork[Result], *, limit_s: float, lock_s: float | None = None) -> Result:
        """See `Database.write_orders`."""
        return await self._measure_write(partial(self._db.write_orders, limit_s=limit_s, lock_s=lock_s), work)

    async def lookup(self, work: ReadWork[Result]) -> Result:
        """See `Database.lookup`."""
        return await self._measure(self.metrics.read_s, self._db.lookup(self._costed(work)))

    async def read(self, work: ReadWork[Result]) -> Result:
        """See `Database.read`."""
        return await self._measure(self.metrics.read_s, self._db.read(self._costed(work)))

    async def rewrite(self) -> bool:
        """See `Database.rewrite`."""
        return await self._db.rewrite()

    async def close(self) -> None:
        """See `Database.close`."""
        await self._db.close()

    async def _measure_write(
        self, write: Callable[[WriteWork[Result]], Awaitable[Result]], work: WriteWork[Result]
    ) -> Result:
        runs, cost = 0, COST.get()

        def counted(tx: WriteTx) -> Result:
            nonlocal runs
            runs += 1
            if cost is None:
                return work(tx)
            cost.work_s += COMMIT_S
            return self._timed(cost, work, tx)

        try:
            return await self._measure(self.metrics.write_s, write(counted))
        finally:
            self.metrics.retries += max(0, runs - 1)

    def _costed(self, work: ReadWork[Result]) -> ReadWork[Result]:
        cost = COST.get()
        return work if cost is None else partial(self._timed, cost, work)

    def _timed(self, cost: RequestCost, work: Callable[[Tx], Result], tx: Tx) -> Result:
        began_s = self._timer()
        try:
            return work(tx)
        finally:
            cost.work_s += self._timer() - began_s

    async def _measure(self, durations_s: Histogram, transaction: Awaitable[Result]) -> Result:
        began_s = time.perf_counter()
        try:
            result = await transaction
        except Unavailable as unavailable:
            self._count(unavailable)
            raise
        except SQLAlchemyError:
            self.metrics.errors += 1
            raise
        durations_s.add(time.perf_counter() - began_s)
        return result

    def _count(self, unavailable: Unavailable) -> None:
        self.metrics.unavailable += 1
        # Clients retry at once: one line for all failures within an interval.
        now_s = time.monotonic()
        if now_s >= self._next_log_at_s:
            self._next_log_at_s = now_s + LOG_INTERVAL_S
            log.warning("database unavailable", reason=str(unavailable.__cause__ or unavailable))
