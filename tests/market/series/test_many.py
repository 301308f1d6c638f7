"""With a year of instances lists, neighbours and due rows follow their indexes, as with one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.pagination import Cursors
from foreknow.market.events import series_store
from foreknow.market.events.listing import EventFilter, list_events
from foreknow.market.events.store import EventStatus, load_events, neighbours
from foreknow.market.events.tables import events, series
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from tests.support.rows import insert_pool

#: Enough for PostgreSQL to prefer the index that a year of 15-minute instances needs.
INSTANCES = 3_000
#: Limits the rows that a statement reads for a page of 20.
ROWS_MAX = 100
STATUSES = (None, EventStatus.ACTIVE, EventStatus.RESOLVED, EventStatus.CANCELLED)
SORTS: Any = ("new", "volume", "closing")
INDEX_OF = {"new": "id", "volume": "volume", "closing": "finish"}


@pytest.fixture
async def series_id(db: Database) -> int:
    """A series with many instances, nearly all of which are resolved."""

    def fill(tx: WriteTx) -> int:
        event_id = insert_pool(tx).event_id
        first = dict(tx.execute(sa.select(events).where(events.c.id == event_id)).mappings().one())
        row = {
            "creator_id": first["creator_id"],
            "status": "running",
            "loop_interval_minutes": 15,
            "first_event_id": event_id,
            "newest_event_id": event_id,
            "newest_index": INSTANCES - 1,
            "draft": {},
            "draft_index": 0,
            "created_at_ms": 0,
            "due_at_ms": 5,
        }
        tx.execute(series.insert(), [row | {"due_at_ms": due_at_ms} for due_at_ms in range(10, 500)])
        made = int(tx.execute(series.insert().values(**row).returning(series.c.id)).scalar_one())
        del first["id"]
        tx.execute(
            events.insert(),
            [
                first
                | {
                    "series_id": made,
                    "series_index": index,
                    "is_newest": index == INSTANCES - 1,
                    "status": "active" if index >= INSTANCES - 3 else "resolved",
                    "volume_kopecks": index * 7_919 % 1_000,
                    "finish_at_ms": index,
                }
                for index in range(INSTANCES)
            ],
        )
        if tx.dialect.name == "postgresql":
            tx.execute(sa.text("ANALYZE events, series"))
        return made

    return await db.write(fill)


@contextmanager
def plans(tx: ReadTx) -> Iterator[list[str]]:
    """Collect the plans of the statements that run meanwhile."""
    seen: list[tuple[str, Any]] = []

    def note(_tx: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool) -> None:
        seen.append((statement, parameters))

    found: list[str] = []
    sa.event.listen(tx, "before_cursor_execute", note)
    yield found
    sa.event.remove(tx, "before_cursor_execute", note)
    explain = "EXPLAIN QUERY PLAN" if tx.dialect.name == "sqlite" else "EXPLAIN (ANALYZE)"
    found += [str(tx.exec_driver_sql(f"{explain} {text}", parameters).all()) for text, parameters in seen]


def rows_read(plan: str) -> int:
    """Return the most rows that a step of PostgreSQL's plan returned or removed; SQLite counts none."""
    counts = re.findall(r"actual [^)]*rows=([0-9]+)|Rows Removed by Filter: ([0-9]+)", plan)
    return max(int(count) for pair in counts for count in pair if count)


def follows(found: list[str], index: str) -> bool:
    """Return whether SQLite's plans read events by an index, by ids, or where a dispute window has just ended."""
    of_events = [plan for plan in found if "ix_events" in plan or "SCAN events" in plan]
    rest = [plan for plan in of_events if index not in plan]
    is_sorted = any("TEMP B-TREE" in plan for plan in of_events)
    return rest != of_events and not is_sorted and all("ix_events_status_closes" in plan for plan in rest)


async def plan_of(db: Database, read: Callable[[ReadTx], Any]) -> list[str]:
    def work(tx: ReadTx) -> list[str]:
        with plans(tx) as found:
            read(tx)
        return found

    return await db.read(work)


def page(**given: Any) -> Callable[[ReadTx], Any]:
    filters = EventFilter(**({"tag": None, "part_of_name": None, "visitor": None} | given))
    return lambda tx: list_events(tx, filters, Cursors(b"secret" * 6), limit=20, cursor=None, now_ms=10)


async def test_a_list_of_a_series_reads_a_page_of_its_index(db: Database, series_id: int) -> None:
    for status, sort in itertools.product(STATUSES, SORTS):
        found = await plan_of(db, page(status=status, sort=sort, series_id=series_id))
        if db.is_sqlite:
            assert follows(found, f"ix_events_series_{INDEX_OF[sort]}"), (status, sort)
        else:
            # Which index is best depends on the rows; each that it chooses must do with a few.
            assert max(map(rows_read, found)) < ROWS_MAX, (status, sort)


async def test_a_list_without_older_instances_never_meets_them(db: Database, series_id: int) -> None:
    assert series_id
    for status, sort in itertools.product(STATUSES[1:], SORTS):
        found = await plan_of(db, page(status=status, sort=sort, only_newest=True))
        if db.is_sqlite:
            assert follows(found, f"ix_events_newest_{INDEX_OF[sort]}"), (status, sort)
        else:
            assert max(map(rows_read, found)) < ROWS_MAX, (status, sort)


async def test_neighbours_of_a_page_are_one_statement_by_index(db: Database, series_id: int) -> None:
    def read(tx: ReadTx) -> dict[int, tuple[int | None, int | None]]:
        query = sa.select(events.c.id).where(events.c.series_id == series_id).order_by(events.c.series_index)
        ids = list(tx.execute(query).scalars())
        wanted = [ids[0], ids[1_500], ids[-1]]
        rows = list(load_events(tx, wanted).values())
        with plans(tx) as found:
            shown = neighbours(tx, rows)
        assert len(found) == 1
        assert found[0].count("uq_events_series") == 2, found
        assert {one: (shown[one].previous_event_id, shown[one].next_event_id) for one in wanted} == {
            ids[0]: (None, ids[1]),
            ids[1_500]: (ids[1_499], ids[1_501]),
            ids[-1]: (ids[-2], None),
        }
        return {}

    await db.read(read)


async def test_series_that_are_due_are_found_by_index(db: Database, series_id: int) -> None:
    found = await plan_of(db, lambda tx: series_store.due_series(tx, now_ms=7, is_waiting=False, after=None, limit=100))
    assert "ix_series_due_at_ms" in found[0]
    assert "SCAN series" not in found[0]
    assert series_id
