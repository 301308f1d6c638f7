"""Endpoints of positions and profits."""

from __future__ import annotations

from typing import Literal, cast

import sqlalchemy as sa

from foreknow import charts
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import Unauthorized
from foreknow.kernel.pages import Slice
from foreknow.portfolio import lists
from foreknow.portfolio.profiles import check_profits_shown
from foreknow.portfolio.schemas import (
    ClosedPosition,
    ClosedPositions,
    HeldPosition,
    HeldPositions,
    PnlChart,
    PnlChartPoint,
    TokenType,
)
from foreknow.positions.valuing import values_kopecks
from foreknow.pricing import average_price_bps
from foreknow.users.refusals import UserNotFound
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

        def read(tx: sa.Connection) -> tuple[Slice[lists.Named], dict[int, int]]:
            page = lists.open_positions(tx, user_id, self._room.cursors, limit=limit, cursor=cursor)
            return page, values_kopecks(tx, [row.position for row in page.rows])

        page, values = await self._room.db.read(read)
        shown = [_held(row, value_kopecks=values[row.position.id]) for row in page.rows]
        return HeldPositions(shown, page.next_cursor, page.has_more)

    async def completed(self, call: Call) -> ClosedPositions:
        """Answer a page of the caller's closed positions."""
        user_id, limit, cursor = call.user.user_id, call.query["limit"], call.query["cursor"]
        page = await self._room.db.read(
            lambda tx: lists.closed_positions(tx, user_id, self._room.cursors, limit=limit, cursor=cursor)
        )
        return ClosedPositions([_closed(row) for row in page.rows], page.next_cursor, page.has_more)

    async def own_pnl(self, call: Call) -> PnlChart:
        """Answer the caller's PnL chart."""
        return _chart(await self._room.db.read(lambda tx: charts.pnl_chart(tx, call.user.user_id)))

    async def pnl(self, call: Call) -> PnlChart:
        """Answer somebody's PnL chart, where it may be seen."""
        user_id: int = call.path["id"]

        def read(tx: sa.Connection) -> list[charts.PnlPoint]:
            check_profits_shown(tx, user_id, call.visitor)
            return charts.pnl_chart(tx, user_id)

        return _chart(await self._room.db.read(read))


def _held(row: lists.Named, *, value_kopecks: int) -> HeldPosition:
    position = row.position
    return HeldPosition(
        id=position.id,
        user_id=position.user_id,
        market_id=position.market_id,
        token_type=cast("TokenType", position.side),
        amount=position.shares,
        avg_price=average_price_bps(money_kopecks=position.cost_kopecks, shares=position.shares),
        pnl=position.pnl_kopecks,
        value_kopecks=value_kopecks,
        event_id=position.event_id,
        event_name=row.event_name,
        pool_id=position.pool_id,
        pool_name=row.pool_name,
        market_name=row.market_name,
    )


def _closed(row: lists.Named) -> ClosedPosition:
    position = row.position
    assert position.closed_at_ms is not None
    return ClosedPosition(
        id=position.id,
        user_id=position.user_id,
        market_id=position.market_id,
        token_type=cast("TokenType", position.side),
        amount=position.left_shares,
        avg_price=average_price_bps(money_kopecks=position.left_cost_kopecks, shares=position.left_shares),
        pnl=position.pnl_kopecks,
        won_side=cast("Literal[0, 1] | None", position.won_side),
        closed_at=iso(position.closed_at_ms),
        event_id=position.event_id,
        event_name=row.event_name,
        pool_id=position.pool_id,
        pool_name=row.pool_name,
        market_name=row.market_name,
    )


def _chart(points: list[charts.PnlPoint]) -> PnlChart:
    return PnlChart([PnlChartPoint(iso(point.at_ms), point.pnl_kopecks / 100) for point in points])
