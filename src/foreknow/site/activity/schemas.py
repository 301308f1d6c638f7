"""What is counted of markets and people, as responses show it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import NATURAL, CreatedAt, HasMore, MarketId, NextCursor, Shares
from foreknow.people.users.schemas import USER, PublicUser
from foreknow.site.portfolio.schemas import RealizedProfit
from foreknow.trading.history.schemas import Trader

_HOLDERS = Meta(max_length=20, description="The largest, these first; up to 2 s old.")


class Holding(msgspec.Struct, frozen=True):
    """Who holds shares, and how many."""

    user: Annotated[Trader, Meta(description="Who holds them.")]
    shares: Shares


class MarketHolders(msgspec.Struct, frozen=True):
    """Who holds shares of each side of a market."""

    market_id: MarketId
    yes: Annotated[list[Holding], _HOLDERS]
    no: Annotated[list[Holding], _HOLDERS]
    yes_holders: Annotated[int, NATURAL, Meta(description="How many hold shares of YES.", examples=[12])]
    no_holders: Annotated[int, NATURAL, Meta(description="How many hold shares of NO.", examples=[5])]


class Holders(msgspec.Struct, frozen=True):
    """Who holds shares in a pool; once it is paid, no one."""

    markets: Annotated[list[MarketHolders], Meta(description="Its markets, in the order of their outcome_index.")]


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


class Leader(msgspec.Struct, frozen=True):
    """A user in the ranking of a period."""

    rank: Annotated[int, Meta(ge=1, le=1000, description="The place, from 1.", examples=[1])]
    user: Annotated[PublicUser, USER]
    realized_kopecks: Annotated[
        int,
        Meta(description="Profit of sales and settlements in the period (below 0: loss), kopecks.", examples=[52000]),
    ]
    volume_kopecks: Annotated[
        int, NATURAL, Meta(description="Stakes and payouts of sales in the period, kopecks.", examples=[90000])
    ]
    trades: Annotated[int, NATURAL, Meta(description="How many trades they made in the period.", examples=[17])]


class LeaderPage(msgspec.Struct, frozen=True):
    """A page of a ranking."""

    entries: Annotated[list[Leader], Meta(description="The highest profit first; up to 2 s old.")]
    next_cursor: NextCursor
    has_more: HasMore
