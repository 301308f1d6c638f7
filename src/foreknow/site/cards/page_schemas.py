"""All that an event's page shows, as responses show it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import NATURAL, POSITIONS, PROBABILITY, HeldKopecks, PoolId, Time
from foreknow.market.events.schemas import Event
from foreknow.market.markets.schemas import Paused
from foreknow.people.users.schemas import PublicUser
from foreknow.site.cards.schemas import (
    EventVolume,
    LatestFinishAt,
    PresentQuantiles,
    PublishedAt,
    ResolvedAt,
    TraderCount,
)
from foreknow.site.comments.schemas import CommentCount
from foreknow.site.portfolio.schemas import Position

PageAction = Literal["publish", "cancel", "pause", "resolve", "outcome", "image"]


class HouseMoney(msgspec.Struct, frozen=True):
    """The house's money in a pool, kopecks."""

    escrow_kopecks: Annotated[
        int, NATURAL, Meta(description="What is there to pay its outcomes, kopecks.", examples=[69315])
    ]
    fees_kopecks: Annotated[int, NATURAL, Meta(description="Fees so far, kopecks.", examples=[1200])]
    result_kopecks: Annotated[
        int | None,
        Meta(
            description="Kopecks: fees, plus what came back from escrow less what the house had paid in, and what its "
            "own trader earned (below 0: loss); null until all positions are paid.",
            examples=[-4000],
        ),
    ]
    held_kopecks: Annotated[HeldKopecks, NATURAL]
    other_bound_kopecks: Annotated[
        int | None,
        Meta(
            description="Of a list: the most that the house can lose if Other wins, each part of it rounded up; with "
            "it follows what a further outcome costs. Null for none, kopecks.",
            examples=[None],
        ),
    ]


class PoolDetails(msgspec.Struct, frozen=True):
    """What a page shows of a pool beside what its event says of it."""

    pool_id: PoolId
    paused: Paused
    volume_kopecks: Annotated[int, NATURAL, Meta(description="Stakes and payouts of sales, kopecks.", examples=[9000])]
    trades: Annotated[int, NATURAL, Meta(description="How many trades it has had.", examples=[17])]
    traders: TraderCount
    probabilities_24h: Annotated[
        list[Annotated[float, PROBABILITY]],
        Meta(
            description="The probability of YES of each market 24 h ago, to a quarter of an hour; of a younger pool "
            "its prior.",
            examples=[[0.6, 0.4]],
        ),
    ]
    quantiles: PresentQuantiles | None
    loss_bound_kopecks: Annotated[
        int, NATURAL, Meta(description="The most that the house can lose, kopecks.", examples=[69315])
    ]
    resolved_at: Annotated[
        Time | None, Meta(description="When its result became final, UTC; null before.", examples=[None])
    ]
    house: Annotated[HouseMoney | None, Meta(description="For those who may do something with the event, else null.")]


class EventDetails(msgspec.Struct, frozen=True):
    """An event with all that its page shows at first."""

    event: Annotated[Event, Meta(description="The event.")]
    creator: Annotated[PublicUser, Meta(description="Who made it.")]
    creator_trades: Annotated[
        bool, Meta(description="Whether who made it has ever traded in it, whatever became of that.", examples=[False])
    ]
    published_at: PublishedAt
    finish_at: LatestFinishAt
    resolved_at: ResolvedAt
    main_pool_index: Annotated[int, NATURAL, Meta(description="Index of the main pool in `pools`.", examples=[0])]
    volume_kopecks: EventVolume
    traders: TraderCount
    comments: CommentCount
    may: Annotated[
        list[PageAction],
        Meta(
            description="What you may do with it now: `pause` (or resume) one of its pools, `resolve` one, add an "
            "`outcome` to a list, or change its image; empty for all but its creator and admins.",
            examples=[[]],
        ),
    ]
    following: Annotated[bool, Meta(description="Whether you follow it.", examples=[False])]
    pools: Annotated[list[PoolDetails], Meta(description="Its pools, in their order.")]
    positions: Annotated[list[Position], POSITIONS, Meta(description="Your open positions in it, newest first.")]
