"""SQLite in one file: WAL and synchronous=FULL, so that an answer means "on disk"."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError, OperationalError

from foreknow.db.driver import run_plain
from foreknow.db.work import ATTEMPTS, Result, Work, shielded, tell
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.private import FOLDER_MODE, close_file, make_private_file

READERS = 4
#: How long a writer waits for another process's transaction.
BUSY_S = 30
#: Prepared statements that a connection keeps; the bulk ones come in a text for each power of two.
STATEMENTS = 512


def sqlite_engine(url: str, *, busy_s: float = BUSY_S) -> sa.Engine:
    """Return a synchronous SQLite engine with the connection settings of the house.

    Whoever wants to write waits for so long for the transaction of another process.
    """
    path = make_url(url).database or ""
    Path(path).parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    # Parameters stay out of error messages, and so out of logs: they hold addresses, hashes and answers.
    engine = sa.create_engine(
        f"sqlite:///{path}",
        pool_size=READERS + 2,
        hide_parameters=True,
        connect_args={
            "check_same_thread": False,
            "timeout": busy_s,
            "cached_statements": STATEMENTS,
        },
    )

    @sa.event.listens_for(engine, "do_connect")
    def close_to_others(*_: Any) -> None:
        # Before SQLite opens it: a file made by SQLite could be read by others for a moment, and for good if it is not
        # ours to change. Logs and indexes that are yet to be made take the database's mode.
        make_private_file(Path(path))
        for beside in ("-wal", "-shm"):
            close_file(Path(path + beside))

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:
        # SQLAlchemy's "begin" event below opens transactions; the driver itself must not.
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA cache_size=-32768")

    return engine


class SqliteDatabase:
    """SQLite in one file: one transaction that writes at a time, a few that read."""

    is_sqlite = True

    def __init__(self, url: str) -> None:
        """Open the file of `url`, made with its folder where missing."""
        self.url = url
        self.on_write: list[Callable[[], None]] = []
        self._engine = sqlite_engine(url)
        #: For transactions that begin at once or not at all.
        self._impatient = sqlite_engine(url, busy_s=0)
        for engine in (self._engine, self._impatient):
            sa.event.listen(engine, "begin", _begin_sqlite)
        #: Writes follow each other in the order in which they came.
        self._turn = asyncio.Lock()
        self._closed = False
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="db-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="db-reader")

    async def write(
        self, work: Work[Result], *, shown: bool = True, brief: bool = False, limit_s: float | None = None
    ) -> Result:
        """See `Database.write`."""
        return await shielded(self._write_and_tell(work, self.on_write if shown else (), brief=brief))

    async def _write_and_tell(
        self, work: Work[Result], listeners: Iterable[Callable[[], None]], *, brief: bool
    ) -> Result:
        async with self._turn:
            if self._closed:
                raise Unavailable
            result = await self._write_at_last(work, brief=brief)
        tell(listeners)
        return result

    async def read(self, work: Work[Result], *, brief: bool = False) -> Result:
        """See `Database.read`."""
        if self._closed:
            raise Unavailable
        with _usable():
            if brief:
                with contextlib.suppress(_Busy):
                    return self._read(self._impatient, work)
            return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, self._engine, work)

    async def close(self) -> None:
        """See `Database.close`."""
        async with self._turn:
            self._closed = True
            await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._readers.shutdown)
        self._impatient.dispose()
        self._engine.dispose()

    async def _write_at_last(self, work: Work[Result], *, brief: bool) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with _usable():
                    return await (self._write_here(work) if brief else self._beside(self._write, work))
            except IntegrityError:
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError

    async def _write_here(self, work: Work[Result]) -> Result:
        """Run `work` on the event loop; what may wait for another process or for the disk, on the writer's thread."""
        try:
            tx = self._begin(self._impatient)
        except _Busy:
            tx = await self._beside(self._begin, self._engine)
        try:
            result = work(tx)
        except BaseException:  # whatever it is, the transaction ends
            await self._beside(tx.close)
            raise
        await self._beside(_commit, tx)
        return result

    async def _beside(self, do: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._writer, do, *arguments)

    def _write(self, work: Work[Result]) -> Result:
        tx = self._begin(self._engine)
        try:
            result = work(tx)
        except BaseException:  # whatever it is, the transaction ends
            tx.close()
            raise
        _commit(tx)
        return result

    def _begin(self, engine: sa.Engine) -> sa.Connection:
        """Open a transaction that writes; closing the connection rolls it back. Raises `_Busy`."""
        with _told_if_busy():
            tx = engine.connect().execution_options(foreknow_writes=True)
            try:
                tx.begin()
            except BaseException:  # whatever it is, the connection goes back
                tx.close()
                raise
        return tx

    def _read(self, engine: sa.Engine, work: Work[Result]) -> Result:
        with _told_if_busy(), engine.connect() as tx, tx.begin():
            return work(tx)


def _commit(tx: sa.Connection) -> None:
    """Commit and give the connection back, without its transaction in any case."""
    with tx:
        try:
            tx.commit()
        except BaseException:
            # Closing alone would not: SQLAlchemy takes a transaction whose commit failed for ended.
            tx.rollback()
            raise


class _Busy(Unavailable):
    """Another process has the lock that was wanted."""


@contextlib.contextmanager
def _told_if_busy() -> Iterator[None]:
    try:
        yield
    except OperationalError as failure:
        if _error_code(failure) != sqlite3.SQLITE_BUSY:
            raise
        raise _Busy from failure


@contextlib.contextmanager
def _usable() -> Iterator[None]:
    """Call a file that SQLite cannot use `Unavailable`."""
    try:
        yield
    except OperationalError as failure:
        if _is_our_mistake(failure):
            raise
        raise Unavailable from failure


def _is_our_mistake(failure: OperationalError) -> bool:
    """Tell a statement that SQLite calls wrong from a file that cannot be used: the driver has one class for both."""
    return _error_code(failure) == sqlite3.SQLITE_ERROR


def _error_code(failure: OperationalError) -> int:
    code: int = getattr(failure.orig, "sqlite_errorcode", sqlite3.SQLITE_BUSY)
    # The low byte is the error, what is above it its circumstances.
    return code & 0xFF


def _begin_sqlite(connection: sa.Connection) -> None:
    if connection.get_execution_options().get("foreknow_writes", False):
        run_plain(connection, "BEGIN IMMEDIATE")
    else:
        run_plain(connection, "BEGIN")
