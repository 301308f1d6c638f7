"""Endpoints of positions and profits."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.transactions import ReadTx
from foreknow.kernel.errors import DomainError, Unauthorized
from foreknow.kernel.pagination import Slice
from foreknow.portfolio import store
from foreknow.portfolio.pnl_charts import PnlCharts
from foreknow.portfolio.schemas import ClosedPositions, HeldPositions, PnlChart
from foreknow.portfolio.valued import valued
from foreknow.portfolio.views import completed_view, held_view
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
                operation_id="list_held_positions",
                description="Newest first, each with what it is worth now, or will be paid.",
            ),
            get(
                "/market/positions/completed",
                self.completed,
                AuthLevel.REQUIRED,
                ClosedPositions,
                "Your completed positions",
                operation_id="list_completed_positions",
                unauthorized=UpperUnauthorized,
                description="Those sold to the last share or settled, the one closed last first.",
            ),
            get(
                "/users/me/pnl/chart",
                self.own_pnl,
                AuthLevel.REQUIRED,
                PnlChart,
                "Your profits",
                operation_id="get_my_pnl_chart",
            ),
            get(
                "/users/{id}/pnl/chart",
                self.pnl,
                AuthLevel.OPTIONAL,
                PnlChart,
                "A user's profits",
                operation_id="get_user_pnl_chart",
                errors=(UserNotFound,),
                description="A hidden profile's are shown to its owner and to admins only.",
            ),
        ]

    async def open(self, request: QueryRequest[PageQuery]) -> HeldPositions:
        """Return a page of the caller's open positions."""
        user_id, limit, cursor = request.user.user_id, request.query.limit, request.query.cursor

        def read(tx: ReadTx, markets_max: int | None = None) -> tuple[Slice[store.OpenRow], list[int]]:
            page = store.open_positions(
                tx, user_id, self._context.cursors, limit=limit, cursor=cursor, list_name="positions open"
            )
            return page, store.values_of(tx, page.rows, now_ms=self._context.clock(), markets_max=markets_max)

        page, values = await valued(self._context.db, read)
        shown = [held_view(row, user_id, value) for row, value in zip(page.rows, values, strict=True)]
        return HeldPositions(shown, page.next_cursor, page.has_more)

    async def completed(self, request: QueryRequest[PageQuery]) -> ClosedPositions:
        """Return a page of the caller's closed positions."""
        user_id, limit, cursor = request.user.user_id, request.query.limit, request.query.cursor
        page = await self._context.db.lookup(
            lambda tx: store.closed_positions(
                tx, user_id, self._context.cursors, limit=limit, cursor=cursor, list_name="positions closed"
            )
        )
        return ClosedPositions([completed_view(row, user_id) for row in page.rows], page.next_cursor, page.has_more)

    async def own_pnl(self, request: PlainRequest) -> Response:
        """Return the caller's PnL chart."""
        return Response(await self._pnl_charts.own(request.user.user_id))

    async def pnl(self, request: PathRequest[ChartPath]) -> Response:
        """Return a user's PnL chart, if the caller may see it."""
        return Response(await self._pnl_charts.shown(request.path.id, request.visitor))
