"""The database: where all that serves requests opens its transactions and commits.

Business code is synchronous and takes a SQLAlchemy `Connection`; the edge hands it to `Database.write` or `.read`:

- SQLite (the default, `db/sqlite.py`): the plain sqlite3 driver, one writing connection at a time and a few reading,
  on threads beside the event loop; work that is `brief` runs on the loop itself (docs/adr/0013-brief-work.md).
- PostgreSQL (`db/postgres.py`): asyncpg under synchronous SQLAlchemy, READ COMMITTED; what must hold is held by row
  locks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from foreknow.db.postgres import PostgresDatabase
from foreknow.db.sqlite import SqliteDatabase
from foreknow.db.transactions import Locked, ReadTx, ReadWork, Result, WriteTx, WriteWork

__all__ = ["Database", "Locked", "ReadTx", "ReadWork", "WriteTx", "WriteWork", "open_database"]


class Database(Protocol):
    """One database, SQLite or PostgreSQL, with the same methods.

    Reads:  `lookup` for rows by key or one page of an index, `read` for everything that may take longer.
    Writes: `write` for rows that public responses show, `write_private` for all others, `write_orders` for the trade
    desk.

    All run a function in one transaction. A write commits before it returns; any exception rolls it back. A write that
    loses a race (deadlock, unique key) runs its function again, so the function must have no effect but its rows.
    All raise `Unavailable` if the database cannot be reached or used; writes also if the fate of the commit is unknown,
    and `Locked`, which is one, if another holds a lock for over `LOCK_S`.
    """

    url: str
    is_sqlite: bool
    #: Called after each commit of `write`.
    on_write: list[Callable[[], None]]

    async def lookup(self, work: ReadWork[Result]) -> Result:
        """Run a read of a few milliseconds, however long the history; on SQLite the event loop runs it itself.

        `work` may run twice, the second time on another thread.
        """
        ...

    async def read(self, work: ReadWork[Result]) -> Result:
        """Run a read beside the event loop."""
        ...

    async def write(self, work: WriteWork[Result]) -> Result:
        """Run a write that public responses may show; `on_write` is called after its commit."""
        ...

    async def write_private(self, work: WriteWork[Result]) -> Result:
        """Run a write whose rows stand in no cached response, or whose caller invalidates them itself."""
        ...

    async def write_orders(self, work: WriteWork[Result], *, limit_s: float, lock_s: float | None = None) -> Result:
        """Run a batch of orders: a private write of a few milliseconds, begun and computed on the event loop.

        PostgreSQL's connection is closed if it takes over `limit_s`, because all later orders wait for it. Raises
        `Locked` after `lock_s` (None: `LOCK_S`) of waiting for another's lock; on SQLite, which has one lock for all,
        since the call.
        """
        ...

    async def close(self) -> None:
        """Close all connections after the work under way; on PostgreSQL, what takes over `CLOSE_S` is broken off."""
        ...


def open_database(url: str) -> Database:
    """Open `sqlite:///path` or `postgresql://user[:password]@host:port/name`; nothing is connected yet."""
    if url.startswith("sqlite:"):
        return SqliteDatabase(url)
    return PostgresDatabase(url)
