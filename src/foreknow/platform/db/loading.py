"""Bulk loading of stored rows into empty tables.

On PostgreSQL rows are loaded by COPY, and each foreign key is checked afterwards by one join: checking row by row would
take most of the time of a large load.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import asyncpg
import sqlalchemy as sa

from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.metadata import DIALECT, Json, Text
from foreknow.platform.db.transactions import WriteTx


class LoadFailed(Exception):
    """The database rejected the rows; the text names the table and the reason."""


def stored(table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """Return the table's columns for a select of stored values: JSON stays text."""
    return [sa.type_coerce(column, Text) if isinstance(column.type, Json) else column for column in table.c]


def load_rows(tx: WriteTx, table: sa.Table, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows of all columns, as `stored` returns them; `LoadFailed`."""
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
    """Lock these tables exclusively until `tx` ends; `DBAPIError` if another transaction uses one for `wait_ms`.

    On SQLite, every write transaction is exclusive already.
    """
    if tx.dialect.name == "postgresql":
        tx.exec_driver_sql(f"SET LOCAL lock_timeout = {wait_ms:d}")
        tx.exec_driver_sql(f"LOCK TABLE {', '.join(table.name for table in tables)} IN ACCESS EXCLUSIVE MODE")
        tx.exec_driver_sql("SET LOCAL lock_timeout = 0")


def drop_foreign_keys(tx: WriteTx, tables: Collection[sa.Table]) -> None:
    """Drop the foreign keys until `add_foreign_keys`; on SQLite they stay."""
    if tx.dialect.name == "postgresql":
        for constraint in _foreign_keys(tables):
            tx.execute(sa.schema.DropConstraint(constraint))


def add_foreign_keys(tx: WriteTx, tables: Collection[sa.Table]) -> None:
    """Add the foreign keys again, checking all rows; `IntegrityError` for a dangling reference."""
    if tx.dialect.name == "postgresql":
        for constraint in _foreign_keys(tables):
            tx.execute(sa.schema.AddConstraint(constraint, isolate_from_table=False))


def _foreign_keys(tables: Collection[sa.Table]) -> list[sa.ForeignKeyConstraint]:
    # Sorted, because a table's constraints are a set: the catalogue is the same each time.
    return [
        constraint
        for table in tables
        for constraint in sorted(table.foreign_key_constraints, key=lambda key: str(key.name))
        if constraint.info.get(DIALECT, "postgresql") == "postgresql"
    ]
