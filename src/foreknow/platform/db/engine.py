"""The database: opens and commits the transactions of the service.

Services are synchronous functions of a transaction; routes hand them to `Database.write` or `.read`:

- SQLite (the default, `platform/db/sqlite/database.py`): the sqlite3 driver on threads, one writer and a few readers;
  lookups and orders run on the event loop (docs/adr/0013-brief-work.md).
- PostgreSQL (`platform/db/postgres/database.py`): asyncpg under synchronous SQLAlchemy, READ COMMITTED with row locks.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from sqlalchemy.exc import DBAPIError

from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.postgres.connections import parse_database_url, servers_of
from foreknow.platform.db.postgres.database import PostgresDatabase
from foreknow.platform.db.sqlite.database import SqliteDatabase
from foreknow.platform.db.transactions import ReadWork, Result, WriteWork

#: Start of the note on a failure of a database other than that of connecting; its name follows.
IN_DATABASE = "in the database "


class Database(Protocol):
    """SQLite or PostgreSQL behind the same methods.

    Reads:  `lookup` for rows by key or one page of an index, `read` for everything that may take longer.
    Writes: `write` for rows that public responses show, `write_private` for all others, `write_brief` for many short
    ones after each other, `write_orders` for the trade desk.

    Each runs a function in one transaction. A write commits before it returns; any exception rolls it back. A write
    that loses a race (deadlock, unique key) runs its function again, so the function must have no effect but its rows.
    All raise `Unavailable` if the database cannot be reached or used; writes also if the outcome of the commit is
    unknown, and its subclass `Locked` if another transaction holds a lock for over `transactions.LOCK_S`.
    """

    url: str
    is_sqlite: bool
    #: Called after each commit of `write`.
    on_write: list[Callable[[], None]]

    async def lookup(self, work: ReadWork[Result]) -> Result:
        """Run a read that takes a few milliseconds however many rows there are; on SQLite, on the event loop.

        `work` may run twice, the second time on another thread.
        """
        ...

    async def read(self, work: ReadWork[Result]) -> Result:
        """Run a read without blocking the event loop."""
        ...

    async def write(self, work: WriteWork[Result]) -> Result:
        """Run a write that public responses may show; `on_write` is called after its commit."""
        ...

    async def write_private(self, work: WriteWork[Result]) -> Result:
        """Run a write whose rows are in no cached response, or whose caller invalidates those responses."""
        ...

    async def write_brief(self, work: WriteWork[Result]) -> Result:
        """Run a private write of a few milliseconds; on SQLite, computed on the event loop."""
        ...

    async def write_orders(self, work: WriteWork[Result], *, limit_s: float, lock_s: float | None = None) -> Result:
        """Run a batch of orders, or what one waits for: a private write of milliseconds, run on the event loop.

        PostgreSQL: the transaction begins with its locks (`row_locks.lock_rows`), which `work` takes before it writes;
        what it reads before is ids that never change. The connection is closed after `limit_s`: all later orders wait
        for it. Raises `Locked` after waiting `lock_s` (None: `LOCK_S`) for a lock; on SQLite, which has one lock,
        counted from the call.
        """
        ...

    async def rewrite(self) -> bool:
        """SQLite: write the file again, without what unused bytes of it hold of deleted rows, and empty the log.

        Writes wait meanwhile. False where a reader still needs the log: repeat it. PostgreSQL: do nothing; its pages
        are the autovacuum's.
        """
        ...

    async def close(self) -> None:
        """Close all connections after running transactions; PostgreSQL's are terminated after `postgres.CLOSE_S`."""
        ...


def open_database(url: str, *, clock: Clock | None = None) -> Database:
    """Open `sqlite:///path` or `postgresql://user[:password]@host:port/name`; it connects lazily.

    `clock`: the time of writes (`platform/db/clock.py`), for tests; None for the database's own.
    """
    if url.startswith("sqlite:"):
        return SqliteDatabase(url, clock=clock)
    return PostgresDatabase(url, clock=clock)


def name_of(url: str) -> str:
    """Return what people call the database at `url`: its file, or host:port/name; no password."""
    parts = parse_database_url(url)
    if parts.drivername == "sqlite":
        return str(Path(parts.database or "").absolute())
    return f"{servers_of(parts)}/{parts.database}"


@contextlib.contextmanager
def naming(url: str) -> Iterator[None]:
    """Let failures of the database at `url` name it."""
    try:
        yield
    except (DBAPIError, sqlite3.Error, Unavailable) as failure:
        failure.add_note(f"{IN_DATABASE}{name_of(url)}")
        raise
