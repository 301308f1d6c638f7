"""Ids that the database numbers: drawing them before the rows are written, so that many rows go in with one statement
and refer to each other; and where the numbers stand.
"""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.driver import execute_raw
from foreknow.db.transactions import ReadTx, WriteTx


def draw_ids(tx: WriteTx, table: sa.Table, count: int) -> list[int]:
    """Draw `count` ids of `table`, ascending, that no other row has or will have."""
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
    """Return the highest id that `table` ever gave a row, deleted ones too; 0 for none.

    PostgreSQL tells what is so now, not in the transaction's snapshot.
    """
    if tx.dialect.name == "sqlite":
        rows = execute_raw(tx, "SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,))
        return int(rows[0][0]) if rows else 0
    return tx.execute(_LAST_SEQUENCE_VALUE, {"name": table.name}).scalar() or 0


def go_on_after(tx: WriteTx, table: sa.Table, last: int) -> None:
    """Let the ids of `table` go on after `last` (0: begin at 1)."""
    if tx.dialect.name == "sqlite":
        tx.execute(_FORGET_LAST_ID, {"name": table.name})
        tx.execute(_KEEP_LAST_ID, {"name": table.name, "last": last})
    else:
        tx.execute(_SET_SEQUENCE, {"name": table.name, "last": max(last, 1), "given": last > 0})


_NEXT_IDS = "SELECT nextval(pg_get_serial_sequence($1, 'id')) FROM generate_series(1, $2::integer)"
_LAST_SEQUENCE_VALUE = sa.text("SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(:name, 'id') AS regclass))")
_SET_SEQUENCE = sa.text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :last, :given)")
_FORGET_LAST_ID = sa.text("DELETE FROM sqlite_sequence WHERE name = :name")
_KEEP_LAST_ID = sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)")
