"""One table: reading and writing its rows as stored, and continuing its ids."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import sqlalchemy as sa

from foreknow.commands.copying.databases import CopyDatabase
from foreknow.platform.db.ids import last_id, set_last_id
from foreknow.platform.db.loading import load_rows, stored

#: Rows in memory at a time, whatever the size of the database.
ROWS = 2_000


async def read(source: CopyDatabase, table: sa.Table) -> AsyncIterator[Sequence[Sequence[Any]]]:
    """Yield the rows of a table, some at a time."""
    query = sa.select(*stored(table)).execution_options(yield_per=ROWS)
    if _refers_to_itself(table):
        # Referenced rows first. Every other table is read in disk order, which is fastest.
        query = query.order_by(*table.primary_key)
    result = await source.run(lambda tx: tx.execute(query))
    while some := await source.run(lambda _: result.fetchmany(ROWS)):
        yield some


async def write(target: CopyDatabase, table: sa.Table, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows as `read` yields them."""
    await target.run(lambda tx: load_rows(tx, table, rows))


async def go_on(target: CopyDatabase, table: sa.Table, *, last: int) -> None:
    """Let new rows of `table` have ids over `last`, and over those that are there."""
    highest = sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0))
    await target.run(lambda tx: set_last_id(tx, table, max(last, tx.scalar(highest) or 0)))


async def count(side: CopyDatabase, table: sa.Table) -> int:
    """Return how many rows there are."""
    return await side.run(lambda tx: tx.scalar(sa.select(sa.func.count()).select_from(table)) or 0)


async def last(source: CopyDatabase, table: sa.Table) -> int:
    """Return the highest id that `table` ever had."""
    return await source.run(lambda tx: last_id(tx, table))


def _refers_to_itself(table: sa.Table) -> bool:
    return any(key.column.table is table for key in table.foreign_keys)
