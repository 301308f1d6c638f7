"""The databases' drivers themselves, for the statements of every trade: SQLAlchemy takes longer than they do."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from typing import Any

import asyncpg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

Rows = Sequence[Sequence[Any]]


def run_plain(tx: sa.Connection, text: str, values: Sequence[Any] = ()) -> Rows:
    """Run a statement in the driver's own words and return its rows; raises what SQLAlchemy would raise.

    Each of `values` has a place in it: a `?` on SQLite, `$1`, `$2` … on PostgreSQL. Whoever listens to a connection's
    statements hears of these too.
    """
    if tx.dispatch.before_cursor_execute:
        result = tx.exec_driver_sql(text, tuple(values))
        return result.all() if result.returns_rows else ()
    return _run_on_sqlite(tx, text, values) if tx.dialect.name == "sqlite" else _run_on_postgres(tx, text, values)


def _run_on_sqlite(tx: sa.Connection, text: str, values: Sequence[Any]) -> Rows:
    driver: Any = tx.connection.dbapi_connection
    try:
        rows: Rows = driver.execute(text, values).fetchall()
    except sqlite3.Error as failure:
        raise _told(tx, text, failure) from failure
    return rows


def _run_on_postgres(tx: sa.Connection, text: str, values: Sequence[Any]) -> Rows:
    driver: Any = tx.connection.dbapi_connection
    cursor = driver.cursor()
    try:
        cursor.execute(text, values)
        rows: Rows = cursor.fetchall()
    except tx.dialect.loaded_dbapi.Error as failure:
        if tx.dialect.is_disconnect(failure, driver, cursor):
            # SQLAlchemy is to see it for itself, and to forget what else it has of a server that is gone.
            with contextlib.suppress(DBAPIError):
                tx.exec_driver_sql("SELECT 1")
        elif isinstance(failure.__cause__, asyncpg.InvalidCachedStatementError):
            # A migration came: the driver remembers what the statement gave before it. Another connection does not.
            tx.invalidate(failure)
        raise _told(tx, text, failure) from failure
    finally:
        cursor.close()
    return rows


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
