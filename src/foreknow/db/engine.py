"""The database: where all that serves requests opens its transactions and commits.

Business code is synchronous and takes a SQLAlchemy `Connection`; the edge hands it to `Database.write` or `.read`:

- SQLite (the default): the plain sqlite3 driver, one writing connection on one thread (`BEGIN IMMEDIATE`, WAL,
  synchronous=FULL, so that an answer means "on disk"), and a few reading ones.
- PostgreSQL: asyncpg under SQLAlchemy's `run_sync`, READ COMMITTED; what must hold is held by row locks.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection

from foreknow.db.driver import run_on_sqlite
from foreknow.db.durability import NotReplicated, check_replicated, forget_warnings, hear_warnings
from foreknow.db.postgres import PATIENCE, Patience, postgres_engine
from foreknow.kernel.errors import Unavailable

Result = TypeVar("Result")
Work = Callable[[sa.Connection], Result]

READERS = 4
#: How long a SQLite writer waits for another process's transaction.
SQLITE_BUSY_S = 30
#: Prepared statements that a SQLite connection keeps; the bulk ones come in a text for each power of two.
SQLITE_STATEMENTS = 512
#: A transaction that lost a race (deadlock, unique key) is run again this often.
ATTEMPTS = 4
#: How long the work under way has when a database on PostgreSQL is closed: what waits for a lock may wait for ever.
CLOSE_S = 2.0
_RERUN_SQLSTATES = {"40001", "40P01"}
#: read_only_sql_transaction: the server was the primary and is a standby now; another connection leads elsewhere.
_DEMOTED_SQLSTATE = "25006"


class Database(Protocol):
    """One database, SQLite or PostgreSQL, seen the same way."""

    url: str
    is_sqlite: bool
    #: Told after each commit of a write that is `shown`.
    on_write: list[Callable[[], None]]

    async def write(self, work: Work[Result], *, shown: bool = True, limit_s: float | None = None) -> Result:
        """Run `work(tx)` in one transaction and return after its commit.

        `shown` False: whoever calls tells by itself who must know, or no public answer shows these rows.
        `limit_s`: PostgreSQL's connection is given up where the transaction takes longer, for the sake of those who
        wait for its end.

        A `Refusal` (or any exception) rolls back. A lost race (deadlock, unique key) runs `work` again, so `work`
        must have no other effect than its rows. Raises `Unavailable` where the database cannot be reached or the
        fate of the commit is unknown.
        """
        ...

    async def read(self, work: Work[Result]) -> Result:
        """Run `work(tx)` on one consistent snapshot that cannot write."""
        ...

    async def close(self) -> None:
        """Close all connections, after the work under way; on PostgreSQL, what takes `CLOSE_S` more is broken off."""
        ...


def open_database(url: str) -> Database:
    """Open `sqlite:///path` or `postgresql://user[:password]@host:port/name`; nothing is connected yet."""
    if url.startswith("sqlite:"):
        return SqliteDatabase(url)
    return PostgresDatabase(url)


def sync_engine(url: str) -> sa.Engine:
    """Return a synchronous SQLite engine with the connection settings of the house."""
    path = make_url(url).database or ""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # Parameters stay out of error messages, and so out of logs: they hold addresses, hashes and answers.
    engine = sa.create_engine(
        f"sqlite:///{path}",
        pool_size=READERS + 2,
        hide_parameters=True,
        connect_args={
            "check_same_thread": False,
            "timeout": SQLITE_BUSY_S,
            "cached_statements": SQLITE_STATEMENTS,
        },
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:
        # SQLAlchemy's "begin" event below opens transactions; the driver itself must not.
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA cache_size=-32768")

    return engine


class SqliteDatabase:
    """SQLite in one file: one writer thread, a few readers."""

    is_sqlite = True

    def __init__(self, url: str) -> None:
        """Open the file of `url`, made with its folder where missing."""
        self.url = url
        self.on_write: list[Callable[[], None]] = []
        self._engine = sync_engine(url)
        sa.event.listen(self._engine, "begin", _begin_sqlite)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="db-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="db-reader")

    async def write(self, work: Work[Result], *, shown: bool = True, limit_s: float | None = None) -> Result:
        """See `Database.write`."""
        return await _shielded(self._write_and_tell(work, self.on_write if shown else ()))

    async def _write_and_tell(self, work: Work[Result], listeners: Iterable[Callable[[], None]]) -> Result:
        result = await asyncio.get_running_loop().run_in_executor(self._writer, self._write, work)
        _tell(listeners)
        return result

    async def read(self, work: Work[Result]) -> Result:
        """See `Database.read`."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def close(self) -> None:
        """See `Database.close`."""
        await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._readers.shutdown)
        self._engine.dispose()

    def _write(self, work: Work[Result]) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._engine.connect().execution_options(foreknow_writes=True) as tx, tx.begin():
                    return work(tx)
            except IntegrityError:
                if attempt == ATTEMPTS:
                    raise
            except OperationalError as failure:
                if _is_our_mistake(failure):
                    raise
                raise Unavailable from failure
        raise AssertionError

    def _read(self, work: Work[Result]) -> Result:
        try:
            with self._engine.connect() as tx, tx.begin():
                return work(tx)
        except OperationalError as failure:
            if _is_our_mistake(failure):
                raise
            raise Unavailable from failure


def _is_our_mistake(failure: OperationalError) -> bool:
    """Tell a statement that SQLite calls wrong from a file that cannot be used: the driver has one class for both."""
    code: int = getattr(failure.orig, "sqlite_errorcode", sqlite3.SQLITE_BUSY)
    # The low byte is the error, what is above it its circumstances.
    return code & 0xFF == sqlite3.SQLITE_ERROR


def _begin_sqlite(connection: sa.Connection) -> None:
    if connection.get_execution_options().get("foreknow_writes", False):
        run_on_sqlite(connection, "BEGIN IMMEDIATE")
    else:
        run_on_sqlite(connection, "BEGIN")


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

    async def write(self, work: Work[Result], *, shown: bool = True, limit_s: float | None = None) -> Result:
        """See `Database.write`."""
        return await _shielded(self._write_and_tell(work, self.on_write if shown else (), limit_s))

    async def _write_and_tell(
        self, work: Work[Result], listeners: Iterable[Callable[[], None]], limit_s: float | None
    ) -> Result:
        result = await self._write(work, limit_s)
        _tell(listeners)
        return result

    async def read(self, work: Work[Result]) -> Result:
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


#: Writes whose callers may have gone away: the event loop itself holds tasks only weakly.
_writing: set[asyncio.Task[Any]] = set()


async def _shielded(write: Coroutine[Any, Any, Result]) -> Result:
    """Let a write end, and be told of, even where its caller goes away meanwhile."""
    task = asyncio.create_task(write, name="db-write")
    _writing.add(task)
    task.add_done_callback(_writing.discard)
    return await asyncio.shield(task)


def _tell(listeners: Iterable[Callable[[], None]]) -> None:
    for listener in listeners:
        listener()


def _sqlstate(failure: DBAPIError) -> str | None:
    return getattr(failure.orig, "sqlstate", None)


def _is_demoted(failure: BaseException) -> bool:
    return isinstance(failure, DBAPIError) and _sqlstate(failure) == _DEMOTED_SQLSTATE
