"""Profiles and rankings, as responses show them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from foreknow.kernel.schema_types import NATURAL, CreatedAt, HasMore, NextCursor
from foreknow.people.users.schemas import USER, PublicUser
from foreknow.site.portfolio.schemas import RealizedProfit


class Profile(msgspec.Struct, frozen=True):
    """What a user shows, and what they did; but for the profit up to 2 s old."""

    user: Annotated[PublicUser, USER]
    created_at: CreatedAt
    realized_kopecks: RealizedProfit
    volume_kopecks: Annotated[
        int, NATURAL, Meta(description="Stakes and payouts of all their sales, kopecks.", examples=[9000])
    ]
    trades: Annotated[int, NATURAL, Meta(description="How many trades they made.", examples=[17])]
    events: Annotated[int, NATURAL, Meta(description="How many events they traded in.", examples=[4])]
    settled: Annotated[int, NATURAL, Meta(description="How many positions of theirs were settled.", examples=[12])]
    earned: Annotated[int, NATURAL, Meta(description="How many of these with a `pnl` over 0.", examples=[7])]
    traders: Annotated[
        int, NATURAL, Meta(description="How many have traded in the events that they made.", examples=[38])
    ]
    resolved_pools: Annotated[
        int, NATURAL, Meta(description="How many pools of their events have a final result.", examples=[9])
    ]
    corrected_pools: Annotated[
        int, NATURAL, Meta(description="How many of these had more than one result.", examples=[1])
    ]
    overdue_pools: Annotated[
        int,
        NATURAL,
        Meta(description="How many that a person resolves have none 72 hours after their `finish_at`.", examples=[0]),
    ]
    forecasts: Annotated[
        int, NATURAL, Meta(description="Of how many pools they said what they think, that you may see.", examples=[21])
    ]
    forecast_score: Annotated[
        float | None,
        Meta(
            description="What their forecasts earned in all, as on the board of all time; null while none is scored.",
            examples=[84.25],
        ),
    ]
    forecast_pools: Annotated[int, NATURAL, Meta(description="In how many pools.", examples=[14])]


_RANK = Meta(ge=1, description="The place, from 1.", examples=[1])
_SCORE = Meta(
    description="What their forecasts earned in pools that became final in the period: the sum over events of their "
    "scores, divided by the number of the event's pools.",
    examples=[84.25],
)
_POOLS = Meta(description="In how many pools, 10 at least.", examples=[14])
_MEAN = Meta(description="`score` divided by `pools`; no rank depends on it.", examples=[6.02])


class Leader(msgspec.Struct, frozen=True, kw_only=True):
    """A user in the ranking of a period: by profit with `realized_kopecks, volume_kopecks, trades`, by forecasts with
    `score, pools, mean`.
    """

    rank: Annotated[int, _RANK]
    user: Annotated[PublicUser, USER]
    realized_kopecks: Annotated[
        int | UnsetType,
        Meta(description="Profit of sales and settlements in the period (below 0: loss), kopecks.", examples=[52000]),
    ] = UNSET
    volume_kopecks: Annotated[
        Annotated[int, NATURAL] | UnsetType,
        Meta(description="Stakes and payouts of sales in the period, kopecks.", examples=[90000]),
    ] = UNSET
    trades: Annotated[
        Annotated[int, NATURAL] | UnsetType,
        Meta(description="How many trades they made in the period.", examples=[17]),
    ] = UNSET
    score: Annotated[float | UnsetType, _SCORE] = UNSET
    pools: Annotated[int | UnsetType, _POOLS] = UNSET
    mean: Annotated[float | UnsetType, _MEAN] = UNSET


class LeaderPage(msgspec.Struct, frozen=True):
    """A page of a ranking."""

    entries: Annotated[list[Leader], Meta(description="The highest first; some seconds old.")]
    next_cursor: NextCursor
    has_more: HasMore


class Forecaster(msgspec.Struct, frozen=True):
    """A user on a board of forecasts."""

    rank: Annotated[int, _RANK]
    user: Annotated[PublicUser, USER]
    score: Annotated[float, _SCORE]
    pools: Annotated[int, _POOLS]
    mean: Annotated[float, _MEAN]


class ForecasterPage(msgspec.Struct, frozen=True):
    """A page of a board of forecasts."""

    entries: Annotated[list[Forecaster], Meta(description="The highest score first; some seconds old.")]
    next_cursor: NextCursor
    has_more: HasMore
