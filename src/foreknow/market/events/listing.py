"""Lists of events: filters, and pages that stay consistent while rows are written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.pagination import Cursors, Slice
from foreknow.kernel.text import may_be_within, nfc_within, search_fold
from foreknow.market.events.schemas import MARKETS_MAX, NAME_MAX, TAG_MAX
from foreknow.market.events.search import find_candidates, name_contains
from foreknow.market.events.sorting import Condition, Conditions, Sort, SortOrder, order_of
from foreknow.market.events.store import EventRow, EventStatus
from foreknow.market.events.tables import event_tags, events
from foreknow.market.events.times import CLOSED_LONG_AGO_MS
from foreknow.market.markets.store import market_counts_of_pools
from foreknow.market.pools.store import pool_ids_of_events
from foreknow.people.follows.tables import event_follows, tag_follows, user_follows
from foreknow.platform.db.transactions import ReadTx

#: Most events of one criterion (tag, part of a name, past a time) that are looked up by id.
ID_LOOKUP_MAX = 500
#: Most markets on a page with several events.
PAGE_MARKETS_MAX = 2_000
#: Pools per counting query: events created before their markets were limited have up to ten thousand pools.
_POOLS_PER_COUNT = 200
#: Case folding turns one code point into at most three.
_FOLDED_NAME_MAX = 3 * NAME_MAX
#: What the rows of published events say.
_STORED_OF_PUBLISHED = (EventStatus.ACTIVE, EventStatus.RESOLVED, EventStatus.CANCELLED)
#: As the partial indexes spell it: to a boolean column SQLAlchemy would append `= 1` for SQLite.
_IS_NEWEST: Condition = sa.literal_column("events.is_newest")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Filters, sort order and visitor of a list of events."""

    #: None for any.
    status: EventStatus | None
    tag: str | None
    part_of_name: str | None
    #: The name of the order, for cursors.
    sort: str
    visitor: UserCaller | None
    series_id: int | None = None
    #: Leave out all instances of series but the newest.
    only_newest: bool = False
    creator_id: int | None = None
    #: Where there is no status: unpublished events too, to those who may see them.
    with_drafts: bool = False
    #: Where there is no status: no cancelled ones.
    but_cancelled: bool = False
    #: Only events that this person follows, or of users or with tags that they follow.
    followed_by: int | None = None

    def binding(self) -> str:
        """Return the text that binds cursors to this list."""
        caller = self.visitor.user_id if self.visitor else None
        parts = [
            *("events", self.status, self.tag, self.part_of_name, self.sort, caller),
            *(self.series_id, self.only_newest, self.creator_id, self.with_drafts, self.followed_by),
            self.but_cancelled,
        ]
        return msgspec.json.encode(parts).decode()


@dataclass(frozen=True, slots=True)
class EventSlice(Slice[EventRow]):
    """One page of events; `pool_ids` are those of each event, in order."""

    pool_ids: Mapping[int, Sequence[int]]


def list_events(
    tx: ReadTx, filters: EventFilter, cursors: Cursors, *, limit: int, cursor: str | None, now_ms: int
) -> EventSlice:
    """Return one page; `InvalidCursor` for a cursor of another list, visitor or filter."""
    binding = filters.binding()
    order = order_of(
        cast("Sort", filters.sort), cursors.decode(cursor, binding=binding) if cursor is not None else None
    )
    rows = read_rows(tx, filters, order, now_ms=now_ms, limit=limit + 1)
    pool_ids = pool_ids_of_events(tx, [row.id for row in rows[:limit]])
    length = page_length(tx, [pool_ids[row.id] for row in rows[:limit]])
    page = cursors.slice(rows, limit=length, binding=binding, position=lambda _last: order.after(rows[:length]))
    return EventSlice(page.rows, page.next_cursor, pool_ids)


def read_rows(tx: ReadTx, filters: EventFilter, order: SortOrder, *, now_ms: int, limit: int) -> list[EventRow]:
    """Return the next rows of a list in an order from a position on."""
    if filters.status is EventStatus.RESOLVED:
        # Those whose last dispute window ended a moment ago are few, and found by another index.
        found = order.read(tx, _conditions(tx, filters, filters.status, now_ms), limit)
        if _is_any_ended(tx, now_ms):
            conditions = _conditions(tx, filters, filters.status, now_ms, of_ended_windows=True)
            found = sorted([*found, *order.read(tx, conditions, limit)], key=order.rank)[:limit]
        return found
    if filters.status is not None:
        return order.read(tx, _conditions(tx, filters, filters.status, now_ms), limit)
    # An index orders the events of one stored status.
    drafts = (EventStatus.NEW,) if filters.with_drafts and filters.visitor is not None else ()
    found = [
        row
        for status in (*drafts, *_STORED_OF_PUBLISHED)
        if not (filters.but_cancelled and status is EventStatus.CANCELLED)
        for row in order.read(tx, _conditions(tx, filters, status, now_ms), limit)
    ]
    return sorted(found, key=order.rank)[:limit]


def page_length(tx: ReadTx, pools_of_events: Sequence[Sequence[int]]) -> int:
    """Return how many of these events fit on a page with these pools: at least one if there are any."""
    if sum(map(len, pools_of_events)) * MARKETS_MAX <= PAGE_MARKETS_MAX:
        return len(pools_of_events)
    markets = 0
    for start, stop in _groups(pools_of_events):
        counts = market_counts_of_pools(tx, [pool_id for pools in pools_of_events[start:stop] for pool_id in pools])
        for index in range(start, stop):
            markets += sum(counts.get(pool_id, 0) for pool_id in pools_of_events[index])
            if markets > PAGE_MARKETS_MAX:
                return max(index, 1)
    return len(pools_of_events)


def _groups(pools_of_events: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Split the events, in order, into (start, stop) groups of about `_POOLS_PER_COUNT` pools."""
    start = pools = 0
    for index, pool_ids in enumerate(pools_of_events):
        pools += len(pool_ids)
        if pools >= _POOLS_PER_COUNT or index == len(pools_of_events) - 1:
            yield start, index + 1
            start, pools = index + 1, 0


def _conditions(
    tx: ReadTx, filters: EventFilter, status: EventStatus, now_ms: int, *, of_ended_windows: bool = False
) -> Conditions:
    """Return conditions that make the query take about as long with one event as with a hundred thousand.

    Criteria that few events match are looked up by id; for common ones the sort order's index soon finds enough rows.
    `status` equals that of the filters or, where they have none, is a stored one. `of_ended_windows`: of resolved
    events those whose row does not say so yet.
    """
    stored = EventStatus.ACTIVE if filters.status is EventStatus.CLOSED or of_ended_windows else status
    criteria = [*_tagged(tx, filters.tag), *_named(tx, filters.part_of_name), *_only_newest(tx, filters)]
    criteria += _made_by(tx, filters, status)
    criteria += _followed(tx, filters, status)
    if filters.status is EventStatus.CLOSED:
        criteria.append(_overdue(tx, events.c.closes_at_ms <= now_ms, _has_no_ended_windows(now_ms)))
    if of_ended_windows:
        criteria.append(_overdue(tx, *_ended_windows(now_ms)))
    candidates = [criterion.ids for criterion in criteria if criterion.ids is not None]
    conditions = [
        *_open(filters, now_ms),
        *_visibility(filters.visitor, status),
        *(criterion.condition for criterion in criteria),
    ]
    # Without this concatenation and sum SQLite would scan the index on the status, or that of a series.
    hidden = [events.c.status.concat("") == stored.value, *_in_series(filters, events.c.series_id + 0)]
    if not candidates:
        indexed = [events.c.status == stored.value, *_in_series(filters, events.c.series_id), *conditions]
        return Conditions(indexed, [*hidden, *conditions])
    ids = set(candidates[0]).intersection(*candidates[1:])
    looked_up = [events.c.id.in_(ids), *hidden, *conditions]
    return Conditions(looked_up, looked_up)


@dataclass(frozen=True, slots=True)
class _Criterion:
    """A filter; `ids` are the events that may match, None if there are too many."""

    ids: Collection[int] | None
    condition: Condition


def _tagged(tx: ReadTx, tag: str | None) -> Iterator[_Criterion]:
    if tag is None:
        return
    clean = nfc_within(tag, TAG_MAX)
    if clean is None:
        # Longer than any tag.
        yield _Criterion((), sa.true())
        return
    condition = event_tags.c.tag == clean
    yield _Criterion(_ids_up_to_limit(tx, sa.select(event_tags.c.event_id).where(condition)), _has_tag(condition))


def _has_tag(condition: Condition) -> Condition:
    return sa.exists().where(condition, event_tags.c.event_id == events.c.id)


def _named(tx: ReadTx, part_of_name: str | None) -> Iterator[_Criterion]:
    if not part_of_name:
        return
    part = search_fold(part_of_name) if may_be_within(part_of_name, _FOLDED_NAME_MAX) else None
    if part is None or len(part) > _FOLDED_NAME_MAX:
        # Longer than any name: SQLite refuses overlong patterns, and none could match.
        yield _Criterion((), sa.true())
    else:
        yield _Criterion(find_candidates(tx, part, limit=ID_LOOKUP_MAX), name_contains(part))


def _only_newest(tx: ReadTx, filters: EventFilter) -> Iterator[_Criterion]:
    if not filters.only_newest:
        return
    ids: Collection[int] | None = None
    if filters.series_id is not None:
        of_series = sa.select(events.c.id).where(events.c.series_id == filters.series_id)
        ids = tx.execute(of_series.order_by(events.c.series_index.desc()).limit(1)).scalars().all()
    yield _Criterion(ids, _IS_NEWEST)


def _made_by(tx: ReadTx, filters: EventFilter, status: EventStatus) -> Iterator[_Criterion]:
    if filters.creator_id is None:
        return
    condition = events.c.creator_id == filters.creator_id
    stored = EventStatus.ACTIVE if status is EventStatus.CLOSED else status
    yield _Criterion(
        _ids_up_to_limit(tx, sa.select(events.c.id).where(condition, events.c.status == stored.value)), condition
    )


def _followed(tx: ReadTx, filters: EventFilter, status: EventStatus) -> Iterator[_Criterion]:
    user_id = filters.followed_by
    if user_id is None:
        return
    event, user, tag = event_follows.c, user_follows.c, tag_follows.c
    condition = sa.or_(
        sa.exists().where(event.event_id == events.c.id, event.user_id == user_id, event.is_on == sa.true()),
        sa.exists().where(user.followed_id == events.c.creator_id, user.user_id == user_id),
        sa.exists().where(event_tags.c.event_id == events.c.id, event_tags.c.tag == tag.tag, tag.user_id == user_id),
    )
    stored = EventStatus.ACTIVE if status is EventStatus.CLOSED else status
    of_events = sa.select(events.c.id).join_from(event_follows, events, events.c.id == event.event_id)
    of_users = sa.select(events.c.id).join_from(user_follows, events, events.c.creator_id == user.followed_id)
    of_tags = (
        sa.select(events.c.id)
        .join_from(tag_follows, event_tags, event_tags.c.tag == tag.tag)
        .join(events, events.c.id == event_tags.c.event_id)
    )
    ids: set[int] = set()
    for query, own in (
        (of_events, sa.and_(event.user_id == user_id, event.is_on == sa.true())),
        (of_users, user.user_id == user_id),
        (of_tags, tag.user_id == user_id),
    ):
        found = _ids_up_to_limit(tx, query.where(own, events.c.status == stored.value))
        if found is None:
            yield _Criterion(None, condition)
            return
        ids.update(found)
    yield _Criterion(ids if len(ids) <= ID_LOOKUP_MAX else None, condition)


def _in_series(filters: EventFilter, series_id: sa.ColumnElement[int]) -> list[Condition]:
    return [] if filters.series_id is None else [series_id == filters.series_id]


def _overdue(tx: ReadTx, *conditions: Condition) -> _Criterion:
    """Return the criterion of these conditions on the times of active events."""
    query = sa.select(events.c.id).where(events.c.status == EventStatus.ACTIVE.value, *conditions)
    return _Criterion(_ids_up_to_limit(tx, query), sa.and_(*conditions))


def _ended_windows(now_ms: int) -> list[Condition]:
    # All of their pools have results: so the index of the closing times finds them.
    return [events.c.closes_at_ms == CLOSED_LONG_AGO_MS, events.c.resolves_at_ms <= now_ms]


def _is_any_ended(tx: ReadTx, now_ms: int) -> bool:
    query = sa.select(events.c.id).where(events.c.status == EventStatus.ACTIVE.value, *_ended_windows(now_ms))
    return tx.execute(query.limit(1)).first() is not None


def _has_no_ended_windows(now_ms: int) -> Condition:
    resolves_at_ms = events.c.resolves_at_ms
    return sa.or_(resolves_at_ms.is_(None), resolves_at_ms > now_ms)


def _ids_up_to_limit(tx: ReadTx, ids: sa.Select[Any]) -> Collection[int] | None:
    """Return the ids, None if there are more than `ID_LOOKUP_MAX`."""
    found: Collection[int] = tx.execute(ids.limit(ID_LOOKUP_MAX + 1)).scalars().all()
    return None if len(found) > ID_LOOKUP_MAX else found


def _open(filters: EventFilter, now_ms: int) -> list[Condition]:
    """Exclude active events that have closed. Those that are resolved have closed, too."""
    if filters.status is not EventStatus.ACTIVE:
        return []
    closes_at_ms = events.c.closes_at_ms
    return [sa.or_(closes_at_ms.is_(None), closes_at_ms > now_ms)]


def _visibility(visitor: UserCaller | None, status: EventStatus) -> list[Condition]:
    """Exclude unpublished events, except for their creator and admins."""
    if status not in {EventStatus.NEW, EventStatus.CANCELLED} or (visitor and visitor.is_admin):
        return []
    own = events.c.creator_id == visitor.user_id if visitor else sa.false()
    return [own if status is EventStatus.NEW else sa.or_(events.c.published_at_ms.is_not(None), own)]
