"""The databases' drivers themselves, for the statements of every trade: SQLAlchemy takes longer than they do."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import asyncpg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

Rows = Sequence[Sequence[Any]]


def execute_raw(tx: sa.Connection, text: str, values: Sequence[Any] = ()) -> Rows:
    """Run a statement in the driver's own words and return its rows; raises what SQLAlchemy would raise.

    Each of `values` has a place in it: a `?` on SQLite, `$1`, `$2` … on PostgreSQL. Whoever listens to a connection's
    statements hears of these too.
    """
    if tx.dispatch.before_cursor_execute:
        result = tx.exec_driver_sql(text, tuple(values))
        return result.all() if result.returns_rows else ()
    if tx.dialect.name == "sqlite":
        return _run_on_sqlite(tx, text, values)
    with _cursor(tx, text) as cursor:
        cursor.execute(text, values)
        rows: Rows = cursor.fetchall()
    return rows


def execute_raw_many(tx: sa.Connection, text: str, rows: Sequence[Sequence[Any]]) -> None:
    """Run a statement for the values of each of `rows`, in their order; in one exchange with PostgreSQL."""
    if tx.dialect.name == "sqlite" or len(rows) == 1 or tx.dispatch.before_cursor_execute:
        for values in rows:
            execute_raw(tx, text, values)
    elif rows:
        with _cursor(tx, text) as cursor:
            cursor.executemany(text, rows)


def _run_on_sqlite(tx: sa.Connection, text: str, values: Sequence[Any]) -> Rows:
    driver: Any = tx.connection.dbapi_connection
    try:
        rows: Rows = driver.execute(text, values).fetchall()
    except sqlite3.Error as failure:
        raise _told(tx, text, failure) from failure
    return rows


@contextlib.contextmanager
def _cursor(tx: sa.Connection, text: str) -> Iterator[Any]:
    """Lend a cursor of PostgreSQL's driver for one statement."""
    driver: Any = tx.connection.dbapi_connection
    cursor = driver.cursor()
    try:
        yield cursor
    except tx.dialect.loaded_dbapi.Error as failure:
        if tx.dialect.is_disconnect(failure, driver, cursor):
            # SQLAlchemy is to see it for itself, and to forget what else it has of a server that is gone.
            with contextlib.suppress(DBAPIError):
                tx.exec_driver_sql("SELECT 1")
        elif isinstance(failure.__cause__, asyncpg.InvalidCachedStatementError):
            # A migration came: the driver remembers what the statement gave before it. Another connection does not.
            tx.invalidate(failure)
        raise _told(tx, text, failure) from failure
    except BaseException as broken_off:
        # Cancelled, perhaps during BEGIN: nobody knows whether the connection is in a transaction.
        if not isinstance(broken_off, Exception):
            tx.invalidate(broken_off)
        raise
    finally:
        cursor.close()


def _told(tx: sa.Connection, text: str, failure: Exception) -> DBAPIError | Exception:
    told = DBAPIError.instance(
        text,
        None,
        failure,
        tx.dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=tx.invalidated,
        dialect=tx.dialect,
    )
    assert isinstance(told, Exception)
    return told
