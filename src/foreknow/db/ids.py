"""Sequences of ids: reserving ids before the rows are inserted, so that one statement inserts rows that refer to each
other; reading and setting the last id.
"""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.driver import execute_raw
from foreknow.db.transactions import ReadTx, WriteTx


def draw_ids(tx: WriteTx, table: sa.Table, count: int) -> list[int]:
    """Reserve `count` ids of `table`, ascending, that no other row has or will have."""
    if count == 0:
        return []
    if tx.dialect.name == "sqlite":
        # The only writer is this transaction, and AUTOINCREMENT remembers the highest id ever used.
        last = last_id(tx, table)
        return list(range(last + 1, last + count + 1))
    return sorted(number for (number,) in execute_raw(tx, _NEXT_IDS, (table.name, count)))


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


_NEXT_IDS = "SELECT nextval(pg_get_serial_sequence($1, 'id')) FROM generate_series(1, $2::integer)"
_LAST_SEQUENCE_VALUE = sa.text("SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(:name, 'id') AS regclass))")
_SET_SEQUENCE = sa.text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :last, :is_used)")
_DELETE_LAST_ID = sa.text("DELETE FROM sqlite_sequence WHERE name = :name")
_INSERT_LAST_ID = sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)")
