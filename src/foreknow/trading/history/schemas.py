"""Bodies of past trades (decisions.md, "Trading")."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import (
    AveragePrice,
    BasketOfTrade,
    CreatedAt,
    EventId,
    HasMore,
    Id,
    MarketId,
    NextCursor,
    OrderOfTrade,
    PoolId,
    ProbabilityAfter,
    ProbabilityBefore,
    Shares,
    TokenType,
)

TraderName = Annotated[
    str, Meta(description="The trader's name; a partner's for its users.", examples=["Ada Lovelace"])
]
TraderAvatar = Annotated[str, Meta(description='Their picture\'s address; "" for none.', examples=[""])]
TradedAmount = Annotated[
    int, Meta(description="The stake, fee included, or what the sale paid, kopecks.", examples=[1000])
]


class Trader(msgspec.Struct, frozen=True):
    """Who traded, as the feed of trades names them."""

    id: Annotated[int | None, Meta(description="The trader's id; null for who has no public profile.", examples=[42])]
    name: TraderName
    avatar_url: TraderAvatar


class TradeLeg(msgspec.Struct, frozen=True):
    """What a basket's trade bought or sold of one market."""

    market_id: MarketId
    shares: Shares
    amount_kopecks: Annotated[int, Meta(description="Its part of the amount, kopecks; it may be 0.", examples=[166])]


class Trade(msgspec.Struct, frozen=True):
    """An executed bet or sale, or a piece of a basket: its market is the leg with the most money."""

    id: Id
    event_id: EventId
    pool_id: PoolId
    market_id: MarketId
    user: Annotated[Trader, Meta(description="Who traded.")]
    action: Annotated[Literal["buy", "sell"], Meta(description="A bet, or a sale.", examples=["buy"])]
    token_type: TokenType
    amount_kopecks: TradedAmount
    shares: Shares
    avg_price: AveragePrice
    probability_before: ProbabilityBefore
    probability_after: ProbabilityAfter
    basket_id: BasketOfTrade
    legs: Annotated[
        list[TradeLeg] | None,
        Meta(description="Of a basket's: each market, in the order of outcomes; null for others.", examples=[None]),
    ]
    given: Annotated[
        list[MarketId] | None,
        Meta(
            description="Of a stake on a condition: the markets one of which is to win, or the stake is given back; "
            "null for others.",
            examples=[None],
        ),
    ]
    created_at: CreatedAt


class OwnTrade(Trade, frozen=True):
    """An executed bet or sale of one's own; of a limit order, which, and whether on arrival or while it rested."""

    order_id: OrderOfTrade
    role: Annotated[
        Literal["taker", "maker"] | None,
        Meta(description="Of a limit order: on arrival, or while resting; null otherwise.", examples=[None]),
    ]


class OwnTradePage(msgspec.Struct, frozen=True):
    """A page of one's own trades, newest first."""

    trades: Annotated[list[OwnTrade], Meta(description="Your trades, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class TradePage(msgspec.Struct, frozen=True):
    """A page of trades, newest first."""

    trades: Annotated[list[Trade], Meta(description="Trades, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore
