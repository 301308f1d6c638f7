"""Sequences of ids: reserving ids before the rows are inserted, so that one statement inserts rows that refer to each
other; reading and setting the last id.
"""

from __future__ import annotations

import functools
from typing import Any

import sqlalchemy as sa

from foreknow.platform.db.bulk import CompiledQuery, Fetch, integers_table
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.transactions import ReadTx, WriteTx


def draw_ids(tx: WriteTx, table: sa.Table, count: int) -> list[int]:
    """Reserve `count` ids of `table`, ascending, that no other row has or will have."""
    return ids_fetch(table, count).fetch(tx)


def ids_fetch(table: sa.Table, count: int) -> Fetch[list[int]]:
    """Return `draw_ids` as a query to be fetched with others; on SQLite, insert the rows before drawing more."""
    parameters = {"numbers": range(1, count + 1)}
    return Fetch(_next_ids(table), parameters, lambda rows: sorted(number for (number,) in rows), is_empty=not count)


def has_own_ids(table: sa.Table) -> bool:
    """Tell whether the database numbers the rows of `table`."""
    return table.autoincrement_column is not None


def last_id(tx: ReadTx, table: sa.Table) -> int:
    """Return the highest id ever used in `table`, deleted rows included; 0 for none.

    PostgreSQL returns the current value, not the transaction's snapshot.
    """
    if tx.dialect.name == "sqlite":
        rows = execute_raw(tx, "SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,))
        return int(rows[0][0]) if rows else 0
    return tx.execute(_LAST_SEQUENCE_VALUE, {"name": table.name}).scalar() or 0


def set_last_id(tx: WriteTx, table: sa.Table, last: int) -> None:
    """Make the next id of `table` `last` + 1."""
    if tx.dialect.name == "sqlite":
        tx.execute(_DELETE_LAST_ID, {"name": table.name})
        tx.execute(_INSERT_LAST_ID, {"name": table.name, "last": last})
    else:
        tx.execute(_SET_SEQUENCE, {"name": table.name, "last": max(last, 1), "is_used": last > 0})


def leap_ids(tx: WriteTx, *, over: int) -> None:
    """Make the next id of every table one over `over`, where it is not already."""
    if tx.dialect.name == "sqlite":
        tx.execute(_NAME_ALL_SEQUENCES)
        tx.execute(_LEAP_SQLITE, {"over": over})
    else:
        tx.execute(_LEAP_POSTGRES, {"over": over})


@functools.cache
def _next_ids(table: sa.Table) -> CompiledQuery:
    def build(dialect: str) -> sa.Select[Any]:
        numbers = integers_table(dialect, "numbers")
        if dialect == "sqlite":
            # The only writer is this transaction, and AUTOINCREMENT remembers the highest id ever used.
            last = f"(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '{table.name}')"  # noqa: S608
            return sa.select((sa.literal_column(last, Int64) + numbers.c.value).label("id"))
        # In a query of its own, which runs once: looking for the sequence takes as long as some rows.
        sequence = f"(SELECT CAST(pg_get_serial_sequence('{table.name}', 'id') AS regclass))"
        next_id = sa.literal_column(f"nextval({sequence})", Int64).label("id")
        return sa.select(next_id).select_from(numbers)

    return CompiledQuery(build)


_LAST_SEQUENCE_VALUE = sa.text("SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(:name, 'id') AS regclass))")
_SET_SEQUENCE = sa.text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :last, :is_used)")
_DELETE_LAST_ID = sa.text("DELETE FROM sqlite_sequence WHERE name = :name")
_INSERT_LAST_ID = sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)")
_NAME_ALL_SEQUENCES = sa.text(
    "INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_master WHERE type = 'table'"
    " AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence)"
)
_LEAP_SQLITE = sa.text("UPDATE sqlite_sequence SET seq = :over WHERE seq < :over")
_LEAP_POSTGRES = sa.text(
    "SELECT setval(seqrelid::regclass, :over) FROM pg_sequence JOIN pg_class ON pg_class.oid = seqrelid"
    " WHERE relnamespace = current_schema()::regnamespace AND coalesce(pg_sequence_last_value(seqrelid), 0) < :over"
)
