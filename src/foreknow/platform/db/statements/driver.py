"""Statements run by the database driver itself: for those of every trade, SQLAlchemy takes longer than the driver."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import asyncpg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.util import await_

from foreknow.platform.db.statements.written_tables import noted_alone

Rows = Sequence[Sequence[Any]]


def execute_raw(tx: sa.Connection, text: str, values: Sequence[Any] = ()) -> Rows:
    """Run a statement in the driver's syntax and return its rows; raises what SQLAlchemy would raise.

    Placeholders of `values`: `?` on SQLite, `$1`, `$2` … on PostgreSQL. SQLAlchemy's `before_cursor_execute` listeners
    see these statements too.
    """
    if tx.dispatch.before_cursor_execute and not noted_alone(tx, text):
        result = tx.exec_driver_sql(text, tuple(values))
        return result.all() if result.returns_rows else ()
    if tx.dialect.name == "sqlite":
        return _run_on_sqlite(tx, text, values)
    driver: Any = tx.connection.dbapi_connection
    with _failures(tx, driver, text):
        rows: Rows = await_(_fetch(driver, tx.connection.driver_connection, text, values))
    return rows


def execute_script(tx: sa.Connection, script: str) -> None:
    """Run statements without parameters in one exchange with PostgreSQL, in order; their rows are not returned.

    Each has a snapshot of its own. SQLAlchemy does not know of them: a BEGIN among them is the caller's to end.
    """
    driver: Any = tx.connection.dbapi_connection
    with _failures(tx, driver, script):
        connection: Any = tx.connection.driver_connection
        await_(connection.execute(script))


async def _fetch(driver: Any, connection: Any, text: str, values: Sequence[Any]) -> Rows:
    """Run a statement of a transaction, which is begun here if it is its first, past the adapter's cursors."""
    if driver._transaction is None:  # noqa: SLF001 # there is no public way
        await driver._start_transaction()  # noqa: SLF001
    rows: Rows = await connection.fetch(text, *values)
    return rows


def _run_on_sqlite(tx: sa.Connection, text: str, values: Sequence[Any]) -> Rows:
    driver: Any = tx.connection.dbapi_connection
    try:
        rows: Rows = driver.execute(text, values).fetchall()
    except sqlite3.Error as failure:
        raise _wrapped(tx, text, failure) from failure
    return rows


@contextlib.contextmanager
def _failures(tx: sa.Connection, driver: Any, text: str) -> Iterator[None]:
    """Raise what SQLAlchemy would raise for PostgreSQL's failure of a statement."""
    try:
        try:
            yield
        except Exception as failure:  # noqa: BLE001 # the adapter makes it what its own statements raise
            driver._handle_exception(failure)  # noqa: SLF001 # there is no public way
    except tx.dialect.loaded_dbapi.Error as failure:
        if tx.dialect.is_disconnect(failure, driver, None):
            # Lets SQLAlchemy notice the loss, and drop its other connections to that server.
            with contextlib.suppress(DBAPIError):
                tx.exec_driver_sql("SELECT 1")
        elif isinstance(failure.__cause__, asyncpg.InvalidCachedStatementError):
            # A migration changed the statement's columns, which the driver has cached; a new connection has not.
            tx.invalidate(failure)
        raise _wrapped(tx, text, failure) from failure
    except BaseException as interruption:
        # Cancelled, perhaps during BEGIN: whether the connection is in a transaction is unknown.
        if not isinstance(interruption, Exception):
            tx.invalidate(interruption)
        raise


def _wrapped(tx: sa.Connection, text: str, failure: Exception) -> DBAPIError | Exception:
    """Return the driver's exception as SQLAlchemy's."""
    wrapped = DBAPIError.instance(
        text,
        None,
        failure,
        tx.dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=tx.invalidated,
        dialect=tx.dialect,
    )
    assert isinstance(wrapped, Exception)
    return wrapped
