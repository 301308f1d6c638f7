"""Cards of events as responses show them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import (
    LATER_TIME_EXAMPLE,
    NATURAL,
    PROBABILITY,
    TIME_EXAMPLE,
    EventId,
    EventName,
    HasMore,
    MarketId,
    NextCursor,
    PoolId,
    Time,
)
from foreknow.market.events.schemas import EVENT_TAGS, IMAGE_URL, EventStatusName
from foreknow.market.markets.schemas import Paused
from foreknow.market.pools.schemas import FINISH_AT, LIVE_AT, QUANTILES, NameRu, OtherIndex, PoolName, WonSide
from foreknow.site.comments.schemas import CommentCount
from foreknow.site.portfolio.schemas import MarketName

PublishedAt = Annotated[
    Time | None, Meta(description="When it was published, UTC; null before.", examples=[TIME_EXAMPLE])
]
LatestFinishAt = Annotated[
    Time | None,
    Meta(description="The latest finish_at of its pools, UTC; null for none.", examples=[LATER_TIME_EXAMPLE]),
]
ResolvedAt = Annotated[
    Time | None,
    Meta(description="When the last of its results became final, UTC; null unless it is resolved.", examples=[None]),
]
EventVolume = Annotated[
    int, NATURAL, Meta(description="Stakes and payouts of sales in all its pools, kopecks.", examples=[250000])
]
TraderCount = Annotated[
    int, NATURAL, Meta(description="How many have ever traded in it; up to 2 s old.", examples=[41])
]

PresentQuantiles = Annotated[tuple[float, ...], QUANTILES, Meta(min_length=5, max_length=5)]


class CardOutcome(msgspec.Struct, frozen=True):
    """An outcome of a card's pool; `probability_24h` of a pool younger than that is its prior."""

    market_id: MarketId
    outcome_index: Annotated[int, NATURAL, Meta(description="Its place among the outcomes, from 0.", examples=[0])]
    name: MarketName
    probability: Annotated[float, PROBABILITY, Meta(description="The present probability of YES.", examples=[0.62])]
    probability_24h: Annotated[
        float,
        PROBABILITY,
        Meta(description="The probability of YES 24 h ago, to a quarter of an hour.", examples=[0.6]),
    ]


class CardPool(msgspec.Struct, frozen=True):
    """The main pool of an event."""

    pool_id: PoolId
    name: PoolName
    name_ru: NameRu
    live_at: Annotated[Time, LIVE_AT] | None
    finish_at: Annotated[Time, FINISH_AT] | None
    paused: Paused
    won_side: WonSide | None
    outcomes: Annotated[int, Meta(ge=1, description="How many markets it has.", examples=[2])]
    other: OtherIndex
    top: Annotated[
        list[CardOutcome], Meta(max_length=4, description="The most probable outcomes, the most probable first.")
    ]
    spark: Annotated[
        list[float],
        Meta(
            max_length=28,
            description="Probabilities of the first of `top` in the last week, 6 h apart, the present one last; none "
            "before publication.",
            examples=[[0.5, 0.58, 0.62]],
        ),
    ]
    quantiles: PresentQuantiles | None


class Card(msgspec.Struct, frozen=True):
    """An event at a glance."""

    event_id: EventId
    name: EventName
    name_ru: NameRu
    tags: Annotated[list[str], EVENT_TAGS]
    image_url: Annotated[str, Meta(description=IMAGE_URL, examples=["https://example.org/picture.png"])]
    status: EventStatusName
    published_at: PublishedAt
    finish_at: LatestFinishAt
    resolved_at: ResolvedAt
    volume_kopecks: EventVolume
    volume_24h_kopecks: Annotated[
        int, NATURAL, Meta(description="The volume of the last 24 h, to a minute, kopecks.", examples=[12000])
    ]
    traders: TraderCount
    comments: CommentCount
    pools: Annotated[int, Meta(ge=1, description="How many pools it has.", examples=[1])]
    pool: Annotated[CardPool, Meta(description="The main pool.")]


class CardPage(msgspec.Struct, frozen=True):
    """A page of cards."""

    cards: Annotated[list[Card], Meta(description="Cards.")]
    next_cursor: NextCursor
    has_more: HasMore


class Tag(msgspec.Struct, frozen=True):
    """A tag and its active events."""

    tag: Annotated[str, Meta(description="The tag, for `?tag=`.", examples=["football"])]
    active: Annotated[int, Meta(ge=1, description="How many active events have it; up to 2 s old.", examples=[7])]


class Tags(msgspec.Struct, frozen=True):
    """The tags with the most active events, these first."""

    tags: Annotated[list[Tag], Meta(max_length=100, description="At most 100.")]
