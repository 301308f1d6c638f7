"""SQLite's driver itself, for the statements of every trade: SQLAlchemy takes longer about one than SQLite does."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError


def run_on_sqlite(tx: sa.Connection, text: str, values: Sequence[Any] = ()) -> Sequence[Sequence[Any]]:
    """Run a statement with a `?` for each of `values`, and return its rows; raises what SQLAlchemy would raise.

    Whoever listens to a connection's statements hears of these too.
    """
    if tx.dispatch.before_cursor_execute:
        result = tx.exec_driver_sql(text, tuple(values))
        return result.all() if result.returns_rows else ()
    driver: Any = tx.connection.dbapi_connection
    try:
        rows: list[Sequence[Any]] = driver.execute(text, values).fetchall()
    except sqlite3.Error as failure:
        raise DBAPIError.instance(
            text, None, failure, sqlite3.Error, hide_parameters=True, dialect=tx.dialect
        ) from failure
    return rows
