"""Positions and profits as answers (interface, section 2, "Closed position with details" and "PnL chart point")."""

from __future__ import annotations

from typing import Literal

import msgspec

TokenType = Literal["YES", "NO"]


class HeldPosition(msgspec.Struct, frozen=True):
    """An open position. `avg_price` (basis points) is what a held share cost, `pnl` what its sales earned so far."""

    id: int
    user_id: int
    market_id: int
    token_type: TokenType
    amount: int
    avg_price: int
    pnl: int
    value_kopecks: int
    event_id: int
    event_name: str
    pool_id: int
    pool_name: str
    market_name: str


class ClosedPosition(msgspec.Struct, frozen=True):
    """A closed position. `amount` is all the shares that left it, `avg_price` (basis points) what one of them cost."""

    id: int
    user_id: int
    market_id: int
    token_type: TokenType
    amount: int
    avg_price: int
    pnl: int
    won_side: Literal[0, 1] | None
    closed_at: str
    event_id: int
    event_name: str
    pool_id: int
    pool_name: str
    market_name: str


class HeldPositions(msgspec.Struct, frozen=True):
    """A page of open positions, newest first."""

    positions: list[HeldPosition]
    next_cursor: str | None
    has_more: bool


class ClosedPositions(msgspec.Struct, frozen=True):
    """A page of closed positions, the one closed last first."""

    positions: list[ClosedPosition]
    next_cursor: str | None
    has_more: bool


class PnlChartPoint(msgspec.Struct, frozen=True):
    """Cumulative realized profit in roubles."""

    timestamp: str
    pnl: float


class PnlChart(msgspec.Struct, frozen=True):
    """A trader's profit after every sale and every settled position, at most 1,000 points."""

    points: list[PnlChartPoint]
