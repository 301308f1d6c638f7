"""Positions and PnL in responses (interface, section 2, "Closed position with details" and "PnL chart point")."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import (
    LATER_TIME_EXAMPLE,
    POSITIONS,
    AveragePrice,
    EventId,
    HasMore,
    Id,
    MarketId,
    NextCursor,
    PoolId,
    PresentValue,
    Profit,
    Time,
    Timestamp,
    TokenType,
    UserId,
)

Amount = Annotated[int, Meta(description="Shares (100 shares = 1 token).", examples=[1500])]
EventName = Annotated[str, Meta(description="The event's name.", examples=["Who wins the derby?"])]
PoolName = Annotated[str, Meta(description="The pool's name.", examples=["Winner"])]
MarketName = Annotated[str, Meta(description="The market's name.", examples=["Reds"])]


class HeldPosition(msgspec.Struct, frozen=True):
    """An open position. `avg_price` (basis points) is what a held share cost, `pnl` what its sales earned so far."""

    id: Id
    user_id: UserId
    market_id: MarketId
    token_type: TokenType
    amount: Amount
    avg_price: AveragePrice
    pnl: Profit
    value_kopecks: PresentValue
    event_id: EventId
    event_name: EventName
    pool_id: PoolId
    pool_name: PoolName
    market_name: MarketName


class ClosedPosition(msgspec.Struct, frozen=True):
    """A closed position. `amount` is all the shares that left it, `avg_price` (basis points) what one of them cost."""

    id: Id
    user_id: UserId
    market_id: MarketId
    token_type: TokenType
    amount: Amount
    avg_price: AveragePrice
    pnl: Profit
    won_side: Annotated[
        Literal[0, 1] | None,
        Meta(description="0 = YES won, 1 = NO won, null = sold, or the pool had no winner.", examples=[0]),
    ]
    closed_at: Annotated[Time, Meta(description="When it was closed, UTC.", examples=[LATER_TIME_EXAMPLE])]
    event_id: EventId
    event_name: EventName
    pool_id: PoolId
    pool_name: PoolName
    market_name: MarketName


class HeldPositions(msgspec.Struct, frozen=True):
    """A page of open positions, newest first."""

    positions: Annotated[list[HeldPosition], POSITIONS]
    next_cursor: NextCursor
    has_more: HasMore


class ClosedPositions(msgspec.Struct, frozen=True):
    """A page of closed positions, the one closed last first."""

    positions: Annotated[list[ClosedPosition], POSITIONS]
    next_cursor: NextCursor
    has_more: HasMore


class PnlChartPoint(msgspec.Struct, frozen=True):
    """Cumulative realized profit in roubles."""

    timestamp: Timestamp
    pnl: Annotated[float, Meta(description="Realized profit so far (below 0: loss), roubles.", examples=[12.5])]


class PnlChart(msgspec.Struct, frozen=True):
    """A trader's profit after every sale and every settled position, at most 1,000 points."""

    points: Annotated[list[PnlChartPoint], Meta(description="Points in the order of time.")]
