"""Rows of events."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.market.events.search import index_event
from foreknow.market.events.tables import event_changes, event_tags, events
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx, WriteTx


class EventStatus(enum.StrEnum):
    """The contract's states. `closed` follows from the time and is never stored, nor is `resolved` at first."""

    NEW = "new"
    ACTIVE = "active"
    CLOSED = "closed"
    RESOLVED = "resolved"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """An event without its pools; `status` as stored."""

    id: int
    creator_id: int
    name: str
    name_ru: str
    tags: list[str]
    versus_names: list[str]
    versus_images: list[str]
    has_draw: bool
    image_url: str
    external_event_url: str
    main_pool_index: int
    loop_interval_minutes: int
    status: EventStatus
    created_at_ms: int
    published_at_ms: int | None
    closes_at_ms: int | None
    finish_at_ms: int | None
    volume_kopecks: int
    #: End of the last dispute window if every unresolved pool has a result.
    resolves_at_ms: int | None
    #: Texts as written, with their placeholders; None where none are read.
    templates: dict[str, Any] | None
    series_id: int | None
    series_index: int | None
    #: Its rank in lists that are ordered by what `activity` counts; 0 in all others.
    rank: int = 0

    def status_at(self, now_ms: int) -> EventStatus:
        """Return the public status: an active event closes, and is resolved, when its last unresolved pool is."""
        return public_status(
            self.status, closes_at_ms=self.closes_at_ms, resolves_at_ms=self.resolves_at_ms, now_ms=now_ms
        )


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The instances before and after one, by their events' ids; None where there is none."""

    previous_event_id: int | None
    next_event_id: int | None


def public_status(
    stored: EventStatus, *, closes_at_ms: int | None, resolves_at_ms: int | None, now_ms: int
) -> EventStatus:
    """Return the status at a time of an event with this stored one; see `EventRow.status_at`."""
    if stored is not EventStatus.ACTIVE:
        return stored
    if resolves_at_ms is not None and resolves_at_ms <= now_ms:
        return EventStatus.RESOLVED
    is_closed = closes_at_ms is not None and closes_at_ms <= now_ms
    return EventStatus.CLOSED if is_closed else EventStatus.ACTIVE


COLUMNS = tuple(events.c[name] for name in EventRow.__slots__ if name != "rank")

#: Name of an event that was never published, once the account of its creator was deleted.
ERASED_NAME = "Deleted draft"
#: Its search key, which no other event has: no search finds it.
ERASED_KEY = ""
#: What an event's status follows from.
_OF_STATUS = {"status", "closes_at_ms", "resolves_at_ms"}


def event_row(row: sa.RowMapping | dict[str, Any]) -> EventRow:
    """Convert a row of `COLUMNS`."""
    return EventRow(**{**row, "status": EventStatus(row["status"])})


def load_events(tx: ReadTx, event_ids: Collection[int]) -> dict[int, EventRow]:
    """Return the events that exist, by id."""
    return events_fetch(event_ids).fetch(tx)


def events_fetch(event_ids: Collection[int]) -> Fetch[dict[int, EventRow]]:
    """Return `load_events` as a query to be fetched with others."""
    return Fetch(_LOAD, {"ids": set(event_ids)}, _by_id)


def _by_id(rows: Rows) -> dict[int, EventRow]:
    return {row.id: row for row in (event_row(dict(zip(_NAMES, values, strict=True))) for values in rows)}


_NAMES = tuple(column.name for column in COLUMNS)
_LOAD = CompiledQuery(sa.select(*COLUMNS).where(in_array(events.c.id)))


def neighbours(tx: ReadTx, rows: Collection[EventRow]) -> Mapping[int, Neighbours]:
    """Return the neighbours of those events that are instances of series, by the event's id."""
    instances = [row.id for row in rows if row.series_id is not None]
    if not instances:
        return {}
    found = tx.execute(_NEIGHBOURS, {"ids": instances})
    return {event_id: Neighbours(previous_id, next_id) for event_id, previous_id, next_id in found}


@dataclass(frozen=True, slots=True)
class EventImage:
    """The cover image of an event: its address, and the stored object behind it (None for an address elsewhere)."""

    url: str
    object: str | None


def count_new(tx: ReadTx, creator_id: int) -> int:
    """Return how many events of a creator are new."""
    is_new = (events.c.creator_id == creator_id, events.c.status == EventStatus.NEW.value)
    return int(tx.execute(sa.select(sa.func.count()).where(*is_new)).scalar_one())


def has_open_event(tx: ReadTx, creator_id: int, *, now_ms: int) -> bool:
    """Return whether any event of a creator is active or closed."""
    is_open = sa.or_(events.c.resolves_at_ms.is_(None), events.c.resolves_at_ms > now_ms)
    found = sa.exists().where(events.c.creator_id == creator_id, events.c.status == EventStatus.ACTIVE.value, is_open)
    return bool(tx.execute(sa.select(found)).scalar_one())


def next_draft(tx: ReadTx, creator_id: int) -> int | None:
    """Return an event of a creator that was never published and still has its texts; None where there is none."""
    of_status = events.c.status.in_([EventStatus.NEW.value, EventStatus.CANCELLED.value])
    query = sa.select(events.c.id).where(
        events.c.creator_id == creator_id, of_status, events.c.published_at_ms.is_(None)
    )
    # Not by its name: a draft with texts may be called so, too.
    found: int | None = tx.execute(query.where(events.c.search_key != ERASED_KEY).limit(1)).scalar()
    return found


def image_of_event(tx: ReadTx, event_id: int) -> EventImage:
    """Return the cover image of an event that exists."""
    query = sa.select(events.c.image_url, events.c.image_object).where(events.c.id == event_id)
    return EventImage(*tx.execute(query).one())


def insert_event(tx: WriteTx, **values: Any) -> int:
    """Write a new event and its entries in the indexes of tags and names; return its id."""
    event_id = int(tx.execute(events.insert().values(**values).returning(events.c.id)).scalar_one())
    _index_tags(tx, event_id, values["tags"])
    index_event(tx, event_id, values["search_key"])
    return event_id


def replace_tags(tx: WriteTx, event_id: int, tags: Iterable[str]) -> None:
    """Let an event whose pools are locked be found by other tags."""
    tx.execute(event_tags.delete().where(event_tags.c.event_id == event_id))
    _index_tags(tx, event_id, tags)


def _index_tags(tx: WriteTx, event_id: int, tags: Iterable[str]) -> None:
    insert_rows(tx, event_tags, ("tag", "event_id"), [(tag, event_id) for tag in dict.fromkeys(tags)])


def update_event(tx: WriteTx, event_id: int, **values: Any) -> None:
    """Change an event whose pools are locked; events come last in the lock order."""
    tx.execute(events.update().where(events.c.id == event_id).values(**values))
    if _OF_STATUS & values.keys():
        tx.execute(event_changes.insert().values(event_id=event_id))


def closing_time_ms(deadlines_ms: Iterable[int | None]) -> int | None:
    """Return when the last of these undecided pools closes; None if one has no deadline or none is left."""
    known: list[int] = []
    for deadline_ms in deadlines_ms:
        if deadline_ms is None:
            return None
        known.append(deadline_ms)
    return max(known, default=None)


_OTHER = events.alias("others")
_OF_SERIES = sa.select(_OTHER.c.id).where(_OTHER.c.series_id == events.c.series_id).limit(1)
_NEIGHBOURS = sa.select(
    events.c.id,
    _OF_SERIES.where(_OTHER.c.series_index < events.c.series_index)
    .order_by(_OTHER.c.series_index.desc())
    .correlate(events)
    .scalar_subquery(),
    _OF_SERIES.where(_OTHER.c.series_index > events.c.series_index)
    .order_by(_OTHER.c.series_index)
    .correlate(events)
    .scalar_subquery(),
).where(in_array(events.c.id))
