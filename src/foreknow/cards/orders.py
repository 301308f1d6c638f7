"""Orders of cards by what `activity` counts: the ranked events by their rank, then all others, newest first."""

from __future__ import annotations

from typing import Literal, get_args

import sqlalchemy as sa

from foreknow.activity.tables import event_activity
from foreknow.db.transactions import ReadTx
from foreknow.events.listing import ORDERS, Conditions, Order, newest
from foreknow.events.store import COLUMNS, EventRow, EventStatus, event_row
from foreknow.events.tables import events
from foreknow.kernel.pagination import Position

CardSort = Literal["trending", "new", "volume", "closing", "moved"]
SORTS: tuple[CardSort, ...] = get_args(CardSort)

_RANKS = {"trending": event_activity.c.volume_24h_kopecks, "moved": event_activity.c.moved_ppm}
#: In a literal, so that the partial index matches.
_NOTHING = sa.literal(0, literal_execute=True)


def order_of(sort: CardSort, status: EventStatus | None) -> Order:
    """Return the order of a list of events of this status; None for any."""
    rank = _RANKS.get(sort)
    if rank is None:
        return ORDERS[sort]
    # Events that are over have a part of the index of their own: of a busy series there are many.
    parts = (False,) if status is EventStatus.ACTIVE else (False, True)

    def read(tx: ReadTx, conditions: Conditions, after: Position | None, limit: int) -> list[EventRow]:
        found: list[EventRow] = []
        if after is None or after[0] != 0:
            found = [row for is_over in parts for row in _ranked(tx, rank, conditions, after, limit, is_over=is_over)]
            found = sorted(found, key=_rank)[:limit]
        if len(found) < limit:
            below = None if after is None or after[0] != 0 else after[1:]
            found += newest(tx, conditions, below, limit - len(found), _is_unranked(rank))
        return found

    return Order(read, lambda row: (row.rank, row.id), _rank)


def _rank(row: EventRow) -> tuple[float, ...]:
    return -row.rank, -row.id


def _ranked(
    tx: ReadTx, rank: sa.Column[int], conditions: Conditions, after: Position | None, limit: int, *, is_over: bool
) -> list[EventRow]:
    event_id = event_activity.c.event_id
    later = [] if after is None else [sa.tuple_(rank, event_id) < after]
    query = (
        sa.select(*COLUMNS, rank.label("rank"))
        .join_from(event_activity, events, events.c.id == event_id)
        .where(event_activity.c.is_over == sa.literal(is_over), rank > _NOTHING, *later, *conditions.found)
        .order_by(rank.desc(), event_id.desc())
        .limit(limit)
    )
    return [event_row(row) for row in tx.execute(query).mappings()]


def _is_unranked(rank: sa.Column[int]) -> sa.ColumnElement[bool]:
    return ~sa.exists().where(event_activity.c.event_id == events.c.id, rank > _NOTHING)
