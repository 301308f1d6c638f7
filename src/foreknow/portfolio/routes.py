"""Endpoints of positions and profits."""

from __future__ import annotations

from functools import partial
from typing import Literal, cast

from foreknow.access.levels import AuthLevel
from foreknow.db.transactions import ReadTx
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import DomainError, Unauthorized
from foreknow.kernel.pagination import Slice
from foreknow.kernel.schema_types import TokenType
from foreknow.portfolio import store
from foreknow.portfolio.pnl_charts import PnlCharts
from foreknow.portfolio.schemas import (
    ClosedPosition,
    ClosedPositions,
    HeldPosition,
    HeldPositions,
    PnlChart,
)
from foreknow.positions.valuation import BRIEF_MARKETS, Holding, TooManyMarkets, values_kopecks
from foreknow.pricing import average_price_bps
from foreknow.users.errors import UserNotFound
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, PlainRequest, QueryRequest, get
from foreknow.web.params import PageQuery, parameters, path_id
from foreknow.web.responses import Response


class UpperUnauthorized(Unauthorized):
    """Completed positions spell the code in upper case, and no other endpoint does (interface, section 7)."""

    code = "UNAUTHORIZED"


class InvalidId(DomainError):
    code = "invalid_id"
    status = 400
    message = "An id is a whole number from 1."


@parameters
class ChartPath:
    id: int = path_id(InvalidId)


class PortfolioRoutes:
    """Open and closed positions, and PnL charts."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context
        self._pnl_charts = PnlCharts(context.db)

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/market/positions",
                self.open,
                AuthLevel.REQUIRED,
                HeldPositions,
                "Your open positions",
                description="Newest first, each with what it is worth now, or will be paid.",
            ),
            get(
                "/market/positions/completed",
                self.completed,
                AuthLevel.REQUIRED,
                ClosedPositions,
                "Your completed positions",
                unauthorized=UpperUnauthorized,
                description="Those sold to the last share or settled, the one closed last first.",
            ),
            get("/users/me/pnl/chart", self.own_pnl, AuthLevel.REQUIRED, PnlChart, "Your profits"),
            get(
                "/users/{id}/pnl/chart",
                self.pnl,
                AuthLevel.OPTIONAL,
                PnlChart,
                "A user's profits",
                errors=(UserNotFound,),
                description="A hidden profile's are shown to its owner and to admins only.",
            ),
        ]

    async def open(self, request: QueryRequest[PageQuery]) -> HeldPositions:
        """Return a page of the caller's open positions."""
        user_id, limit, cursor = request.user.user_id, request.query.limit, request.query.cursor

        def read(tx: ReadTx, markets_max: int | None = None) -> tuple[Slice[store.OpenRow], list[int]]:
            page = store.open_positions(tx, user_id, self._context.cursors, limit=limit, cursor=cursor)
            held = [Holding(row.market_id, row.pool_id, row.side, row.shares) for row in page.rows]
            return page, values_kopecks(tx, held, now_ms=self._context.clock(), markets_max=markets_max)

        try:
            page, values = await self._context.db.lookup(partial(read, markets_max=BRIEF_MARKETS))
        except TooManyMarkets:
            page, values = await self._context.db.read(read)
        shown = [_held(row, user_id, value) for row, value in zip(page.rows, values, strict=True)]
        return HeldPositions(shown, page.next_cursor, page.has_more)

    async def completed(self, request: QueryRequest[PageQuery]) -> ClosedPositions:
        """Return a page of the caller's closed positions."""
        user_id, limit, cursor = request.user.user_id, request.query.limit, request.query.cursor
        page = await self._context.db.lookup(
            lambda tx: store.closed_positions(tx, user_id, self._context.cursors, limit=limit, cursor=cursor),
        )
        return ClosedPositions([_closed(row, user_id) for row in page.rows], page.next_cursor, page.has_more)

    async def own_pnl(self, request: PlainRequest) -> Response:
        """Return the caller's PnL chart."""
        return Response(await self._pnl_charts.own(request.user.user_id))

    async def pnl(self, request: PathRequest[ChartPath]) -> Response:
        """Return a user's PnL chart, if the caller may see it."""
        return Response(await self._pnl_charts.shown(request.path.id, request.visitor))


def _held(row: store.OpenRow, user_id: int, value_kopecks: int) -> HeldPosition:
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


def _closed(row: store.ClosedRow, user_id: int) -> ClosedPosition:
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
