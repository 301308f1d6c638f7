"""Positions as their traders see them."""

from __future__ import annotations

from typing import Literal, cast

from msgspec.structs import replace

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import TokenType
from foreknow.money.pricing import average_price_bps
from foreknow.site.portfolio.schemas import CompletedPosition, HeldPosition, Position
from foreknow.site.portfolio.store import ClosedRow, CompletedRow, HeldRow, OpenRow
from foreknow.trading.positions.valuation import HoldingValue


def held_view(row: HeldRow, user_id: int, value: HoldingValue) -> HeldPosition:
    """Show an open position on the older of the two lists."""
    return HeldPosition(
        id=row.id,
        user_id=user_id,
        market_id=row.market_id,
        token_type=cast("TokenType", row.side),
        amount=row.shares,
        avg_price=average_price_bps(money_kopecks=row.cost_kopecks, shares=row.shares),
        pnl=row.pnl_kopecks,
        value_kopecks=value.value_kopecks,
        decided_kopecks=value.decided_kopecks,
        reserved_shares=row.reserved_shares,
        event_id=row.event_id,
        event_name=row.event_name,
        pool_id=row.pool_id,
        pool_name=row.pool_name,
        market_name=row.market_name,
    )


def completed_view(row: CompletedRow, user_id: int) -> CompletedPosition:
    """Show a closed position on the older of the two lists."""
    return CompletedPosition(
        id=row.id,
        user_id=user_id,
        market_id=row.market_id,
        token_type=cast("TokenType", row.side),
        amount=row.left_shares,
        avg_price=average_price_bps(money_kopecks=row.left_cost_kopecks, shares=row.left_shares),
        pnl=row.pnl_kopecks,
        won_side=cast("Literal[0, 1] | None", row.won_side),
        closed_at=iso(row.closed_at_ms),
        event_id=row.event_id,
        event_name=row.event_name,
        pool_id=row.pool_id,
        pool_name=row.pool_name,
        market_name=row.market_name,
    )


def open_view(row: OpenRow, user_id: int, value: HoldingValue) -> Position:
    """Show an open position with what was paid for what is held."""
    view = _view(row, user_id, shares=row.shares, cost_kopecks=row.cost_kopecks)
    return replace(
        view,
        value_kopecks=value.value_kopecks,
        decided_kopecks=value.decided_kopecks,
        reserved_shares=row.reserved_shares,
    )


def closed_view(row: ClosedRow, user_id: int) -> Position:
    """Show a closed position with what was paid for it and what it brought."""
    return replace(
        _view(row, user_id, shares=row.left_shares, cost_kopecks=row.left_cost_kopecks),
        won_side=row.won_side,
        closed_at=iso(row.closed_at_ms),
        proceeds_kopecks=row.left_cost_kopecks + row.pnl_kopecks,
        void=bool(row.void),
    )


def _view(row: OpenRow | ClosedRow, user_id: int, *, shares: int, cost_kopecks: int) -> Position:
    """Show what open and closed positions have in common; `shares` are those that cost `cost_kopecks`."""
    return Position(
        id=row.id,
        user_id=user_id,
        market_id=row.market_id,
        token_type=cast("TokenType", row.side),
        amount=shares,
        avg_price=average_price_bps(money_kopecks=cost_kopecks, shares=shares),
        cost_kopecks=cost_kopecks,
        pnl=row.pnl_kopecks,
        opened_at=iso(row.opened_at_ms),
        event_id=row.event_id,
        event_name=row.event_name,
        event_name_ru=row.event_name_ru,
        pool_id=row.pool_id,
        pool_name=row.pool_name,
        pool_name_ru=row.pool_name_ru,
        market_name=row.market_name,
        outcome_index=row.outcome_index,
    )
