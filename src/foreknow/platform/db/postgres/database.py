"""PostgreSQL: asyncpg under synchronous SQLAlchemy, on the event loop.

A whole transaction runs in one SQLAlchemy greenlet, suspended while it waits for the server. (SQLAlchemy's asynchronous
engine makes a greenlet for each step, which takes a third longer.)
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import greenlet_spawn

from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.clock import clock_options
from foreknow.platform.db.postgres.connections import TIMEOUTS, ServerTimeouts, postgres_engine
from foreknow.platform.db.postgres.pulse import Pulse
from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.statements.row_locks import LATE_BEGIN_OPTION, LateBegin
from foreknow.platform.db.transactions import (
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

#: Connection pool size of a process.
CONNECTIONS = 20
#: Time for running transactions when the database is closed; one that waits for a lock may never end.
CLOSE_S = 2.0
_RERUN_SQLSTATES = {"40001", "40P01"}
#: read_only_sql_transaction: the server is no longer the primary; a new connection reaches the new one.
_DEMOTED_SQLSTATE = "25006"
#: lock_not_available: `lock_timeout` passed.
_LOCKED_SQLSTATE = "55P03"
#: SQLSTATE classes of the server's failures, not the statement's: connection, insufficient resources (such as a full
#: disk), operator intervention, system error (such as an unreadable disk).
_UNUSABLE_CLASSES = {"08", "53", "57", "58"}
_QUOTED = re.compile(r'"(\w+)"')
_LOCKING = re.compile(r"\bFROM (\w+)\b[^;]*\bFOR (?:NO KEY )?UPDATE\b")

#: SQLSTATE of a generic warning. COMMIT causes no other one; its text cannot be matched, being localised.
_WARNING = "01000"
_WARNING_KEY = "foreknow_warning"


class PostgresDatabase:
    """PostgreSQL, shared by any number of processes."""

    is_sqlite = False

    def __init__(self, url: str, *, timeouts: ServerTimeouts = TIMEOUTS, clock: Clock | None = None) -> None:
        """Connect lazily to `postgresql://…`; `clock`: see `open_database`."""
        self.url = url
        self.on_write: list[Callable[[], None]] = []
        self._pulse = Pulse(url)
        # No overflow: such connections would be closed after each use and opened again for the next.
        self._engine = postgres_engine(
            url,
            creator=self._pulse.connect,
            timeouts=timeouts,
            lock_s=LOCK_S,
            pool_size=CONNECTIONS,
            max_overflow=0,
            # The connection used last knows most statements; in turn, each of twenty would have to prepare them.
            pool_use_lifo=True,
            pool_timeout=10,
            execution_options=clock_options(clock),
        )
        _record_warnings(self._engine)
        self._is_closed = False

    async def write(self, work: WriteWork[Result]) -> Result:
        """See `Database.write`."""
        return await shielded(self._write_and_notify(work))

    async def write_private(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_private`."""
        return await shielded(self._write(work))

    async def write_brief(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_brief`."""
        return await self.write_private(work)

    async def write_orders(self, work: WriteWork[Result], *, limit_s: float, lock_s: float | None = None) -> Result:
        """See `Database.write_orders`."""
        return await shielded(self._write(work, partial(self._transact_orders, limit_s=limit_s, lock_s=lock_s)))

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
            # A statement that writes in a read is a bug; it says nothing of the server's role.
            if not _is_demoted(failure):
                _raise_if_unusable(failure)
            raise

    async def rewrite(self) -> bool:
        """See `Database.rewrite`."""
        return True

    async def close(self) -> None:
        """See `Database.close`."""
        until_s = time.monotonic() + CLOSE_S
        # What waits for a connection that is being made, too: it would come into a pool that is gone.
        while self._pulse.is_used:
            if time.monotonic() > until_s:
                self._pulse.end_connections()
            await asyncio.sleep(CLOSE_S / 100)
        self._is_closed = True
        await self._engine.dispose()
        await self._pulse.close()

    async def _write_and_notify(self, work: WriteWork[Result]) -> Result:
        result = await self._write(work)
        notify(self.on_write)
        return result

    async def _write(
        self, work: WriteWork[Result], transact: Callable[[WriteWork[Result]], Result] | None = None
    ) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await greenlet_spawn(transact or self._transact, work)
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

    def _transact(self, work: WriteWork[Result]) -> Result:
        with self._connected() as tx:
            transaction = tx.begin()
            try:
                result = work(WriteTx(ReadTx(tx)))
            except BaseException as failure:  # cancellation included
                with contextlib.suppress(DBAPIError, OSError):
                    transaction.rollback()
                if _is_demoted(failure):
                    tx.invalidate()
                raise
            _clear_warnings(tx)
            transaction.commit()
            _check_replicated(tx)
            return result

    def _transact_orders(self, work: WriteWork[Result], *, limit_s: float, lock_s: float | None) -> Result:
        """Run `work` in a transaction that begins with its locks (`LateBegin`): an exchange less."""
        late = LateBegin(lock_s)
        with self._connected() as tx, _limited(tx, limit_s):
            # SQLAlchemy neither begins nor ends the transaction.
            tx.execution_options(isolation_level="AUTOCOMMIT", **{LATE_BEGIN_OPTION: late})
            try:
                result = work(WriteTx(ReadTx(tx)))
                _clear_warnings(tx)
                if late.has_begun:
                    execute_raw(tx, "COMMIT")
                _check_replicated(tx)
            except BaseException as failure:  # cancellation included
                if late.has_begun:
                    _roll_back(tx)
                if _is_demoted(failure):
                    tx.invalidate()
                raise
            return result

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        """Check out a connection, or raise `Unavailable`."""
        if self._pulse.is_silent or self._is_closed:
            raise Unavailable
        use = self._pulse.begin()
        try:
            connection = self._check_out()
            try:
                yield connection
            finally:
                connection.close()
        finally:
            self._pulse.end(use)

    def _check_out(self) -> sa.Connection:
        """Return a connection; `Unavailable` for any error.

        A server that starts, stops, recovers or is full refuses connections with many kinds of errors.
        """
        try:
            return self._engine.sync_engine.connect()
        except (OSError, PoolTimeout, DBAPIError) as failure:
            raise Unavailable from failure


def _roll_back(tx: sa.Connection) -> None:
    """End a transaction that SQLAlchemy does not know of, or drop its connection."""
    if tx.invalidated:
        return
    with contextlib.suppress(DBAPIError, OSError):
        execute_raw(tx, "ROLLBACK")
        return
    if not tx.invalidated:
        tx.invalidate()


@contextlib.contextmanager
def _limited(tx: sa.Connection, limit_s: float) -> Iterator[None]:
    """Terminate the connection after `limit_s`; a waiting statement fails as on any lost connection.

    Cancelling the statement instead would have to wait for the server.
    """
    driver: Any = tx.connection.driver_connection
    timer = asyncio.get_running_loop().call_later(limit_s, driver.terminate)
    try:
        yield
    finally:
        timer.cancel()


def _sqlstate(failure: DBAPIError) -> str | None:
    return getattr(failure.orig, "sqlstate", None)


def _raise_if_unusable(failure: DBAPIError) -> None:
    """Raise `Unavailable` for a failure of the server rather than of the statement."""
    sqlstate = _sqlstate(failure) or ""
    if sqlstate == _LOCKED_SQLSTATE:
        raise Locked(table=_locked_table(failure)) from failure
    if (
        failure.connection_invalidated
        or isinstance(failure, OperationalError)
        or sqlstate[:2] in _UNUSABLE_CLASSES
        or _is_demoted(failure)
    ):
        raise Unavailable from failure


def _locked_table(failure: DBAPIError) -> str | None:
    """Return the table of the row that was waited for: PostgreSQL names it in quotes, in whatever language.

    Who waits behind others gets no such name: where a statement locks rows of one table, it names that one.
    """
    context = getattr(getattr(failure.orig, "__cause__", None), "context", None) or ""
    if found := _QUOTED.search(context):
        return found[1]
    tables = set(_LOCKING.findall(failure.statement or ""))
    return tables.pop() if len(tables) == 1 else None


def _is_demoted(failure: BaseException) -> bool:
    return isinstance(failure, DBAPIError) and _sqlstate(failure) == _DEMOTED_SQLSTATE


class NotReplicated(Exception):
    """The commit is on the primary's disk and perhaps nowhere else; the text is PostgreSQL's warning.

    A commit waits for the synchronous standby. If that wait is cancelled (`pg_cancel_backend`, an operator who gives up
    on a lost standby), PostgreSQL has committed on the primary only, sends a warning, and still reports success. Losing
    the primary would then lose the commit, so its outcome is reported as unknown.
    """


def _record_warnings(engine: AsyncEngine) -> None:
    """Store the last such warning of each connection of `engine`."""

    @sa.event.listens_for(engine.sync_engine, "connect")
    def listen(connection: Any, record: Any) -> None:
        def store(_connection: Any, message: Any) -> None:
            if message.sqlstate == _WARNING:
                record.info[_WARNING_KEY] = str(message)

        # Runs before the command's caller resumes: asyncpg schedules both in the order of the messages, and the
        # warning comes first.
        connection.driver_connection.add_log_listener(store)


def _clear_warnings(tx: sa.Connection) -> None:
    """Drop warnings from before the commit that follows."""
    tx.info.pop(_WARNING_KEY, None)


def _check_replicated(tx: sa.Connection) -> None:
    """Raise `NotReplicated` if the standby has not confirmed the commit just reported."""
    warning = tx.info.pop(_WARNING_KEY, None)
    if warning is not None:
        raise NotReplicated(warning)
