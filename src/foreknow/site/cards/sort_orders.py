"""Orders of cards by what `activity` counts: the ranked events by their rank, then all others, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import sqlalchemy as sa

from foreknow.kernel.pagination import PagePosition
from foreknow.market.events import sorting
from foreknow.market.events.sorting import Condition, Conditions, SortOrder, by_rank
from foreknow.market.events.store import COLUMNS, EventRow, EventStatus, event_row
from foreknow.market.events.tables import events
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.tables import event_activity

CardSort = Literal["trending", "new", "volume", "closing", "moved"]
SORTS: tuple[CardSort, ...] = get_args(CardSort)

#: In a literal, so that the partial index matches.
_NOTHING = sa.literal(0, literal_execute=True)


def order_of(sort: CardSort, status: EventStatus | None, position: PagePosition | None) -> SortOrder:
    """Return the order of a list of events of this status, None for any, from a position of its cursor on."""
    match sort:
        case "trending":
            rank = event_activity.c.volume_24h_kopecks
        case "moved":
            rank = event_activity.c.moved_ppm
        case _:
            return sorting.order_of(sort, position)
    # Events that are over have a part of the index of their own: of a busy series there are many.
    parts = (False,) if status is EventStatus.ACTIVE else (False, True)

    def read(tx: ReadTx, conditions: Conditions, limit: int, more: Sequence[Condition]) -> list[EventRow]:
        found = [row for is_over in parts for row in _ranked(tx, rank, conditions, limit, more, is_over=is_over)]
        return sorted(found, key=_highest)[:limit]

    return by_rank(position, read, _highest, lambda row: row.rank > 0, _is_unranked(rank))


def _highest(row: EventRow) -> tuple[float, ...]:
    return -row.rank, -row.id


def _ranked(
    tx: ReadTx,
    rank: sa.Column[int],
    conditions: Conditions,
    limit: int,
    more: Sequence[Condition],
    *,
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


def _is_unranked(rank: sa.Column[int]) -> Condition:
    return ~sa.exists().where(event_activity.c.event_id == events.c.id, rank > _NOTHING)
