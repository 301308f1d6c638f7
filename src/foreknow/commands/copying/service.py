"""The whole copy, from the first check to the commit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import sqlalchemy as sa

from foreknow.commands.copying import rows, targets, verify
from foreknow.commands.copying.changes import has_passed, this_moment
from foreknow.commands.copying.databases import CopyDatabase, snapshot, transaction
from foreknow.commands.copying.errors import CannotCopy
from foreknow.platform.db.ids import has_own_ids
from foreknow.platform.db.loading import add_foreign_keys, drop_foreign_keys
from foreknow.platform.db.migrate import migrate
from foreknow.platform.sending import mark_copy
from foreknow.platform.sending.tables import sending
from foreknow.service.tables import metadata
from foreknow.site.activity.tables import ACTIVITY_TABLES
from foreknow.site.feed.copied_order import ORDER_TABLES, continue_order


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
        await verify.prove_books(source, "source")
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
        if expected := await rows.count(source, table):
            watcher.stage(table.name, expected)
        async for some in rows.read(source, table):
            await rows.write(target, table, some)
            copied[table] += len(some)
            watcher.step(len(some))
        if has_own_ids(table):
            await rows.go_on(target, table, last=await rows.last(source, table))
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
        found = await rows.count(target, table)
        if found != expected:
            raise CannotCopy(f"{table.name} has {found} rows in the copy instead of {expected}; nothing is copied")
    await verify.prove_balances(source, target)
    await verify.prove_books(target, "copy")
