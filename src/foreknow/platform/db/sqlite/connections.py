"""Connections to SQLite's file: an engine's settings, and a connection kept from one transaction to the next."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import make_url

from foreknow.kernel.clock import Clock
from foreknow.kernel.private_files import FOLDER_MODE, close_file, make_private_file
from foreknow.platform.db.clock import clock_options
from foreknow.platform.db.statements.dialects import SHARED_STATEMENTS, SQLITE

READERS = 4
#: Longest wait of a migration for another process's lock.
BUSY_S = 30
#: Prepared statements cached per connection: of each bulk statement some twenty (`platform/db/changes.py`).
STATEMENTS = 512


def sqlite_engine(
    url: str, *, busy_s: float = BUSY_S, read_only: bool = False, clock: Clock | None = None
) -> sa.Engine:
    """Return a synchronous SQLite engine with our connection settings.

    `busy_s`: longest wait for another process's lock. `read_only`: SQLite rejects statements that write.
    """
    path = make_url(url).database or ""
    Path(path).parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    # hide_parameters keeps them out of errors and logs: they hold addresses, hashes and stored responses.
    engine = sa.create_engine(
        f"{SQLITE}:///{path}",
        pool_size=READERS + 2,
        # The connection used last knows most statements, and has most of the file in its cache.
        pool_use_lifo=True,
        hide_parameters=True,
        execution_options={**SHARED_STATEMENTS, **clock_options(clock)},
        connect_args={"check_same_thread": False, "timeout": busy_s, "cached_statements": STATEMENTS},
    )

    @sa.event.listens_for(engine, "do_connect")
    def close_to_others(*_: Any) -> None:
        # Before SQLite creates it readable by others. Its log and index, when created, take the database's mode.
        make_private_file(Path(path))
        for suffix in ("-wal", "-shm"):
            close_file(Path(path + suffix))

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:
        # SQLAlchemy's "begin" event opens transactions; the driver must not.
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "temp_store=MEMORY",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA cache_size=-32768")
        if read_only:
            connection.execute("PRAGMA query_only=ON")

    return engine


class KeptConnection:
    """One connection of an engine, for one transaction at a time.

    Taking a connection from the pool and giving it back costs more than BEGIN and COMMIT.
    """

    def __init__(self, engine: sa.Engine) -> None:
        """Connect on first use."""
        self._engine = engine
        self._connection: sa.Connection | None = None

    def begin(self) -> sa.Connection:
        """Begin a transaction, which `end` ends."""
        if self._connection is None:
            self._connection = self._engine.connect()
        self._connection.begin()
        return self._connection

    def holds(self, connection: sa.Connection) -> bool:
        """Return whether this is the kept connection."""
        return connection is self._connection

    def end(self) -> None:
        """Roll back what is not committed."""
        connection = self._connection
        transaction = None if connection is None else connection.get_transaction()
        if connection is None or transaction is None:
            return
        try:
            transaction.close()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the connection back; the next transaction takes another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
