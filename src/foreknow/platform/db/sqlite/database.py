"""SQLite in one file: WAL and synchronous=FULL, so that a commit is on disk before the response."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError

from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.sqlite.connections import READERS, KeptConnection, sqlite_engine
from foreknow.platform.db.sqlite.files import (
    CHECK_INTERVAL_S,
    Busy,
    DatabaseFiles,
    FileGone,
    raising_busy,
    rewrite_file,
    usable,
)
from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.statements.written_tables import noting_tables
from foreknow.platform.db.transactions import (
    ATTEMPTS,
    LOCK_S,
    ReadTx,
    ReadWork,
    Result,
    WriteTx,
    WriteWork,
    notify,
    shielded,
)

log = structlog.get_logger("foreknow.db")

#: A commit this quick is not worth a thread: after it the thread waits for Python's lock, up to five milliseconds while
#: the loop has work, and each of the loop's steps meanwhile costs more.
QUICK_S = 0.002
#: Part of the newest commit in the usual one, and the most that it counts for: one that also copies the log into the
#: file takes longer than the others.
NEWEST_SHARE = 0.2
COUNTED_S_MAX = 0.005
#: A slow disk is tried again after this multiple of the commit's time, or this long.
PAUSE_SHARE = 100.0
PAUSE_S = 1.0
#: Least wait for another process's lock, for a write whose time ran out in this process's queue.
LAST_WAIT_S = 0.05


class SqliteDatabase:
    """SQLite in one file: one write transaction at a time, a few reads."""

    is_sqlite = True

    def __init__(self, url: str, *, clock: Clock | None = None) -> None:
        """Use the file of `url`, created with its folder if missing; `clock`: see `open_database`."""
        self.url = url
        self.on_write: list[Callable[[], None]] = []
        # An engine for each combination of two settings: the wait for another process's lock, and read-only.
        self._write_engine = sqlite_engine(url, busy_s=LOCK_S, clock=clock)
        self._order_engine = sqlite_engine(url, busy_s=0, clock=clock)
        self._read_engine = sqlite_engine(url, busy_s=LOCK_S, read_only=True, clock=clock)
        self._lookup_engine = sqlite_engine(url, busy_s=0, read_only=True, clock=clock)
        for engine, begin in (
            (self._write_engine, "BEGIN IMMEDIATE"),
            (self._order_engine, "BEGIN IMMEDIATE"),
            (self._read_engine, "BEGIN"),
            (self._lookup_engine, "BEGIN"),
        ):
            sa.event.listen(engine, "begin", partial(execute_raw, text=begin))
        #: Orders writes by their arrival.
        self._write_lock = asyncio.Lock()
        self._pace = DiskPace()
        self._closed = False
        self._opening = asyncio.Lock()
        self._files: DatabaseFiles | None = None
        #: Held open so that SQLite does not delete its log when the last other connection closes.
        self._anchor: sa.Connection | None = None
        self._orders = KeptConnection(self._order_engine)
        #: Those on the event loop, one after the other.
        self._lookups = KeptConnection(self._lookup_engine)
        self._watcher: asyncio.Task[None] | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="db-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="db-reader")

    async def write(self, work: WriteWork[Result]) -> Result:
        """See `Database.write`."""
        return await shielded(self._write_and_notify(work))

    async def write_private(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_private`."""
        return await shielded(self._write_in_order(self._write_in_thread, work, until_s=_until_s()))

    async def write_brief(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_brief`."""
        return await shielded(self._write_in_order(self._write_on_loop, work, until_s=_until_s()))

    async def write_orders(self, work: WriteWork[Result], *, limit_s: float, lock_s: float | None = None) -> Result:
        """See `Database.write_orders`; `limit_s` is PostgreSQL's."""
        return await shielded(self._write_in_order(self._write_on_loop, work, until_s=_until_s(lock_s)))

    async def lookup(self, work: ReadWork[Result]) -> Result:
        """See `Database.lookup`."""
        if self._closed:
            raise Unavailable
        (self._files or await self._open()).check_if_due()
        with usable(reading=True), contextlib.suppress(Busy):
            return self._look_up(work)
        return await self.read(work)

    async def read(self, work: ReadWork[Result]) -> Result:
        """See `Database.read`."""
        if self._closed:
            raise Unavailable
        (self._files or await self._open()).check_if_due()
        with usable(reading=True):
            return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def rewrite(self) -> bool:
        """See `Database.rewrite`."""
        async with self._write_lock:
            if self._closed:
                raise Unavailable
            if self._files is None:
                await self._open()
            return await self._in_writer(rewrite_file, Path(make_url(self.url).database or ""))

    async def close(self) -> None:
        """See `Database.close`."""
        async with self._write_lock:
            self._closed = True
            if self._watcher is not None:
                self._watcher.cancel()
            await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._readers.shutdown)
        for connection in (self._anchor, self._orders, self._lookups):
            if connection is not None:
                connection.close()
        for engine in (self._lookup_engine, self._read_engine, self._order_engine, self._write_engine):
            engine.dispose()

    async def _open(self) -> DatabaseFiles:
        """Record the files' identities and start watching them."""
        async with self._opening:
            if self._files is not None:
                return self._files
            with usable():
                self._anchor, files = await self._in_writer(self._open_anchor)
            self._watcher = asyncio.create_task(self._watch(files), name="db-files")
            self._files = files
            return files

    def _open_anchor(self) -> tuple[sa.Connection, DatabaseFiles]:
        anchor = self._write_engine.connect()
        try:
            # The first read opens or creates the log.
            execute_raw(anchor, "SELECT count(*) FROM sqlite_master")
            anchor.rollback()
        except BaseException:
            anchor.close()
            raise
        return anchor, DatabaseFiles(make_url(self.url).database or "")

    async def _watch(self, files: DatabaseFiles) -> None:
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            try:
                files.check()
            except FileGone as gone:
                log.error("database file lost", reason=str(gone.__cause__))  # noqa: TRY400 # the reason says it all
                break
        if files.is_only_log_lost:
            async with self._write_lock:
                is_saved = await self._in_writer(self._save_log)
            log.warning("lost database log checkpointed", saved=is_saved)

    def _save_log(self) -> bool:
        """Checkpoint the deleted log into the database: only this process can still read it."""
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
        result = await self._write_in_order(self._write_in_thread, work, until_s=_until_s())
        notify(self.on_write)
        return result

    async def _write_in_order(
        self,
        write: Callable[[WriteWork[Result], float], Awaitable[Result]],
        work: WriteWork[Result],
        *,
        until_s: float,
    ) -> Result:
        async with self._write_lock:
            if self._closed:
                raise Unavailable
            files = self._files or await self._open()
            files.check_if_due()
            result = await self._write_with_retries(write, work, until_s)
            # If the files were removed meanwhile, the commit is lost.
            files.check()
            return result

    async def _write_with_retries(
        self, write: Callable[[WriteWork[Result], float], Awaitable[Result]], work: WriteWork[Result], until_s: float
    ) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with usable():
                    return await write(work, until_s)
            except IntegrityError:
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError

    async def _write_in_thread(self, work: WriteWork[Result], until_s: float) -> Result:
        return await self._in_writer(self._write, work, until_s)

    async def _write_on_loop(self, work: WriteWork[Result], until_s: float) -> Result:
        """Run `work` on the event loop, and what may wait for a lock or a slow disk on the writer's thread."""
        try:
            tx = self._begin()
        except Busy:
            tx = await self._in_writer(self._begin_waiting, until_s)
        try:
            result = work(tx)
            await self._commit(tx)
        finally:
            self._end(tx)  # rolls back what was not committed
        return result

    async def _commit(self, tx: WriteTx) -> None:
        # Past SQLAlchemy: what the thread does in Python, it takes from the loop.
        commit = partial(execute_raw, tx, "COMMIT")
        if not self._pace.is_quick(time.perf_counter()):
            await self._in_writer(commit)
        else:
            self._pace.take(commit, time.perf_counter)

    async def _in_writer(self, do: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._writer, do, *arguments)

    def _write(self, work: WriteWork[Result], until_s: float) -> Result:
        try:
            tx = self._begin()
        except Busy:
            tx = self._begin_waiting(until_s)
        try:
            with noting_tables(tx):
                result = work(tx)
            execute_raw(tx, "COMMIT")
        finally:
            self._end(tx)
        return result

    def _begin(self) -> WriteTx:
        """Begin a write transaction without waiting, on the kept connection; `_end` ends it. Raises `Busy`."""
        with raising_busy():
            return WriteTx(ReadTx(self._orders.begin()))

    def _end(self, tx: sa.Connection) -> None:
        """Roll back what is not committed, and give the connection back, unless it is the kept one."""
        if self._orders.holds(tx):
            self._orders.end()
        else:
            tx.close()

    def _begin_waiting(self, until_s: float) -> WriteTx:
        """Begin a write transaction, waiting for other processes' locks; raises `Busy` after `until_s`."""
        with raising_busy():
            tx = self._write_engine.connect()
            try:
                _set_busy_timeout(tx, max(until_s - time.monotonic(), LAST_WAIT_S))
                tx.begin()
                _set_busy_timeout(tx, LOCK_S)
            except BaseException:
                _set_busy_timeout(tx, LOCK_S)
                tx.close()
                raise
        return WriteTx(ReadTx(tx))

    def _look_up(self, work: ReadWork[Result]) -> Result:
        with raising_busy():
            try:
                return work(ReadTx(self._lookups.begin()))
            finally:
                self._lookups.end()

    def _read(self, work: ReadWork[Result]) -> Result:
        with raising_busy(), self._read_engine.connect() as tx, tx.begin():
            return work(ReadTx(tx))


class DiskPace:
    """Where commits wait for the disk: on the event loop while it is quick, or on the writer's thread.

    A disk is taken for quick until it is known.
    """

    def __init__(self) -> None:
        """Start without a commit."""
        self._usual_s = 0.0
        self._again_at_s = 0.0

    def is_quick(self, now_s: float) -> bool:
        """Return whether to commit on the event loop; `now_s` by one monotonic clock."""
        return self._usual_s <= QUICK_S or now_s >= self._again_at_s

    def take(self, commit: Callable[[], object], clock: Callable[[], float]) -> None:
        """Commit on the event loop, and note how long it took."""
        began_s = clock()
        commit()
        ended_s = clock()
        self.note(ended_s - began_s, ended_s)

    def note(self, seconds: float, now_s: float) -> None:
        """Note how long a commit on the event loop took."""
        self._usual_s += NEWEST_SHARE * (min(seconds, COUNTED_S_MAX) - self._usual_s)
        self._again_at_s = now_s + max(PAUSE_S, PAUSE_SHARE * seconds)


def _until_s(lock_s: float | None = None) -> float:
    return time.monotonic() + (LOCK_S if lock_s is None else lock_s)


def _set_busy_timeout(tx: sa.Connection, wait_s: float) -> None:
    driver: Any = tx.connection.dbapi_connection
    driver.execute(f"PRAGMA busy_timeout={round(wait_s * 1000)}")
