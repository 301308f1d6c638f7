"""The whole copy, from the first check to the commit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import sqlalchemy as sa

from foreknow.commands.audit import audit
from foreknow.commands.copying import targets
from foreknow.commands.copying.databases import CopyDatabase, snapshot, transaction
from foreknow.commands.copying.errors import CannotCopy
from foreknow.platform.db.ids import has_own_ids, last_id, set_last_id
from foreknow.platform.db.loading import add_foreign_keys, drop_foreign_keys, load_rows, stored
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.sending import mark_copy
from foreknow.platform.sending.tables import sending
from foreknow.service.tables import metadata
from foreknow.site.activity.tables import ACTIVITY_TABLES
from foreknow.site.feed.sequencer import ORDER_TABLES, continue_order, has_leader


class CopyWatcher(Protocol):
    """Follows the progress of a copy."""

    def stage(self, what: str, steps: int) -> None:
        """Begin a stage of `steps` steps; 0: their number is unknown."""
        ...

    def step(self, count: int) -> None:
        """Count `count` more finished steps."""
        ...


@dataclass(frozen=True, slots=True)
class Copied:
    """The result of a copy."""

    tables: int
    rows: int
    #: The source was written to, or served, while it was copied: the copy is behind it.
    moved_on: bool


def copy(*, source_url: str, target_url: str, watcher: CopyWatcher) -> Copied:
    """Copy the installation at `source_url` into the empty database at `target_url`, brought up to date first.

    Raises `CannotCopy`, `LoadFailed`, and what databases raise that cannot be reached; then nothing was copied.
    """
    return asyncio.run(_copy(source_url, target_url, watcher))


async def _copy(source_url: str, target_url: str, watcher: CopyWatcher) -> Copied:
    await targets.check_source(source_url)
    await targets.check_apart(source_url, target_url)
    await targets.check_target(target_url)
    for url in (source_url, target_url):
        await asyncio.to_thread(migrate, url)
    async with snapshot(source_url) as source:
        began = await source.run(this_moment)
        await targets.check_versions(source, "source")
        watcher.stage("auditing the source", 0)
        await prove_books(source, "source")
        async with transaction(target_url) as target:
            await targets.check_versions(target, "target")
            await target.run(targets.lock_empty)
            copied = await _fill(source, target, watcher)
            watcher.stage("auditing the copy", 0)
            await _prove(source, target, copied)
        moved_on = await source.run(lambda tx: has_passed(tx, began))
    return Copied(tables=len(copied), rows=sum(copied.values()), moved_on=moved_on)


async def _fill(source: CopyDatabase, target: CopyDatabase, watcher: CopyWatcher) -> Mapping[sa.Table, int]:
    """Copy every table and return how many rows each had."""
    tables = metadata.sorted_tables
    # Only PostgreSQL has the tables of the trade order; SQLite needs none. What is counted of trades, in that order,
    # the servers of the copy count again.
    without = ACTIVITY_TABLES | {sending} | (ORDER_TABLES if source.is_sqlite or target.is_sqlite else frozenset())
    copied: dict[sa.Table, int] = {}
    await target.run(lambda tx: drop_foreign_keys(tx, tables))
    for table in tables:
        if table in without:
            continue
        copied[table] = 0
        if expected := await count(source, table):
            watcher.stage(table.name, expected)
        async for some in read(source, table):
            await write(target, table, some)
            copied[table] += len(some)
            watcher.step(len(some))
        if has_own_ids(table):
            await go_on(target, table, last=await last(source, table))
    # As in every copy, sending is held from its first start on.
    await target.run(mark_copy)
    watcher.stage("checking references", 0)
    await target.run(lambda tx: add_foreign_keys(tx, tables))
    if not target.is_sqlite:
        await target.run(lambda tx: continue_order(tx, from_sqlite=source.is_sqlite))
        # The planner has no statistics yet, and the audit's joins are large.
        names = ", ".join(table.name for table in tables)
        await target.run(lambda tx: tx.exec_driver_sql(f"ANALYZE {names}"))
    return copied


async def _prove(source: CopyDatabase, target: CopyDatabase, copied: Mapping[sa.Table, int]) -> None:
    for table, expected in copied.items():
        found = await count(target, table)
        if found != expected:
            raise CannotCopy(f"{table.name} has {found} rows in the copy instead of {expected}; nothing is copied")
    await prove_balances(source, target)
    await prove_books(target, "copy")


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of a database at one moment, to be compared with a later one."""

    #: SQLite's count of other connections' commits; PostgreSQL's highest ids, which ignore the snapshot.
    state: object
    #: A server was running on it.
    served: bool


def this_moment(tx: WriteTx) -> Moment:
    """Return the state at the start of a snapshot; its first statement."""
    return Moment(_state(tx), has_leader(tx))


def has_passed(tx: WriteTx, moment: Moment) -> bool:
    """Return whether the database was written since then, or a server runs on it. Ends the snapshot."""
    if tx.dialect.name == "sqlite":
        tx.rollback()
    return moment.served or _state(tx) != moment.state


def _state(tx: WriteTx) -> object:
    if tx.dialect.name == "sqlite":
        return tx.exec_driver_sql("PRAGMA data_version").scalar()
    return [last_id(tx, table) for table in metadata.sorted_tables if has_own_ids(table)]


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


async def prove_books(side: CopyDatabase, which: str) -> None:
    """Raise `CannotCopy` where the audit finds an error."""
    findings = await side.run(audit)
    if findings:
        raise CannotCopy(f"the books of the {which} are wrong, nothing is copied; the first finding: {findings[0]}")


async def prove_balances(source: CopyDatabase, target: CopyDatabase) -> None:
    """Raise `CannotCopy` where the sides do not have the same accounts with the same money."""
    here, there = await source.run(_totals), await target.run(_totals)
    if here != there:
        raise CannotCopy(f"the balances differ, nothing is copied: {here} here, {there} there")


def _totals(tx: WriteTx) -> dict[str, tuple[int, int]]:
    """Return for each kind of account how many there are, and their kopecks together."""
    return {kind: (count, (high << 32) + low) for kind, count, high, low in tx.execute(_TOTALS)}


# Sums in two parts, as in the audit: the whole may exceed 64 bits.
_TOTALS = sa.text(
    "SELECT kind, COUNT(*), CAST(SUM(balance_kopecks >> 32) AS BIGINT),"
    " CAST(SUM(balance_kopecks & 4294967295) AS BIGINT) FROM accounts GROUP BY kind"
)
