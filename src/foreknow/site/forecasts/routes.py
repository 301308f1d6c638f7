"""Endpoints of forecasts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from typing import Any, cast

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import Muted, RateLimited
from foreknow.market.charts import PoolPoint
from foreknow.market.pools.chart_routes import FIELDS, LIFE
from foreknow.market.pools.errors import MarketClosed, MarketResolved, PoolNotFound
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import PoolChartPoint, PoolCharts
from foreknow.market.pools.service import visible_pool
from foreknow.people.users.errors import UserNotFound
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.forecasts import past, reading, service
from foreknow.site.forecasts.download import COLUMNS, CSV_EXAMPLE, PIECE_LINES, row_of
from foreknow.site.forecasts.errors import OutcomesDiffer
from foreknow.site.forecasts.hidden import is_hidden
from foreknow.site.forecasts.reading import ReadEarned
from foreknow.site.forecasts.schemas import Forecast, ForecastBody, PoolForecastPage, UserForecastPage
from foreknow.site.forecasts.store import LastPlace
from foreknow.trading.history.routes import TraderPath
from foreknow.web.context import FeatureRoutes, RouteContext
from foreknow.web.downloads import CsvDownload, csv_lines, prefers_csv
from foreknow.web.endpoint import PathRequest, QueryRequest, Request, delete, get, put
from foreknow.web.params import PageQuery, choice, optional, parameters
from foreknow.web.responses import Empty

RANGE = choice("range", (*FIELDS, LIFE), "Only this chart.")


@parameters
class CrowdQuery:
    range: str | None = optional(RANGE)


class ForecastRoutes(FeatureRoutes):
    """Saying what one thinks of a pool, and reading what others and the crowd think."""

    def __init__(self, context: RouteContext, *, earned_in: ReadEarned) -> None:
        """Answer from `context`; `earned_in` reads scores."""
        super().__init__(context)
        self._earned_in = earned_in

    @put(
        "/pools/{pool_id}/forecast",
        AuthLevel.REQUIRED,
        errors=(Muted, PoolNotFound, MarketResolved, MarketClosed, OutcomesDiffer, RateLimited),
        key_scope="trade",
    )
    async def set_forecast(self, request: Request[PoolPath, None, ForecastBody]) -> Forecast:
        """Say what you think of a pool.

        From its publication to its `finish_at` or first result, paused or before `live_at` too. The same again renews
        it: `since` and a `note` that is left out stay. A muted account has no `note`. At most 60 in 60 minutes and
        pool.
        """
        body = service.check(request.body)
        if body.note:
            self._context.check_unmuted(request.user)
        pool_id, user = request.path.pool_id, request.user
        return await self._context.db.write_brief(lambda tx: service.put(tx, pool_id, body, user))

    @delete(
        "/pools/{pool_id}/forecast",
        AuthLevel.REQUIRED,
        errors=(PoolNotFound, MarketResolved, MarketClosed),
        key_scope="trade",
    )
    async def delete_forecast(self, request: PathRequest[PoolPath]) -> Empty:
        """Take back what you think of a pool: nothing of yours stands from now on."""
        await self._context.db.write_brief(lambda tx: service.delete(tx, request.path.pool_id, request.user))
        return Empty()

    @get("/pools/{pool_id}/forecasts", AuthLevel.OPTIONAL, errors=(PoolNotFound,))
    async def list_pool_forecasts(self, request: Request[PoolPath, PageQuery, None]) -> PoolForecastPage:
        """What people think of a pool, and what they think together.

        The crowd is up to 2 s old. While others' forecasts are hidden from you, `mine` alone is shown.
        """
        pool_id, limit, cursor = request.path.pool_id, request.query.limit, request.query.cursor
        cursors, binding = self._context.cursors, f"forecasts:pool {pool_id}:{_scope(request)}"
        before: tuple[int, int] | None = None
        if cursor is not None:
            before = cast("Any", cursors.decode(cursor, binding=binding))

        def read(tx: ReadTx) -> reading.OfPool:
            at_ms = self._context.clock()
            return reading.of_pool(tx, pool_id, request.visitor, before=before, limit=limit + 1, now_ms=at_ms)

        found = await self._context.db.read(read)
        page = cursors.slice(found.rows, limit=limit, binding=binding, position=lambda placed: placed[1])
        return PoolForecastPage(
            forecasts=[row for row, _ in page.rows],
            next_cursor=page.next_cursor,
            has_more=page.has_more,
            forecasters=found.forecasters,
            crowd=found.crowd,
            mine=found.mine,
            hidden=found.is_hidden,
        )

    @get("/pools/{pool_id}/forecasts/chart", AuthLevel.OPTIONAL, errors=(PoolNotFound,))
    async def get_crowd_chart(self, request: Request[PoolPath, CrowdQuery, None]) -> PoolCharts:
        """What a pool's crowd thought.

        As the pool's charts, from three forecasters on; with `range`, that chart alone. Empty while it is hidden from
        you.
        """
        pool_id, name, visitor = request.path.pool_id, request.query.range, request.visitor

        def read(tx: ReadTx) -> PoolCharts:
            pool, at_ms = visible_pool(tx, pool_id, visitor), self._context.clock()
            hides = pool.published_at_ms is None or is_hidden(
                tx, pool, None if visitor is None else visitor.user_id, now_ms=at_ms
            )
            if name == LIFE:
                end_ms = pool.priced_until_ms(at_ms)
                return PoolCharts(life=[] if hides else _points(past.whole_chart_of(tx, pool, end_ms=end_ms)))
            names = FIELDS if name is None else (name,)
            return PoolCharts(
                **{FIELDS[one]: [] if hides else _points(past.chart_of(tx, pool, one, now_ms=at_ms)) for one in names}
            )

        return await self._context.db.read(read)

    @get(
        "/users/me/forecasts",
        AuthLevel.REQUIRED,
        csv=CSV_EXAMPLE,
        description="Newest first, also those that have ended, with your notes. With `Accept: text/csv` all of them, "
        "as one file: the same fields, empty for null, a header row first, probabilities with spaces between them; "
        "`limit` and `cursor` do not apply.",
    )
    async def list_my_forecasts(self, request: QueryRequest[PageQuery]) -> UserForecastPage | CsvDownload:
        """List your forecasts, the last one of each pool."""
        if prefers_csv(request.headers.get(b"accept")):
            return await self._csv(request.user)
        return await self._of_person(request, request.user.user_id, request.user)

    @get("/users/{id}/forecasts", AuthLevel.OPTIONAL, errors=(UserNotFound,))
    async def list_user_forecasts(self, request: Request[TraderPath, PageQuery, None]) -> UserForecastPage:
        """List a user's forecasts, the last one of each pool.

        Newest first, without what is hidden from you: a page may end early. A hidden profile's are shown to its owner
        and to admins only.
        """
        return await self._of_person(request, request.path.id, request.visitor)

    async def _of_person(
        self, request: Request[Any, PageQuery, None], user_id: int, visitor: UserCaller | None
    ) -> UserForecastPage:
        limit, cursor, cursors = request.query.limit, request.query.cursor, self._context.cursors
        binding = f"forecasts:user {user_id}:{_scope(request)}"
        place: LastPlace | None = None
        if cursor is not None:
            place = LastPlace._make(cast("Any", cursors.decode(cursor, binding=binding)))

        found = await self._read_person(user_id, visitor, place=place, limit=limit)
        following = None if found.next is None else cursors.encode(found.next, binding=binding)
        return UserForecastPage(found.rows, following, following is not None)

    async def _csv(self, user: UserCaller) -> CsvDownload:
        def piece(place: LastPlace | None) -> Awaitable[reading.OfPerson]:
            return self._read_person(user.user_id, user, place=place, limit=PIECE_LINES)

        async def rest(found: reading.OfPerson) -> AsyncIterator[bytes]:
            while found.next is not None:
                found = await piece(found.next)
                yield csv_lines(map(row_of, found.rows))

        first = await piece(None)
        return CsvDownload("forecasts.csv", csv_lines([COLUMNS, *map(row_of, first.rows)]), rest(first))

    async def _read_person(
        self, user_id: int, visitor: UserCaller | None, *, place: LastPlace | None, limit: int
    ) -> reading.OfPerson:
        def read(tx: ReadTx) -> reading.OfPerson:
            return reading.of_person(
                tx,
                user_id,
                visitor,
                place=place,
                limit=limit,
                now_ms=self._context.clock(),
                earned_in=self._earned_in,
            )

        return await self._context.db.read(read)


def _scope(request: Request[Any, Any, Any]) -> str:
    return "" if request.caller is None else request.caller.scope


def _points(points: list[PoolPoint]) -> list[PoolChartPoint]:
    return [PoolChartPoint(iso(point.at_ms), point.values) for point in points]
