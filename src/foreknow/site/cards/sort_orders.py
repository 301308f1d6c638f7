"""Orders of cards by what `activity` counts: the ranked events by their rank, then all others, newest first.

Ranks change while their list is read. So its cursor holds the events with a rank that were shown, not the last rank: a
page begins with the highest ranks that were not shown yet. Once there are none, or `SHOWN_MAX` were shown, all others
follow by their ids, whatever their ranks have become. Each event that is there throughout is shown exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal, cast, get_args

import sqlalchemy as sa

from foreknow.kernel.pagination import PagePosition
from foreknow.kernel.units import INT64_MAX
from foreknow.market.events.listing import ORDERS, Conditions, SortOrder, newest
from foreknow.market.events.store import COLUMNS, EventRow, EventStatus, event_row
from foreknow.market.events.tables import events
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.tables import event_activity

CardSort = Literal["trending", "new", "volume", "closing", "moved"]
SORTS: tuple[CardSort, ...] = get_args(CardSort)
#: Events shown by rank: a cursor holds their ids, and is part of an address.
SHOWN_MAX = 1_000

_RANKS = {"trending": event_activity.c.volume_24h_kopecks, "moved": event_activity.c.moved_ppm}
#: In a literal, so that the partial index matches.
_NOTHING = sa.literal(0, literal_execute=True)


@dataclass(frozen=True, slots=True)
class CardOrder:
    """An order from a position on: of rows, and the position after those that are shown."""

    rows: SortOrder
    after: Callable[[Sequence[EventRow]], PagePosition]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the traversal of a ranked list is."""

    #: The rest follows by id from below this one on; None while there are ranks to show.
    below_id: int | None
    #: Events shown by rank.
    shown: Collection[int]

    @classmethod
    def read(cls, position: PagePosition | None) -> _Place:
        if position is None:
            return cls(None, ())
        below_id, *steps = cast("tuple[int | None, *tuple[int, ...]]", position)
        return cls(below_id, list(accumulate(steps)))

    def position(self) -> PagePosition:
        # The distances between ids are shorter than these.
        ids = sorted(self.shown)
        return self.below_id, *ids[:1], *(after - before for before, after in pairwise(ids))

    def after(self, rows: Sequence[EventRow]) -> _Place:
        if self.below_id is not None:
            return _Place(rows[-1].id, self.shown)
        shown = [*self.shown, *(row.id for row in rows if row.rank > 0)]
        if rows[-1].rank <= 0:
            return _Place(rows[-1].id, shown)
        return _Place(INT64_MAX if len(shown) >= SHOWN_MAX else None, shown)


def order_of(sort: CardSort, status: EventStatus | None, position: PagePosition | None) -> CardOrder:
    """Return the order of a list of events of this status, None for any, from a position of its cursor on."""
    rank = _RANKS.get(sort)
    if rank is None:
        return CardOrder(ORDERS[sort], lambda rows: ORDERS[sort].position(rows[-1]))
    place = _Place.read(position)
    # Events that are over have a part of the index of their own: of a busy series there are many.
    parts = (False,) if status is EventStatus.ACTIVE else (False, True)

    def read(tx: ReadTx, conditions: Conditions, _after: PagePosition | None, limit: int) -> list[EventRow]:
        is_new = _is_not_among(place.shown)
        if place.below_id is not None:
            return newest(tx, conditions, (place.below_id,), limit, *is_new)
        found = [row for is_over in parts for row in _ranked(tx, rank, conditions, limit, *is_new, is_over=is_over)]
        found = sorted(found, key=_rank)[:limit]
        if len(found) < limit:
            found += newest(tx, conditions, None, limit - len(found), _is_unranked(rank), *is_new)
        return found

    def after(rows: Sequence[EventRow]) -> PagePosition:
        return place.after(rows).position()

    def key(row: EventRow) -> tuple[float, ...]:
        return _rank(row) if place.below_id is None else (-row.id,)

    return CardOrder(SortOrder(read, lambda row: after([row]), key), after)


def _rank(row: EventRow) -> tuple[float, ...]:
    return -row.rank, -row.id


def _is_not_among(ids: Collection[int]) -> Iterator[sa.ColumnElement[bool]]:
    if ids:
        yield events.c.id.not_in(ids)


def _ranked(
    tx: ReadTx,
    rank: sa.Column[int],
    conditions: Conditions,
    limit: int,
    *more: sa.ColumnElement[bool],
    is_over: bool,
) -> list[EventRow]:
    event_id = event_activity.c.event_id
    query = (
        sa.select(*COLUMNS, rank.label("rank"))
        .join_from(event_activity, events, events.c.id == event_id)
        .where(event_activity.c.is_over == sa.literal(is_over), rank > _NOTHING, *more, *conditions.found)
        .order_by(rank.desc(), event_id.desc())
        .limit(limit)
    )
    return [event_row(row) for row in tx.execute(query).mappings()]


def _is_unranked(rank: sa.Column[int]) -> sa.ColumnElement[bool]:
    return ~sa.exists().where(event_activity.c.event_id == events.c.id, rank > _NOTHING)
