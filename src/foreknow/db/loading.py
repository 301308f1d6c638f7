"""Filling empty tables with rows as they stand, many at a time.

On PostgreSQL the rows go in by COPY, and references are checked when all of them are there, by one join each: row by
row, that would take most of the time of a large load.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import asyncpg
import sqlalchemy as sa

from foreknow.db.bulk import insert_rows
from foreknow.db.metadata import Json, Text
from foreknow.db.transactions import WriteTx


class LoadFailed(Exception):
    """The database refused the rows; its text says of which table, and why."""


def stored(table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """Return the table's columns to be selected as stored: JSON stays the text that it is."""
    return [sa.type_coerce(column, Text) if isinstance(column.type, Json) else column for column in table.c]


def load_rows(tx: WriteTx, table: sa.Table, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows with all their columns, as `stored` has them; `LoadFailed`."""
    names = tuple(column.name for column in table.c)
    if tx.dialect.name == "sqlite":
        insert_rows(tx, table, names, rows)
        return
    driver: Any = tx.connection.dbapi_connection
    try:
        driver.run_async(lambda raw: raw.copy_records_to_table(table.name, records=rows, columns=names))
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as failure:
        raise LoadFailed(f"{table.name}: {failure}") from failure


def lock_tables(tx: WriteTx, tables: Collection[sa.Table], *, wait_ms: int) -> None:
    """Keep everybody else out of these tables until `tx` ends; raises `DBAPIError` where others are in there.

    On SQLite, a transaction that writes does that already.
    """
    if tx.dialect.name == "postgresql":
        tx.exec_driver_sql(f"SET LOCAL lock_timeout = {wait_ms:d}")
        tx.exec_driver_sql(f"LOCK TABLE {', '.join(table.name for table in tables)} IN ACCESS EXCLUSIVE MODE")
        tx.exec_driver_sql("SET LOCAL lock_timeout = 0")


def drop_foreign_keys(tx: WriteTx, tables: Collection[sa.Table]) -> None:
    """Let rows refer to what is not there, until `add_foreign_keys`; SQLite goes on checking."""
    if tx.dialect.name == "postgresql":
        for constraint in _foreign_keys(tables):
            tx.execute(sa.schema.DropConstraint(constraint))


def add_foreign_keys(tx: WriteTx, tables: Collection[sa.Table]) -> None:
    """Check all references at once; raises `IntegrityError` where one leads nowhere."""
    if tx.dialect.name == "postgresql":
        for constraint in _foreign_keys(tables):
            tx.execute(sa.schema.AddConstraint(constraint, isolate_from_table=False))


def _foreign_keys(tables: Collection[sa.Table]) -> list[sa.ForeignKeyConstraint]:
    # By name, so that the catalogue is the same each time: a table's constraints are a set.
    return [
        constraint
        for table in tables
        for constraint in sorted(table.foreign_key_constraints, key=lambda one: str(one.name))
    ]
