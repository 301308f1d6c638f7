"""Series as responses show them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.schema_types import LATER_TIME_EXAMPLE, STATUS, CreatedAt, Id, Time
from foreknow.market.events.schemas import SeriesInterval
from foreknow.market.events.series_store import SeriesRow

_WAITING = Meta(
    description="Why the next instance is not opened though the newest one is over: its creator is no Creator, the "
    "house's limit for its creator, or no price of the last 120 s; null where nothing prevents it.",
    examples=[None],
)


class Series(msgspec.Struct, frozen=True):
    """An event that recurs. Its instances are events."""

    id: Id
    status: Annotated[Literal["running", "stopped", "ended"], STATUS]
    waiting: Annotated[Literal["creator_role", "house_limit", "price"] | None, _WAITING]
    loop_interval_minutes: SeriesInterval
    first_event_id: Annotated[int, Meta(description="The event of its first instance.", examples=[3])]
    current_event_id: Annotated[int, Meta(description="The event of its newest instance.", examples=[9])]
    next_index: Annotated[
        int, Meta(description="Index of the next instance, were it opened when the newest one is over.", examples=[5])
    ]
    next_opens_at: Annotated[
        Time | None,
        Meta(
            description="When the next instance can be opened, UTC; null unless running, and while that depends on the "
            "result of a pool without a finish_at.",
            examples=[LATER_TIME_EXAMPLE],
        ),
    ]
    created_at: CreatedAt


def series_view(row: SeriesRow, *, next_index: int, next_opens_at_ms: int | None) -> Series:
    """Show a series."""
    return Series(
        id=row.id,
        status=row.status.value,
        waiting=row.waiting,
        loop_interval_minutes=row.recurrence.interval_minutes,
        first_event_id=row.first_event_id,
        current_event_id=row.newest_event_id,
        next_index=next_index,
        next_opens_at=iso_or_none(next_opens_at_ms),
        created_at=iso(row.created_at_ms),
    )
