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
from foreknow.db.work import Locked, Result, Work

__all__ = ["Database", "Locked", "Work", "open_database"]


class Database(Protocol):
    """One database, SQLite or PostgreSQL, seen the same way."""

    url: str
    is_sqlite: bool
    #: Told after each commit of a write that is `shown`.
    on_write: list[Callable[[], None]]

    async def write(
        self,
        work: Work[Result],
        *,
        shown: bool = True,
        brief: bool = False,
        limit_s: float | None = None,
        lock_s: float | None = None,
    ) -> Result:
        """Run `work(tx)` in one transaction and return after its commit.

        `shown` False: whoever calls tells by itself who must know, or no public answer shows these rows.
        `brief`: the work takes a few milliseconds, however long the history; the event loop may do it itself.
        `limit_s`: PostgreSQL's connection is given up where the transaction takes longer, for the sake of those who
        wait for its end.
        `lock_s`: how long it waits for a lock that somebody else holds, where not for `LOCK_S`; on SQLite, which has
        one lock for all, the time since the call.

        A `Refusal` (or any exception) rolls back. A lost race (deadlock, unique key) runs `work` again, so `work`
        must have no other effect than its rows. Raises `Unavailable` where the database cannot be reached or
        used, or the fate of the commit is unknown; `Locked` of these where a lock was waited for in vain.
        """
        ...

    async def read(self, work: Work[Result], *, brief: bool = False) -> Result:
        """Run `work(tx)` on one consistent snapshot that cannot write; `brief` as in `write`.

        Brief work may run twice, the second time on another thread: it must have no other effect.
        """
        ...

    async def close(self) -> None:
        """Close all connections, after the work under way; on PostgreSQL, what takes `CLOSE_S` more is broken off."""
        ...


def open_database(url: str) -> Database:
    """Open `sqlite:///path` or `postgresql://user[:password]@host:port/name`; nothing is connected yet."""
    if url.startswith("sqlite:"):
        return SqliteDatabase(url)
    return PostgresDatabase(url)
