"""Writing rows in bulk: indexes and foreign keys are taken away before and made again, from all rows, afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import asyncpg
from sqlalchemy.engine import make_url

from foreknow.service.tables import metadata

#: Numbered by the database in the order of writing; all other tables are given their ids.
NUMBERED = {"transfers", "partner_transactions", "notifications", "admin_log", "sessions"}
Row = tuple[Any, ...]


class Sink(Protocol):
    """Where rows go."""

    def write(self, table: str, rows: Sequence[Row]) -> None:
        """Append rows with values for the table's first columns (but the id of the tables that are `NUMBERED`).

        Columns that were added later keep their defaults.
        """
        ...

    def run(self, statement: str) -> None:
        """Run a statement."""
        ...


def columns(table: str) -> list[str]:
    """Return the names of the columns from which a row of `Sink.write` has the first ones."""
    names = [column.name for column in metadata.tables[table].columns]
    return names[1:] if table in NUMBERED else names


@contextlib.contextmanager
def sink(url: str) -> Iterator[Sink]:
    """Open an up-to-date, empty database for loading, and leave it with all its indexes and keys."""
    with _sqlite(url) if url.startswith("sqlite:") else _postgres(url) as opened:
        yield opened


class _SqliteSink:
    """One big transaction without a journal: whatever goes wrong, the file is thrown away."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def write(self, table: str, rows: Sequence[Row]) -> None:
        names = columns(table)[: len(rows[0])]
        places = ", ".join("?" * len(names))
        self._connection.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})", rows)

    def run(self, statement: str) -> None:
        self._connection.execute(statement)


@contextlib.contextmanager
def _sqlite(url: str) -> Iterator[Sink]:
    connection = sqlite3.connect(make_url(url).database or "", isolation_level=None)
    with contextlib.closing(connection):
        for pragma in (
            "journal_mode=OFF",
            "synchronous=OFF",
            "foreign_keys=OFF",
            "cache_size=-262144",
            "temp_store=FILE",
        ):
            connection.execute(f"PRAGMA {pragma}")
        # Those that a key or UNIQUE made have no text, and stay.
        indexes = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}")
        connection.execute("BEGIN IMMEDIATE")
        yield _SqliteSink(connection)
        for _, text in indexes:
            connection.execute(text)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode=WAL")


class _PostgresSink:
    """COPY, binary."""

    def __init__(self, connection: asyncpg.Connection, loop: asyncio.AbstractEventLoop) -> None:
        self._connection = connection
        self._loop = loop

    def write(self, table: str, rows: Sequence[Row]) -> None:
        names = columns(table)[: len(rows[0])]
        copied = self._connection.copy_records_to_table(table, records=rows, columns=names, timeout=None)
        self._loop.run_until_complete(copied)

    def run(self, statement: str) -> None:
        self._loop.run_until_complete(self._connection.execute(statement, timeout=None))

    def rows(self, query: str) -> Sequence[Any]:
        """Return what a query finds."""
        return list(self._loop.run_until_complete(self._connection.fetch(query)))


_CONSTRAINTS = """
    SELECT conrelid::regclass AS of, conname AS name, pg_get_constraintdef(oid) AS text
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('f', 'p', 'u')
      AND conrelid <> 'alembic_version'::regclass
    ORDER BY contype = 'f', contype
"""
_INDEXES = """
    SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE schemaname = 'public'
    AND indexname NOT IN (SELECT conname FROM pg_constraint)
"""


@contextlib.contextmanager
def _postgres(url: str) -> Iterator[Sink]:
    loop = asyncio.new_event_loop()
    connection = loop.run_until_complete(asyncpg.connect(url))
    opened = _PostgresSink(connection, loop)
    for setting in ("synchronous_commit = off", "maintenance_work_mem = '256MB'"):
        opened.run(f"SET {setting}")
    constraints, indexes = opened.rows(_CONSTRAINTS), opened.rows(_INDEXES)
    for constraint in reversed(constraints):
        opened.run(f"ALTER TABLE {constraint['of']} DROP CONSTRAINT {constraint['name']}")
    for index in indexes:
        opened.run(f"DROP INDEX {index['name']}")
    yield opened
    opened.run("INSERT INTO feed_order SELECT id, id FROM trades ORDER BY id")
    opened.run("INSERT INTO feed_leader SELECT 1, '', 0, COALESCE(MAX(id), 0) FROM trades")
    for constraint in constraints:
        opened.run(f"ALTER TABLE {constraint['of']} ADD CONSTRAINT {constraint['name']} {constraint['text']}")
    for index in indexes:
        opened.run(index["text"])
    for name, table in metadata.tables.items():
        if table.dialect_options["sqlite"]["autoincrement"]:
            opened.run(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), MAX(id)) FROM {name} HAVING MAX(id) > 0")
    # What its own housekeeping does sooner or later.
    opened.run("VACUUM (ANALYZE)")
    loop.run_until_complete(connection.close())
    loop.close()
