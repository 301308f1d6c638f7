"""PostgreSQL: asyncpg under SQLAlchemy's `run_sync`, on the event loop, for any number of processes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection

from foreknow.db.connections import PATIENCE, Patience, postgres_engine
from foreknow.db.durability import NotReplicated, check_replicated, forget_warnings, hear_warnings
from foreknow.db.work import ATTEMPTS, Result, Work, shielded, tell
from foreknow.kernel.errors import Unavailable

#: How long the work under way has when a database on PostgreSQL is closed: what waits for a lock may wait for ever.
CLOSE_S = 2.0
_RERUN_SQLSTATES = {"40001", "40P01"}
#: read_only_sql_transaction: the server was the primary and is a standby now; another connection leads elsewhere.
_DEMOTED_SQLSTATE = "25006"


class PostgresDatabase:
    """PostgreSQL, shared by any number of processes."""

    is_sqlite = False

    def __init__(self, url: str, *, patience: Patience = PATIENCE) -> None:
        """Connect lazily to `postgresql://…`."""
        self.url = url
        self.on_write: list[Callable[[], None]] = []
        self._engine = postgres_engine(url, patience=patience, pool_size=10, max_overflow=10, pool_timeout=10)
        hear_warnings(self._engine)
        self._lent: dict[sa.pool.ConnectionPoolEntry, Any] = {}
        sa.event.listen(self._engine.sync_engine, "checkout", self._note_lent)
        sa.event.listen(self._engine.sync_engine, "checkin", self._note_returned)

    async def write(
        self, work: Work[Result], *, shown: bool = True, brief: bool = False, limit_s: float | None = None
    ) -> Result:
        """See `Database.write`."""
        return await shielded(self._write_and_tell(work, self.on_write if shown else (), limit_s))

    async def _write_and_tell(
        self, work: Work[Result], listeners: Iterable[Callable[[], None]], limit_s: float | None
    ) -> Result:
        result = await self._write(work, limit_s)
        tell(listeners)
        return result

    async def read(self, work: Work[Result], *, brief: bool = False) -> Result:
        """See `Database.read`."""
        try:
            async with self._connected() as connection:
                snapshot = await connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
                return await snapshot.run_sync(work)
        except OSError as failure:
            raise Unavailable from failure
        except DBAPIError as failure:
            if failure.connection_invalidated or isinstance(failure, OperationalError):
                raise Unavailable from failure
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

    async def _write(self, work: Work[Result], limit_s: float | None) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with self._connected() as connection, _limited(connection, limit_s):
                    return await _transact(connection, work)
            except (OSError, NotReplicated) as failure:
                raise Unavailable from failure
            except DBAPIError as failure:
                lost_race = isinstance(failure, IntegrityError) or _sqlstate(failure) in _RERUN_SQLSTATES
                if lost_race and attempt < ATTEMPTS:
                    continue
                if failure.connection_invalidated or isinstance(failure, OperationalError) or _is_demoted(failure):
                    raise Unavailable from failure
                raise
        raise AssertionError

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection]:
        """Take a connection; `Unavailable` where there is none, whatever the server says of itself meanwhile.

        A server that starts, stops, recovers or has no room left answers with errors of many kinds.
        """
        try:
            connection = await self._engine.connect()
        except (OSError, PoolTimeout, DBAPIError) as failure:
            raise Unavailable from failure
        try:
            yield connection
        finally:
            await connection.close()


@contextlib.asynccontextmanager
async def _limited(connection: AsyncConnection, limit_s: float | None) -> AsyncIterator[None]:
    """Break the connection where the block takes longer: what waits on it then fails as on any lost connection.

    To cancel instead would first ask the server to cancel, and wait for its answer.
    """
    if limit_s is None:
        yield
        return
    driver: Any = (await connection.get_raw_connection()).driver_connection
    timer = asyncio.get_running_loop().call_later(limit_s, driver.terminate)
    try:
        yield
    finally:
        timer.cancel()


async def _transact(connection: AsyncConnection, work: Work[Result]) -> Result:
    transaction = await connection.begin()
    try:
        result = await connection.run_sync(work)
    except BaseException as failure:
        with contextlib.suppress(DBAPIError, OSError):
            await transaction.rollback()
        if _is_demoted(failure):
            await connection.invalidate()
        raise
    forget_warnings(connection)
    await transaction.commit()
    check_replicated(connection)
    return result


def _sqlstate(failure: DBAPIError) -> str | None:
    return getattr(failure.orig, "sqlstate", None)


def _is_demoted(failure: BaseException) -> bool:
    return isinstance(failure, DBAPIError) and _sqlstate(failure) == _DEMOTED_SQLSTATE
