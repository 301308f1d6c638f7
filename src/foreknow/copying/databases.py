"""The two databases of a copy, each in one transaction, seen the same way whichever kind it is."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol, TypeVar

from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import NullPool

from foreknow.copying.errors import TargetInUse
from foreknow.db.connections import Timeouts, postgres_engine
from foreknow.db.sqlite import sqlite_engine
from foreknow.db.transactions import ReadTx, WriteTx

#: So long the copy waits for whoever is in the target.
WAIT_MS = 3_000
#: Rows are sent faster than a server may take them while it writes to its disk, and nobody waits meanwhile.
_TIMEOUTS = Timeouts(silence_s=60)
Result = TypeVar("Result")


class Side(Protocol):
    """One database in one transaction."""

    is_sqlite: bool

    async def run(self, work: Callable[[WriteTx], Result]) -> Result:
        """Run `work(tx)` in the transaction, which stays open."""
        ...


class _SqliteSide:
    # It keeps the event loop while it works: a copy has nothing else to do.

    is_sqlite = True

    def __init__(self, tx: WriteTx) -> None:
        self._tx = tx

    async def run(self, work: Callable[[WriteTx], Result]) -> Result:
        return work(WriteTx(ReadTx(self._tx)))


class _PostgresSide:
    is_sqlite = False

    def __init__(self, tx: AsyncConnection) -> None:
        self._tx = tx

    async def run(self, work: Callable[[WriteTx], Result]) -> Result:
        return await self._tx.run_sync(lambda tx: work(WriteTx(ReadTx(tx))))


@contextlib.asynccontextmanager
async def snapshot(url: str) -> AsyncIterator[Side]:
    """See one moment of a database, and write nothing."""
    if url.startswith("sqlite:"):
        with _sqlite(url) as tx:
            tx.exec_driver_sql("BEGIN")
            yield _SqliteSide(tx)
    else:
        async with _engine(url) as engine, engine.connect() as tx:
            seen = await tx.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            yield _PostgresSide(seen)


@contextlib.asynccontextmanager
async def transaction(url: str) -> AsyncIterator[Side]:
    """Write a database: all is committed where the block ends well, and nothing otherwise. Raises `TargetInUse`."""
    if url.startswith("sqlite:"):
        with _sqlite(url) as tx:
            tx.exec_driver_sql(f"PRAGMA busy_timeout = {WAIT_MS:d}")
            try:
                tx.exec_driver_sql("BEGIN IMMEDIATE")
            except OperationalError as failure:
                raise TargetInUse from failure
            yield _SqliteSide(tx)
            tx.commit()
    else:
        async with _engine(url) as engine, engine.begin() as tx:
            yield _PostgresSide(tx)


@contextlib.contextmanager
def _sqlite(url: str) -> Iterator[WriteTx]:
    engine = sqlite_engine(url)
    try:
        with engine.connect() as tx:
            # Long sorts go to files here; the service keeps its short ones in memory.
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
