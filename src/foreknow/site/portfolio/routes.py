"""Endpoints of positions and profits."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.cache import BoundedCache, in_bytes
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import DomainError, Unauthorized
from foreknow.kernel.pagination import Slice
from foreknow.market import charts
from foreknow.people.users.errors import UserNotFound
from foreknow.people.users.visibility import check_shown
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.portfolio import store
from foreknow.site.portfolio.schemas import CompletedPositionPage, HeldPositionPage, PnlChart, PnlChartPoint
from foreknow.site.portfolio.valued_reads import valued
from foreknow.site.portfolio.views import completed_view, held_view
from foreknow.trading.positions.valuation import HoldingValue
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PathRequest, PlainRequest, QueryRequest, get
from foreknow.web.params import PageQuery, parameters, path_id
from foreknow.web.responses import Response

#: Bounds the memory of cached charts.
CACHE_BYTES_MAX = 16 * 1024 * 1024
#: Memory of a cached chart beside its body.
_ENTRY_BYTES = 500
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class _CachedChart:
    #: The number of points the chart ever had when it was made.
    points_ever: int
    body: bytes

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory."""
        return len(self.body) + _ENTRY_BYTES


class PnlCharts:
    """PnL charts as JSON.

    A thousand points take a few times as long to read and encode as all the rest of a request. So a response is cached
    until its trader has another point: each request reads their number, so that no server ever shows an old chart.
    """

    def __init__(self, db: Database, *, cache_bytes_max: int = CACHE_BYTES_MAX) -> None:
        """Read from `db`."""
        self._db = db
        self._cache: BoundedCache[int, _CachedChart] = BoundedCache(cache_bytes_max, in_bytes)

    async def own(self, user_id: int) -> bytes:
        """Return the chart of a trader to that trader, as JSON."""
        return self._keep(user_id, await self._db.lookup(lambda tx: self._read(tx, user_id)))

    async def shown(self, user_id: int, visitor: UserCaller | None) -> bytes:
        """Return the public chart of a trader; `UserNotFound` where it is hidden."""

        def read(tx: ReadTx) -> _CachedChart:
            check_shown(tx, user_id, visitor)
            return self._read(tx, user_id)

        return self._keep(user_id, await self._db.lookup(read))

    def _read(self, tx: ReadTx, user_id: int) -> _CachedChart:
        """Return the cached chart if it has all points, else one made now."""
        points_ever = charts.pnl_point_count(tx, user_id)
        cached = self._cache.get(user_id)
        if cached is not None and cached.points_ever == points_ever:
            return cached
        points = [PnlChartPoint(iso(at_ms), kopecks / 100) for at_ms, kopecks in charts.pnl_chart(tx, user_id)]
        return _CachedChart(points_ever, _encode(PnlChart(points)))

    def _keep(self, user_id: int, chart: _CachedChart) -> bytes:
        # Put again at each use, so that the charts used least recently are dropped first.
        self._cache.put(user_id, chart)
        return chart.body


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

        def read(tx: ReadTx, markets_max: int | None = None) -> tuple[Slice[store.HeldRow], list[HoldingValue]]:
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
