"""Endpoints of positions and profits."""

from __future__ import annotations

from functools import partial
from typing import Literal, cast

import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import Unauthorized
from foreknow.kernel.pages import Slice
from foreknow.portfolio import lists
from foreknow.portfolio.profits import ProfitCharts
from foreknow.portfolio.schemas import (
    ClosedPosition,
    ClosedPositions,
    HeldPosition,
    HeldPositions,
    PnlChart,
    TokenType,
)
from foreknow.positions.valuing import BRIEF_MARKETS, Holding, TooMany, values_kopecks
from foreknow.pricing import average_price_bps
from foreknow.users.refusals import UserNotFound
from foreknow.web.answers import Answer
from foreknow.web.endpoint import CURSOR, LIMIT, Call, Endpoint, Level, get
from foreknow.web.room import Room


class UpperUnauthorized(Unauthorized):
    """What the interface calls it at completed positions, and nowhere else (section 7)."""

    code = "UNAUTHORIZED"


class PortfolioRoutes:
    """Open and closed positions, and PnL charts."""

    def __init__(self, room: Room) -> None:
        """Answer from `room`."""
        self._room = room
        self._profits = ProfitCharts(room.db)

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            get(
                "/market/positions",
                self.open,
                Level.REQUIRED,
                HeldPositions,
                "Your open positions",
                query=(LIMIT, CURSOR),
                description="Newest first, each with what it is worth now.",
            ),
            get(
                "/market/positions/completed",
                self.completed,
                Level.REQUIRED,
                ClosedPositions,
                "Your completed positions",
                query=(LIMIT, CURSOR),
                unauthorized=UpperUnauthorized,
                description="Those sold to the last share or settled, the one closed last first.",
            ),
            get("/users/me/pnl/chart", self.own_pnl, Level.REQUIRED, PnlChart, "Your profits"),
            get(
                "/users/{id}/pnl/chart",
                self.pnl,
                Level.OPTIONAL,
                PnlChart,
                "A user's profits",
                refusals=(UserNotFound,),
                description="A hidden profile's are shown to its owner and to admins only.",
            ),
        ]

    async def open(self, call: Call) -> HeldPositions:
        """Answer a page of the caller's open positions."""
        user_id, limit, cursor = call.user.user_id, call.query["limit"], call.query["cursor"]

        def read(tx: sa.Connection, markets_max: int | None = None) -> tuple[Slice[lists.OpenRow], list[int]]:
            page = lists.open_positions(tx, user_id, self._room.cursors, limit=limit, cursor=cursor)
            held = [Holding(row.market_id, row.pool_id, row.side, row.shares) for row in page.rows]
            return page, values_kopecks(tx, held, markets_max=markets_max)

        try:
            page, values = await self._room.db.read(partial(read, markets_max=BRIEF_MARKETS), brief=True)
        except TooMany:
            page, values = await self._room.db.read(read)
        shown = [_held(row, user_id, value) for row, value in zip(page.rows, values, strict=True)]
        return HeldPositions(shown, page.next_cursor, page.has_more)

    async def completed(self, call: Call) -> ClosedPositions:
        """Answer a page of the caller's closed positions."""
        user_id, limit, cursor = call.user.user_id, call.query["limit"], call.query["cursor"]
        page = await self._room.db.read(
            lambda tx: lists.closed_positions(tx, user_id, self._room.cursors, limit=limit, cursor=cursor),
            brief=True,
        )
        return ClosedPositions([_closed(row, user_id) for row in page.rows], page.next_cursor, page.has_more)

    async def own_pnl(self, call: Call) -> Answer:
        """Answer the caller's PnL chart."""
        return await self._profits.own(call.user.user_id)

    async def pnl(self, call: Call) -> Answer:
        """Answer somebody's PnL chart, where it may be seen."""
        return await self._profits.shown(call.path["id"], call.visitor)


def _held(row: lists.OpenRow, user_id: int, value_kopecks: int) -> HeldPosition:
    return HeldPosition(
        id=row.id,
        user_id=user_id,
        market_id=row.market_id,
        token_type=cast("TokenType", row.side),
        amount=row.shares,
        avg_price=average_price_bps(money_kopecks=row.cost_kopecks, shares=row.shares),
        pnl=row.pnl_kopecks,
        value_kopecks=value_kopecks,
        event_id=row.event_id,
        event_name=row.event_name,
        pool_id=row.pool_id,
        pool_name=row.pool_name,
        market_name=row.market_name,
    )


def _closed(row: lists.ClosedRow, user_id: int) -> ClosedPosition:
    return ClosedPosition(
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
