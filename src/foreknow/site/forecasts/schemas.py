"""Forecasts in requests and responses."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import (
    OUTCOMES,
    PROBABILITY,
    TIME_EXAMPLE,
    EventId,
    EventName,
    EventNameRu,
    HasMore,
    Id,
    KnownOutcomes,
    NextCursor,
    PoolId,
    PoolNameRu,
    PositionPoolName,
    Time,
)
from foreknow.market import charts
from foreknow.market.pools.rows import PoolRow
from foreknow.market.pools.schemas import WonSide
from foreknow.people.users.schemas import USER, PublicUser
from foreknow.site.forecasts.probabilities import after_splits
from foreknow.site.forecasts.store import ForecastRow

NOTE_MAX = 2_000
#: Markets of a pool at most.
MARKETS_MAX = 100

Probabilities = Annotated[
    tuple[float, ...],
    Meta(
        description="What is thought of each market's YES, in the order of outcomes, raised to 0.001 (of n > 2 "
        "outcomes to 0.002 / n) and divided by their sum.",
        examples=[[0.7]],
    ),
]
Note = Annotated[
    str, Meta(description="Why, for its author alone.", examples=["They have not lost at home this year."])
]
Since = Annotated[Time, Meta(description="When it was first said, UTC.", examples=[TIME_EXAMPLE])]
SaidAt = Annotated[Time, Meta(description="When it was last said, UTC.", examples=[TIME_EXAMPLE])]
Crowd = Annotated[
    tuple[float, ...] | None,
    Meta(
        description="What all of them think together, one probability a market; null while fewer than three weigh "
        "something, and while it is hidden from you.",
        examples=[[0.64]],
    ),
]


class ForecastBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the caller thinks of a pool from now on."""

    probabilities: Annotated[
        list[Annotated[float, PROBABILITY]],
        Meta(
            min_length=1,
            max_length=MARKETS_MAX,
            description="One a market, in the order of outcomes: of one market that of YES; of two and more they sum "
            "to 1 ± 0.000001.",
            examples=[[0.7]],
        ),
    ]
    note: Annotated[Note, Meta(extra_json_schema={"maxLength": NOTE_MAX})] | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller thinks of a pool."""

    id: Id
    pool_id: PoolId
    probabilities: Probabilities
    note: Note
    since: Since
    created_at: SaidAt
    market: Annotated[
        tuple[float, ...], Meta(description="The prices of YES at `since`, one a market.", examples=[[0.6]])
    ]


class PublicForecast(msgspec.Struct, frozen=True, kw_only=True):
    """What a person thinks of a pool."""

    user: Annotated[PublicUser, USER]
    probabilities: Probabilities
    since: Since
    created_at: SaidAt


class PoolForecastPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of what people think of a pool, and what they think together."""

    forecasts: Annotated[list[PublicForecast], Meta(description="Those that stand, the newest first.")]
    next_cursor: NextCursor
    has_more: HasMore
    forecasters: Annotated[
        int | None, Meta(description="How many stand; null while they are hidden from you.", examples=[12])
    ]
    crowd: Crowd
    mine: Annotated[Forecast | None, Meta(description="What you think; null where nothing of yours stands.")]
    hidden: Annotated[
        bool, Meta(description="Whether others' forecasts and the crowd are hidden from you now.", examples=[False])
    ]


class UserForecast(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said last of a pool, and what it earned."""

    event_id: EventId
    event_name: EventName
    event_name_ru: EventNameRu
    pool_id: PoolId
    pool_name: PositionPoolName
    pool_name_ru: PoolNameRu
    probabilities: Probabilities
    note: Note | UnsetType = UNSET
    created_at: SaidAt
    stands: Annotated[
        bool, Meta(description="Whether it stands: it was neither changed nor taken back.", examples=[True])
    ]
    won_side: WonSide | None
    score: Annotated[
        float | None,
        Meta(description="What its author's forecasts of the pool earned; null before, and for none.", examples=[12.4]),
    ]
    coverage: Annotated[
        Annotated[float, PROBABILITY] | None,
        Meta(description="The part of the pool's time that counted.", examples=[0.82]),
    ]


class UserForecastPage(msgspec.Struct, frozen=True):
    """A page of a person's forecasts, the last one of each pool; the note in one's own alone."""

    forecasts: Annotated[
        list[UserForecast], Meta(description="Newest first, by when it was first said; a page may end early.")
    ]
    next_cursor: NextCursor
    has_more: HasMore


def as_now(row: ForecastRow, pool: PoolRow) -> tuple[float, ...]:
    """Return what a forecast says of a pool's outcomes now, of one that has ended as when it did."""
    splits = [split.charted for split in pool.splits if row.ended_at_ms is None or split.at_ms <= row.ended_at_ms]
    return after_splits(row.probabilities, splits)


def forecast_view(row: ForecastRow, pool: PoolRow) -> Forecast:
    """Show a standing forecast to its author."""
    return Forecast(
        id=row.id,
        pool_id=row.pool_id,
        probabilities=as_now(row, pool),
        note=row.note,
        since=iso(row.since_ms),
        created_at=iso(row.created_at_ms),
        market=charts.filled(row.market, [split.charted for split in pool.splits]),
    )
