"""PostgreSQL, shared by any number of processes: asyncpg under synchronous SQLAlchemy, on the event loop.

A transaction runs in one of SQLAlchemy's greenlets, from the connection to the commit: it is suspended while it waits
for the server, and the loop goes on. (Its asynchronous engine makes a greenlet for each of these steps, which takes a
third as long again.)
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.util import greenlet_spawn

from foreknow.db.connections import TIMEOUTS, Timeouts, postgres_engine
from foreknow.db.driver import execute_raw
from foreknow.db.durability import NotReplicated, check_replicated, forget_warnings, hear_warnings
from foreknow.db.transactions import (
    ATTEMPTS,
    LOCK_S,
    Locked,
    ReadTx,
    ReadWork,
    Result,
    WriteTx,
    WriteWork,
    notify,
    shielded,
)
from foreknow.kernel.errors import Unavailable

#: A process's connections for its work: as many as are ever needed at once stay open.
CONNECTIONS = 20
#: How long the work under way has when a database on PostgreSQL is closed: what waits for a lock may wait for ever.
CLOSE_S = 2.0
_RERUN_SQLSTATES = {"40001", "40P01"}
#: read_only_sql_transaction: the server was the primary and is a standby now; another connection leads elsewhere.
_DEMOTED_SQLSTATE = "25006"
#: lock_not_available: `lock_timeout` passed.
_LOCKED_SQLSTATE = "55P03"
#: Classes of failures that are the server's, not the statement's: connection, insufficient resources (a full disk among
#: them), operator intervention, system error (a disk that cannot be read).
_UNUSABLE_CLASSES = {"08", "53", "57", "58"}


class PostgresDatabase:
    """PostgreSQL, shared by any number of processes."""

    is_sqlite = False

    def __init__(self, url: str, *, patience: Timeouts = TIMEOUTS) -> None:
        """Connect lazily to `postgresql://…`."""
        self.url = url
        self.on_write: list[Callable[[], None]] = []
        # None over the size: what was opened for a crowd would be closed again at once, and the next one opened.
        self._engine = postgres_engine(
            url, patience=patience, lock_s=LOCK_S, pool_size=CONNECTIONS, max_overflow=0, pool_timeout=10
        )
        hear_warnings(self._engine)
        self._lent: dict[sa.pool.ConnectionPoolEntry, Any] = {}
        sa.event.listen(self._engine.sync_engine, "checkout", self._note_lent)
        sa.event.listen(self._engine.sync_engine, "checkin", self._note_returned)

    async def write(self, work: WriteWork[Result]) -> Result:
        """See `Database.write`."""
        return await shielded(self._write_and_notify(work))

    async def write_private(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_private`."""
        return await shielded(self._write(work))

    async def write_orders(self, work: WriteWork[Result], *, limit_s: float, lock_s: float | None = None) -> Result:
        """See `Database.write_orders`."""
        return await shielded(self._write(work, limit_s=limit_s, lock_s=lock_s))

    async def lookup(self, work: ReadWork[Result]) -> Result:
        """See `Database.lookup`."""
        return await self.read(work)

    async def read(self, work: ReadWork[Result]) -> Result:
        """See `Database.read`."""
        try:
            return await greenlet_spawn(self._read, work)
        except OSError as failure:
            raise Unavailable from failure
        except DBAPIError as failure:
            _raise_if_unusable(failure)
            raise

    async def close(self) -> None:
        """See `Database.close`."""
        until_s = time.monotonic() + CLOSE_S
        while self._lent:
            if time.monotonic() > until_s:
                for connection in list(self._lent.values()):
                    connection.terminate()
            await asyncio.sleep(CLOSE_S / 100)
        await self._engine.dispose()

    def _note_lent(self, connection: Any, entry: sa.pool.ConnectionPoolEntry, _lent: Any) -> None:
        self._lent[entry] = connection.driver_connection

    def _note_returned(self, _connection: Any, entry: sa.pool.ConnectionPoolEntry) -> None:
        self._lent.pop(entry, None)

    async def _write_and_notify(self, work: WriteWork[Result]) -> Result:
        result = await self._write(work)
        notify(self.on_write)
        return result

    async def _write(
        self, work: WriteWork[Result], *, limit_s: float | None = None, lock_s: float | None = None
    ) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await greenlet_spawn(self._transact, work, limit_s, lock_s)
            except (OSError, NotReplicated) as failure:
                raise Unavailable from failure
            except DBAPIError as failure:
                lost_race = isinstance(failure, IntegrityError) or _sqlstate(failure) in _RERUN_SQLSTATES
                if lost_race and attempt < ATTEMPTS:
                    continue
                _raise_if_unusable(failure)
                raise
        raise AssertionError

    def _read(self, work: ReadWork[Result]) -> Result:
        with self._connected() as tx:
            return work(ReadTx(tx.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)))

    def _transact(self, work: WriteWork[Result], limit_s: float | None, lock_s: float | None) -> Result:
        with self._connected() as tx, _limited(tx, limit_s):
            transaction = tx.begin()
            try:
                if lock_s is not None:
                    execute_raw(tx, f"SET LOCAL lock_timeout = {round(lock_s * 1000)}")
                result = work(WriteTx(ReadTx(tx)))
            except BaseException as failure:  # whatever it is, the transaction ends
                with contextlib.suppress(DBAPIError, OSError):
                    transaction.rollback()
                if _is_demoted(failure):
                    tx.invalidate()
                raise
            forget_warnings(tx)
            transaction.commit()
            check_replicated(tx)
            return result

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        """Take a connection; `Unavailable` where there is none, whatever the server says of itself meanwhile.

        A server that starts, stops, recovers or has no room left answers with errors of many kinds.
        """
        try:
            connection = self._engine.sync_engine.connect()
        except (OSError, PoolTimeout, DBAPIError) as failure:
            raise Unavailable from failure
        try:
            yield connection
        finally:
            connection.close()


@contextlib.contextmanager
def _limited(tx: sa.Connection, limit_s: float | None) -> Iterator[None]:
    """Break the connection where the block takes longer: what waits on it then fails as on any lost connection.

    To cancel instead would first ask the server to cancel, and wait for its answer.
    """
    if limit_s is None:
        yield
        return
    driver: Any = tx.connection.driver_connection
    timer = asyncio.get_running_loop().call_later(limit_s, driver.terminate)
    try:
        yield
    finally:
        timer.cancel()


def _sqlstate(failure: DBAPIError) -> str | None:
    return getattr(failure.orig, "sqlstate", None)


def _raise_if_unusable(failure: DBAPIError) -> None:
    """Raise `Unavailable` where it is not the statement that failed."""
    sqlstate = _sqlstate(failure) or ""
    if sqlstate == _LOCKED_SQLSTATE:
        raise Locked from failure
    if (
        failure.connection_invalidated
        or isinstance(failure, OperationalError)
        or sqlstate[:2] in _UNUSABLE_CLASSES
        or _is_demoted(failure)
    ):
        raise Unavailable from failure


def _is_demoted(failure: BaseException) -> bool:
    return isinstance(failure, DBAPIError) and _sqlstate(failure) == _DEMOTED_SQLSTATE
