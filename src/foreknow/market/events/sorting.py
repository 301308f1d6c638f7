"""Orders of lists of events, each from a position on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

import sqlalchemy as sa

from foreknow.kernel.pagination import PagePosition, RankedPlace
from foreknow.market.events.store import COLUMNS, EventRow, event_row
from foreknow.market.events.tables import events
from foreknow.platform.db.transactions import ReadTx

Sort = Literal["new", "volume", "closing"]
Condition = sa.ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the rows of one query fulfil, besides its order."""

    #: For an index that begins with the status, or that of a series.
    indexed: Sequence[Condition]
    #: The same for rows that are found otherwise: SQLite would scan that index.
    found: Sequence[Condition]


@dataclass(frozen=True, slots=True)
class SortOrder:
    """A sort order from a position on."""

    #: Reads the next rows, as often as there are conditions.
    read: Callable[[ReadTx, Conditions, int], list[EventRow]]
    #: Returns the position after rows that are shown.
    after: Callable[[Sequence[EventRow]], PagePosition]
    #: Returns a row's place among the next rows.
    rank: Callable[[EventRow], tuple[float, ...]]


def order_of(sort: Sort, position: PagePosition | None) -> SortOrder:
    """Return an order from a position of its cursor on."""
    match sort:
        case "new":
            return SortOrder(
                lambda tx, conditions, limit: _newest(tx, conditions, position, limit),
                lambda rows: (rows[-1].id,),
                lambda row: (-row.id,),
            )
        case "volume":
            return SortOrder(
                lambda tx, conditions, limit: _by_volume(tx, conditions, position, limit),
                lambda rows: (rows[-1].volume_kopecks, rows[-1].id),
                lambda row: (-row.volume_kopecks, -row.id),
            )
        case "closing":
            finish = events.c.finish_at_ms
            return by_rank(position, _closing, _soonest, lambda row: row.finish_at_ms is not None, finish.is_(None))
        case _:
            assert_never(sort)


def by_rank(
    position: PagePosition | None,
    read_ranked: Callable[[ReadTx, Conditions, int, Sequence[Condition]], list[EventRow]],
    rank: Callable[[EventRow], tuple[float, ...]],
    is_ranked: Callable[[EventRow], bool],
    is_unranked: Condition,
) -> SortOrder:
    """Return an order by ranks that change while the list is read; events without one follow, the newest first.

    `read_ranked` reads up to as many events with a rank that fulfil further conditions, in the order of `rank`.
    """
    place = RankedPlace.read(position)
    is_new: list[Condition] = [events.c.id.not_in(place.shown)] if place.shown else []

    def read(tx: ReadTx, conditions: Conditions, limit: int) -> list[EventRow]:
        if place.below_id is not None:
            return _newest(tx, conditions, (place.below_id,), limit, *is_new)
        found = read_ranked(tx, conditions, limit, is_new)
        if len(found) < limit:
            found += _newest(tx, conditions, None, limit - len(found), is_unranked, *is_new)
        return found

    def after(rows: Sequence[EventRow]) -> PagePosition:
        return place.after([row.id for row in rows], ranked=sum(map(is_ranked, rows))).position()

    return SortOrder(read, after, rank if place.below_id is None else lambda row: (-row.id,))


def _rows(tx: ReadTx, conditions: Sequence[Condition], *order: sa.ColumnElement[int], limit: int) -> list[EventRow]:
    query = sa.select(*COLUMNS).where(*conditions).order_by(*order).limit(limit)
    return [event_row(row) for row in tx.execute(query).mappings()]


def _newest(
    tx: ReadTx, conditions: Conditions, after: PagePosition | None, limit: int, *more: Condition
) -> list[EventRow]:
    """Return events by id, downwards, from below the position (id,) on, that fulfil `more`, too."""
    later = [] if after is None else [events.c.id < after[0]]
    return _rows(tx, [*conditions.indexed, *later, *more], events.c.id.desc(), limit=limit)


def _by_volume(tx: ReadTx, conditions: Conditions, after: PagePosition | None, limit: int) -> list[EventRow]:
    volume, event_id = events.c.volume_kopecks, events.c.id
    later = [] if after is None else [sa.tuple_(volume, event_id) < after]
    return _rows(tx, [*conditions.indexed, *later], volume.desc(), event_id.desc(), limit=limit)


def _closing(tx: ReadTx, conditions: Conditions, limit: int, more: Sequence[Condition]) -> list[EventRow]:
    finish = events.c.finish_at_ms
    return _rows(tx, [*conditions.indexed, finish.is_not(None), *more], finish, events.c.id, limit=limit)


def _soonest(row: EventRow) -> tuple[float, ...]:
    return (math.inf, -row.id) if row.finish_at_ms is None else (row.finish_at_ms, row.id)
