"""The two databases of a copy, each in one transaction, behind one interface for SQLite and PostgreSQL."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol, TypeVar

from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import NullPool

from foreknow.commands.copying.errors import TargetInUse
from foreknow.platform.db.engine import naming
from foreknow.platform.db.postgres.connections import ServerTimeouts, postgres_engine
from foreknow.platform.db.sqlite.connections import sqlite_engine
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Longest wait for locks on a target that is in use.
WAIT_MS = 3_000
#: Longest silence of PostgreSQL: it may pause to write rows to disk, and no client waits for a copy.
_TIMEOUTS = ServerTimeouts(silence_s=60)
Result = TypeVar("Result")


class CopyDatabase(Protocol):
    """One database in one transaction."""

    is_sqlite: bool

    async def run(self, work: Callable[[WriteTx], Result]) -> Result:
        """Run `work(tx)` in the transaction, which stays open."""
        ...


class _SqliteDatabase:
    # Runs on the event loop: a copy has nothing else to do.

    is_sqlite = True

    def __init__(self, tx: WriteTx) -> None:
        self._tx = tx

    async def run(self, work: Callable[[WriteTx], Result]) -> Result:
        return work(WriteTx(ReadTx(self._tx)))


class _PostgresDatabase:
    is_sqlite = False

    def __init__(self, tx: AsyncConnection) -> None:
        self._tx = tx

    async def run(self, work: Callable[[WriteTx], Result]) -> Result:
        return await self._tx.run_sync(lambda tx: work(WriteTx(ReadTx(tx))))


@contextlib.asynccontextmanager
async def snapshot(url: str) -> AsyncIterator[CopyDatabase]:
    """Open a read-only snapshot."""
    with naming(url):
        async with _snapshot(url) as side:
            yield side


@contextlib.asynccontextmanager
async def _snapshot(url: str) -> AsyncIterator[CopyDatabase]:
    if url.startswith("sqlite:"):
        with _sqlite(url) as tx:
            tx.exec_driver_sql("BEGIN")
            yield _SqliteDatabase(tx)
    else:
        async with _engine(url) as engine, engine.connect() as tx:
            seen = await tx.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            yield _PostgresDatabase(seen)


@contextlib.asynccontextmanager
async def transaction(url: str) -> AsyncIterator[CopyDatabase]:
    """Open a write transaction: commits where the block succeeds, else rolls back. Raises `TargetInUse`."""
    with naming(url):
        async with _transaction(url) as side:
            yield side


@contextlib.asynccontextmanager
async def _transaction(url: str) -> AsyncIterator[CopyDatabase]:
    if url.startswith("sqlite:"):
        with _sqlite(url) as tx:
            tx.exec_driver_sql(f"PRAGMA busy_timeout = {WAIT_MS:d}")
            try:
                tx.exec_driver_sql("BEGIN IMMEDIATE")
            except OperationalError as failure:
                raise TargetInUse from failure
            yield _SqliteDatabase(tx)
            tx.commit()
    else:
        async with _engine(url) as engine, engine.begin() as tx:
            yield _PostgresDatabase(tx)


@contextlib.contextmanager
def _sqlite(url: str) -> Iterator[WriteTx]:
    engine = sqlite_engine(url)
    try:
        with engine.connect() as tx:
            # Long sorts spill to files here; the service's short ones stay in memory.
            tx.exec_driver_sql("PRAGMA temp_store=FILE")
            yield WriteTx(ReadTx(tx))
    finally:
        engine.dispose()


@contextlib.asynccontextmanager
async def _engine(url: str) -> AsyncIterator[AsyncEngine]:
    engine = postgres_engine(url, timeouts=_TIMEOUTS, poolclass=NullPool)
    try:
        yield engine
    finally:
        await engine.dispose()
