"""SQLite in one file: WAL and synchronous=FULL, so that an answer means "on disk"."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError

from foreknow.db.driver import execute_raw
from foreknow.db.file_watch import LOOK_EVERY_S, DatabaseFiles, FileGone
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
from foreknow.kernel.private import FOLDER_MODE, close_file, make_private_file

log = structlog.get_logger("foreknow.db")

READERS = 4
#: How long a migration waits for another process's.
BUSY_S = 30
#: Prepared statements that a connection keeps; the bulk ones come in a text for each power of two.
STATEMENTS = 512
#: Whoever waited for a turn until the time for waiting was over still waits so long for another process.
LAST_WAIT_S = 0.05
#: A file that is damaged, or none of SQLite's: where a disk forgot what it held, SQLite reads zeros.
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def sqlite_engine(url: str, *, busy_s: float = BUSY_S, read_only: bool = False) -> sa.Engine:
    """Return a synchronous SQLite engine with our connection settings.

    `busy_s`: wait for another process's lock. `read_only`: SQLite refuses every statement that writes.
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
        if read_only:
            connection.execute("PRAGMA query_only=ON")

    return engine


class SqliteDatabase:
    """SQLite in one file: one transaction that writes at a time, a few that read."""

    is_sqlite = True

    def __init__(self, url: str) -> None:
        """Open the file of `url`, made with its folder where missing."""
        self.url = url
        self.on_write: list[Callable[[], None]] = []
        # One engine each, for two settings: whether to wait for another process's lock, and whether it may write.
        self._write_engine = sqlite_engine(url, busy_s=LOCK_S)
        self._order_engine = sqlite_engine(url, busy_s=0)
        self._read_engine = sqlite_engine(url, busy_s=LOCK_S, read_only=True)
        self._lookup_engine = sqlite_engine(url, busy_s=0, read_only=True)
        for engine, begin in (
            (self._write_engine, "BEGIN IMMEDIATE"),
            (self._order_engine, "BEGIN IMMEDIATE"),
            (self._read_engine, "BEGIN"),
            (self._lookup_engine, "BEGIN"),
        ):
            sa.event.listen(engine, "begin", partial(execute_raw, text=begin))
        #: Writes follow each other in the order in which they came.
        self._turn = asyncio.Lock()
        self._closed = False
        self._opening = asyncio.Lock()
        self._files: DatabaseFiles | None = None
        #: While it is open, SQLite does not take its log away and make another one.
        self._anchor: sa.Connection | None = None
        self._watch: asyncio.Task[None] | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="db-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="db-reader")

    async def write(self, work: WriteWork[Result]) -> Result:
        """See `Database.write`."""
        return await shielded(self._write_and_notify(work))

    async def write_private(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_private`."""
        return await shielded(self._write_in_turn(self._write_in_thread, work, until_s=_until_s()))

    async def write_orders(self, work: WriteWork[Result], *, limit_s: float, lock_s: float | None = None) -> Result:
        """See `Database.write_orders`; `limit_s` is PostgreSQL's."""
        return await shielded(self._write_in_turn(self._write_on_loop, work, until_s=_until_s(lock_s)))

    async def lookup(self, work: ReadWork[Result]) -> Result:
        """See `Database.lookup`."""
        if self._closed:
            raise Unavailable
        (self._files or await self._open()).check_now_and_then()
        with _usable(reading=True), contextlib.suppress(_Busy):
            return self._read(self._lookup_engine, work)
        return await self.read(work)

    async def read(self, work: ReadWork[Result]) -> Result:
        """See `Database.read`."""
        if self._closed:
            raise Unavailable
        (self._files or await self._open()).check_now_and_then()
        with _usable(reading=True):
            return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, self._read_engine, work)

    async def close(self) -> None:
        """See `Database.close`."""
        async with self._turn:
            self._closed = True
            if self._watch is not None:
                self._watch.cancel()
            await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._readers.shutdown)
        if self._anchor is not None:
            self._anchor.close()
        for engine in (self._lookup_engine, self._read_engine, self._order_engine, self._write_engine):
            engine.dispose()

    async def _open(self) -> DatabaseFiles:
        """Remember which files they are, and look after them."""
        async with self._opening:
            if self._files is not None:
                return self._files
            with _usable():
                self._anchor, files = await self._in_writer(self._drop_anchor)
            self._watch = asyncio.create_task(self._look_after(files), name="db-files")
            self._files = files
            return files

    def _drop_anchor(self) -> tuple[sa.Connection, DatabaseFiles]:
        anchor = self._write_engine.connect()
        try:
            # The first to read opens the log, or makes it.
            execute_raw(anchor, "SELECT count(*) FROM sqlite_master")
            anchor.rollback()
        except BaseException:  # whatever it is, the connection goes back
            anchor.close()
            raise
        return anchor, DatabaseFiles(make_url(self.url).database or "")

    async def _look_after(self, files: DatabaseFiles) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                files.check()
            except FileGone as gone:
                log.error("the database is gone", reason=str(gone.__cause__))  # noqa: TRY400 # it is told in full
                break
        if files.is_log_lost_alone:
            async with self._turn:
                is_saved = await self._in_writer(self._save_log)
            log.warning("what the lost log held", saved=is_saved)

    def _save_log(self) -> bool:
        """Write into the database what is only in the log, which nobody but us can read any more."""
        assert self._anchor is not None
        driver: Any = self._anchor.connection.dbapi_connection
        try:
            busy, in_log, saved = driver.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        except sqlite3.Error:
            return False
        finally:
            self._anchor.rollback()
        return not busy and in_log == saved

    async def _write_and_notify(self, work: WriteWork[Result]) -> Result:
        result = await self._write_in_turn(self._write_in_thread, work, until_s=_until_s())
        notify(self.on_write)
        return result

    async def _write_in_turn(
        self,
        write: Callable[[WriteWork[Result], float], Awaitable[Result]],
        work: WriteWork[Result],
        *,
        until_s: float,
    ) -> Result:
        async with self._turn:
            if self._closed:
                raise Unavailable
            files = self._files or await self._open()
            files.check_now_and_then()
            result = await self._write_with_retries(write, work, until_s)
            # If the files were removed meanwhile, the commit is in one that nobody finds again.
            files.check()
            return result

    async def _write_with_retries(
        self, write: Callable[[WriteWork[Result], float], Awaitable[Result]], work: WriteWork[Result], until_s: float
    ) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with _usable():
                    return await write(work, until_s)
            except IntegrityError:
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError

    async def _write_in_thread(self, work: WriteWork[Result], until_s: float) -> Result:
        return await self._in_writer(self._write, work, until_s)

    async def _write_on_loop(self, work: WriteWork[Result], until_s: float) -> Result:
        """Run `work` on the event loop; what may wait for another process or for the disk, on the writer's thread."""
        try:
            tx = self._begin()
        except _Busy:
            tx = await self._in_writer(self._begin_at_last, until_s)
        try:
            result = work(tx)
        except BaseException:  # whatever it is, the transaction ends
            await self._in_writer(tx.close)
            raise
        await self._in_writer(_commit, tx)
        return result

    async def _in_writer(self, do: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._writer, do, *arguments)

    def _write(self, work: WriteWork[Result], until_s: float) -> Result:
        try:
            tx = self._begin()
        except _Busy:
            tx = self._begin_at_last(until_s)
        try:
            result = work(tx)
        except BaseException:  # whatever it is, the transaction ends
            tx.close()
            raise
        _commit(tx)
        return result

    def _begin(self) -> WriteTx:
        """Open a transaction that writes, without waiting; closing the connection rolls it back. Raises `_Busy`."""
        with _told_if_busy():
            tx = self._order_engine.connect()
            try:
                tx.begin()
            except BaseException:  # whatever it is, the connection goes back
                tx.close()
                raise
        return WriteTx(ReadTx(tx))

    def _begin_at_last(self, until_s: float) -> WriteTx:
        """Open a transaction that writes once other processes let it; raises `_Busy` where they do not in time."""
        with _told_if_busy():
            tx = self._write_engine.connect()
            try:
                _wait_at_most(tx, max(until_s - time.monotonic(), LAST_WAIT_S))
                tx.begin()
                _wait_at_most(tx, LOCK_S)
            except BaseException:  # whatever it is, the connection goes back
                _wait_at_most(tx, LOCK_S)
                tx.close()
                raise
        return WriteTx(ReadTx(tx))

    def _read(self, engine: sa.Engine, work: ReadWork[Result]) -> Result:
        with _told_if_busy(), engine.connect() as tx, tx.begin():
            return work(ReadTx(tx))


def _until_s(lock_s: float | None = None) -> float:
    return time.monotonic() + (LOCK_S if lock_s is None else lock_s)


def _commit(tx: sa.Connection) -> None:
    """Commit and give the connection back, without its transaction in any case."""
    with tx:
        try:
            tx.commit()
        except BaseException:
            # Closing alone would not: SQLAlchemy takes a transaction whose commit failed for ended.
            tx.rollback()
            raise


def _wait_at_most(tx: sa.Connection, wait_s: float) -> None:
    driver: Any = tx.connection.dbapi_connection
    driver.execute(f"PRAGMA busy_timeout={round(wait_s * 1000)}")


class _Busy(Locked):
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
def _usable(*, reading: bool = False) -> Iterator[None]:
    """Raise `Unavailable` for a file that SQLite cannot use."""
    try:
        yield
    except DatabaseError as failure:
        if _is_our_mistake(failure, reading=reading):
            raise
        raise Unavailable from failure


def _is_our_mistake(failure: DatabaseError, *, reading: bool) -> bool:
    """Tell a statement that SQLite calls wrong from a file that cannot be used: the driver has one class for both."""
    if isinstance(failure, OperationalError):
        code = _error_code(failure)
        # Of a read, READONLY means a statement that writes; of a write, a file or disk that is read-only.
        return code == sqlite3.SQLITE_ERROR or (reading and code == sqlite3.SQLITE_READONLY)
    return _error_code(failure) not in _DAMAGED


def _error_code(failure: DatabaseError) -> int:
    code: int = getattr(failure.orig, "sqlite_errorcode", sqlite3.SQLITE_BUSY)
    # The low byte is the error, what is above it its circumstances.
    return code & 0xFF
