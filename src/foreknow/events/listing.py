"""Lists of events: filters, the three orders, and pages that stay whole while rows are written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import sqlalchemy as sa

from foreknow.access.callers import UserCaller
from foreknow.db.transactions import ReadTx
from foreknow.events.schemas import MARKETS_MAX, NAME_MAX, TAG_MAX
from foreknow.events.search import find_few, holds
from foreknow.events.store import COLUMNS, EventRow, EventStatus, event_row
from foreknow.events.tables import event_tags, events
from foreknow.kernel.pagination import Cursors, Position, Slice
from foreknow.kernel.text import fold, may_be_within, nfc_within
from foreknow.markets.store import market_counts_of_pools
from foreknow.pools.store import pool_ids_of_events

Sort = Literal["new", "volume", "closing"]
Condition = sa.ColumnElement[bool]
#: Up to so many events of one tag, of one part of a name, or that are closed, are looked up by their ids.
FEW = 500
#: A page shows at most so many markets, or else one event alone.
PAGE_MARKETS_MAX = 2_000
#: So many pools are counted in one go: events made before their markets were bounded have up to ten thousand each.
_COUNTED_POOLS = 200
#: One code point folds to at most three.
_FOLDED_NAME_MAX = 3 * NAME_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Which events are asked for, by whom, and in which order."""

    status: EventStatus
    tag: str | None
    part_of_name: str | None
    sort: Sort
    visitor: UserCaller | None

    def binding(self) -> str:
        """Return what a cursor of this list is bound to."""
        caller = self.visitor.user_id if self.visitor else None
        parts = ["events", self.status.value, self.tag, self.part_of_name, self.sort, caller]
        return msgspec.json.encode(parts).decode()


@dataclass(frozen=True, slots=True)
class EventSlice(Slice[EventRow]):
    """One page of events; `pool_ids` are those of each event, in their order."""

    pool_ids: Mapping[int, Sequence[int]]


def list_events(
    tx: ReadTx, wanted: EventFilter, cursors: Cursors, *, limit: int, cursor: str | None, now_ms: int
) -> EventSlice:
    """Return one page; `InvalidCursor` for a cursor of another list, caller or filter."""
    binding = wanted.binding()
    after = cursors.decode(cursor, binding=binding) if cursor is not None else None
    order = _ORDERS[wanted.sort]
    rows = order.read(tx, _conditions(tx, wanted, now_ms), after, limit + 1)
    pool_ids = pool_ids_of_events(tx, [row.id for row in rows[:limit]])
    shown = _bounded(tx, [pool_ids[row.id] for row in rows[:limit]])
    page = cursors.slice(rows, limit=shown, binding=binding, position=order.position)
    return EventSlice(page.rows, page.next_cursor, pool_ids)


def _bounded(tx: ReadTx, pools_of_events: Sequence[Sequence[int]]) -> int:
    """Return how many of these events, in their order, one page shows: at least one where there is any."""
    if sum(map(len, pools_of_events)) * MARKETS_MAX <= PAGE_MARKETS_MAX:
        return len(pools_of_events)
    markets = 0
    for start, stop in _groups(pools_of_events):
        counts = market_counts_of_pools(tx, [pool_id for pools in pools_of_events[start:stop] for pool_id in pools])
        for place in range(start, stop):
            markets += sum(counts.get(pool_id, 0) for pool_id in pools_of_events[place])
            if markets > PAGE_MARKETS_MAX:
                return max(place, 1)
    return len(pools_of_events)


def _groups(pools_of_events: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Divide the events, in their order, into groups of some `_COUNTED_POOLS` pools: from a place up to another."""
    start = pools = 0
    for place, pool_ids in enumerate(pools_of_events):
        pools += len(pool_ids)
        if pools >= _COUNTED_POOLS or place == len(pools_of_events) - 1:
            yield start, place + 1
            start, pools = place + 1, 0


def _conditions(tx: ReadTx, wanted: EventFilter, now_ms: int) -> list[Condition]:
    """Ask for what is wanted in the way that takes about as long for one event as for a hundred thousand.

    What few events have is looked up by their ids. Of what so many have that it does not help, the list's own order
    soon comes upon enough.
    """
    asked = [
        *_tagged(tx, wanted.tag),
        *_named(tx, wanted.part_of_name),
        *_closed(tx, now_ms if wanted.status is EventStatus.CLOSED else None),
    ]
    few = [one.ids for one in asked if one.ids is not None]
    if not few:
        return [*_status(wanted, now_ms, events.c.status), *(one.condition for one in asked)]
    ids = set(few[0]).intersection(*few[1:])
    # Where an index on the status could be followed, SQLite would, past all that have it.
    status = _status(wanted, now_ms, events.c.status.concat(""))
    return [events.c.id.in_(ids), *status, *(one.condition for one in asked)]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Something that is asked of events; `ids` are those that may have it, None where there are too many."""

    ids: Collection[int] | None
    condition: Condition


def _tagged(tx: ReadTx, tag: str | None) -> Iterator[_Asked]:
    if tag is None:
        return
    clean = nfc_within(tag, TAG_MAX)
    if clean is None:
        # Longer than any tag.
        yield _Asked((), sa.true())
        return
    mine = event_tags.c.tag == clean
    yield _Asked(_few(tx, sa.select(event_tags.c.event_id).where(mine)), _has_tag(mine))


def _has_tag(mine: Condition) -> Condition:
    return sa.exists().where(mine, event_tags.c.event_id == events.c.id)


def _named(tx: ReadTx, part_of_name: str | None) -> Iterator[_Asked]:
    if not part_of_name:
        return
    part = fold(part_of_name) if may_be_within(part_of_name, _FOLDED_NAME_MAX) else None
    if part is None or len(part) > _FOLDED_NAME_MAX:
        # Longer than any name: SQLite refuses overlong patterns, and none could match.
        yield _Asked((), sa.true())
    else:
        yield _Asked(find_few(tx, part, most=FEW), holds(part))


def _closed(tx: ReadTx, now_ms: int | None) -> Iterator[_Asked]:
    if now_ms is None:
        return
    overdue = events.c.closes_at_ms <= now_ms
    mine = sa.select(events.c.id).where(events.c.status == EventStatus.ACTIVE.value, overdue)
    yield _Asked(_few(tx, mine), overdue)


def _few(tx: ReadTx, ids: sa.Select[Any]) -> Collection[int] | None:
    """Return the ids, None where there are too many to look all of them up."""
    found: Collection[int] = tx.execute(ids.limit(FEW + 1)).scalars().all()
    return None if len(found) > FEW else found


def _status(wanted: EventFilter, now_ms: int, status: sa.ColumnElement[str]) -> list[Condition]:
    visible = _visibility(wanted)
    if wanted.status is EventStatus.ACTIVE:
        closes_at_ms = events.c.closes_at_ms
        return [status == EventStatus.ACTIVE.value, sa.or_(closes_at_ms.is_(None), closes_at_ms > now_ms), *visible]
    if wanted.status is EventStatus.CLOSED:
        return [status == EventStatus.ACTIVE.value, *visible]
    return [status == wanted.status.value, *visible]


def _visibility(wanted: EventFilter) -> list[Condition]:
    """Leave out what was never published, except for its creator and admins."""
    visitor = wanted.visitor
    if wanted.status not in {EventStatus.NEW, EventStatus.CANCELLED} or (visitor and visitor.is_admin):
        return []
    own = events.c.creator_id == visitor.user_id if visitor else sa.false()
    return [own if wanted.status is EventStatus.NEW else sa.or_(events.c.published_at_ms.is_not(None), own)]


@dataclass(frozen=True, slots=True)
class _Order:
    """One order of the list: how rows after a position are read, and the position of a row."""

    read: Callable[[ReadTx, list[Condition], Position | None, int], list[EventRow]]
    position: Callable[[EventRow], Position]


def _rows(tx: ReadTx, conditions: list[Condition], *order: sa.ColumnElement[int], limit: int) -> list[EventRow]:
    query = sa.select(*COLUMNS).where(*conditions).order_by(*order).limit(limit)
    return [event_row(row) for row in tx.execute(query).mappings()]


def _newest(tx: ReadTx, conditions: list[Condition], after: Position | None, limit: int) -> list[EventRow]:
    if after is not None:
        (last_id,) = after
        conditions = [*conditions, events.c.id < last_id]
    return _rows(tx, conditions, events.c.id.desc(), limit=limit)


def _by_volume(tx: ReadTx, conditions: list[Condition], after: Position | None, limit: int) -> list[EventRow]:
    volume, event_id = events.c.volume_kopecks, events.c.id
    if after is not None:
        conditions = [*conditions, sa.tuple_(volume, event_id) < after]
    return _rows(tx, conditions, volume.desc(), event_id.desc(), limit=limit)


def _closing(tx: ReadTx, conditions: list[Condition], after: Position | None, limit: int) -> list[EventRow]:
    """Read events with a deadline, soonest first, then those without one.

    Two statements rather than one ordered by "has none": each follows an index.
    """
    finish, event_id = events.c.finish_at_ms, events.c.id
    found: list[EventRow] = []
    if after is None or after[0] is not None:
        later = [] if after is None else [sa.tuple_(finish, event_id) > after]
        found = _rows(tx, [*conditions, finish.is_not(None), *later], finish, event_id, limit=limit)
    if len(found) < limit:
        undated: list[Condition] = [finish.is_(None)]
        if after is not None and after[0] is None:
            undated.append(event_id > after[1])
        found += _rows(tx, [*conditions, *undated], event_id, limit=limit - len(found))
    return found


_ORDERS: dict[Sort, _Order] = {
    "new": _Order(_newest, lambda row: (row.id,)),
    "volume": _Order(_by_volume, lambda row: (row.volume_kopecks, row.id)),
    "closing": _Order(_closing, lambda row: (row.finish_at_ms, row.id)),
}
