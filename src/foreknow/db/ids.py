"""Drawing ids before the rows are written, so that many rows go in with one statement and refer to each other."""

from __future__ import annotations

import sqlalchemy as sa


def draw_ids(tx: sa.Connection, table: sa.Table, count: int) -> list[int]:
    """Draw `count` ids of `table`, ascending, that no other row has or will have."""
    if count == 0:
        return []
    if tx.dialect.name == "sqlite":
        # The only writer is this transaction, and AUTOINCREMENT remembers the highest id ever used.
        last = tx.execute(_LAST_ID, {"name": table.name}).scalar() or 0
        return list(range(last + 1, last + count + 1))
    return sorted(tx.execute(_NEXT_IDS, {"name": table.name, "count": count}).scalars())


_LAST_ID = sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name")
_NEXT_IDS = sa.text("SELECT nextval(pg_get_serial_sequence(:name, 'id')) FROM generate_series(1, :count)")
