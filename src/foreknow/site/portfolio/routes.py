"""Endpoints of positions and profits."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError, Unauthorized
from foreknow.kernel.pagination import Slice
from foreknow.people.users.errors import UserNotFound
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.portfolio import store
from foreknow.site.portfolio.pnl_charts import PnlCharts
from foreknow.site.portfolio.schemas import CompletedPositionPage, HeldPositionPage, PnlChart
from foreknow.site.portfolio.valued_reads import valued
from foreknow.site.portfolio.views import completed_view, held_view
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PathRequest, PlainRequest, QueryRequest, get
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

    @get("/market/positions", AuthLevel.REQUIRED)
    async def list_my_held_positions(self, request: QueryRequest[PageQuery]) -> HeldPositionPage:
        """Your open positions.

        Newest first, each with what it is worth now, or will be paid.
        """
        user_id, limit, cursor = request.user.user_id, request.query.limit, request.query.cursor

        def read(tx: ReadTx, markets_max: int | None = None) -> tuple[Slice[store.HeldRow], list[int]]:
            page = store.held_positions(tx, user_id, self._context.cursors, limit=limit, cursor=cursor)
            return page, store.values_of(tx, page.rows, now_ms=self._context.clock(), markets_max=markets_max)

        page, values = await valued(self._context.db, read)
        shown = [held_view(row, user_id, value) for row, value in zip(page.rows, values, strict=True)]
        return HeldPositionPage(shown, page.next_cursor, page.has_more)

    @get("/market/positions/completed", AuthLevel.REQUIRED, unauthorized=UpperUnauthorized)
    async def list_my_completed_positions(self, request: QueryRequest[PageQuery]) -> CompletedPositionPage:
        """Your completed positions.

        Those sold to the last share or settled, the one closed last first.
        """
        user_id, limit, cursor = request.user.user_id, request.query.limit, request.query.cursor
        page = await self._context.db.lookup(
            lambda tx: store.completed_positions(tx, user_id, self._context.cursors, limit=limit, cursor=cursor)
        )
        return CompletedPositionPage(
            [completed_view(row, user_id) for row in page.rows], page.next_cursor, page.has_more
        )

    @get("/users/me/pnl/chart", AuthLevel.REQUIRED, response=PnlChart)
    async def get_my_pnl_chart(self, request: PlainRequest) -> Response:
        """Your profits."""
        return Response(await self._pnl_charts.own(request.user.user_id))

    @get("/users/{id}/pnl/chart", AuthLevel.OPTIONAL, response=PnlChart, errors=(UserNotFound,))
    async def get_user_pnl_chart(self, request: PathRequest[ChartPath]) -> Response:
        """A user's profits.

        A hidden profile's are shown to its owner and to admins only.
        """
        return Response(await self._pnl_charts.shown(request.path.id, request.visitor))
