"""Endpoints of the charts. They stand here because a chart ends in its pool's present price."""

from __future__ import annotations

import functools
from collections.abc import Callable

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BadRequest
from foreknow.market import charts
from foreknow.market.pools import service
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.errors import MarketNotFound, PoolNotFound
from foreknow.market.pools.market_routes import MarketPath
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import MarketChartPoint, PoolChartPoint, PoolCharts
from foreknow.market.pools.shape_view import axis_of
from foreknow.market.pools.store import PoolRow
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, Request, get
from foreknow.web.params import choice, optional, parameters
from foreknow.web.responses import Response

LIFE = "all"
#: The fields of `PoolCharts` that hold the charts of time.
FIELDS = {"1h": "hour", "1d": "day", "1w": "week", "1m": "month"}
RANGE = choice("range", (*FIELDS, LIFE), "Only this chart.")


AS = choice("as", ("quantiles",), "Of a number or a date: the five quantiles instead of the probabilities.")


@parameters
class ChartsQuery:
    range: str | None = optional(RANGE)
    shown_as: str | None = optional(AS)


class ChartRoutes(FeatureRoutes):
    """Reading a pool's charts and a market's."""

    @get("/pools/{pool_id}/charts", AuthLevel.NONE, response=PoolCharts, errors=(PoolNotFound,), cached=True)
    async def get_pool_charts(self, request: Request[PoolPath, ChartsQuery, None]) -> Response:
        """A pool's charts.

        Each point holds the probabilities at its time; the last one is the present. With `range`, that chart alone;
        `all` goes from its publication to the present (or the end of its trading). With `as=quantiles`, for a number
        or a date alone, each point holds the 10th, 25th, 50th, 75th and 90th percentile instead: of a date as Unix
        seconds, in an open range its edge.
        """
        pool_id, name, shown_as = request.path.pool_id, request.query.range, request.query.shown_as

        def read(tx: ReadTx) -> tuple[PoolCharts, list[int]]:
            row = service.visible_pool(tx, pool_id, None)
            assert row.published_at_ms is not None
            show = _as_quantiles(row) if shown_as else _as_they_are
            at_ms, current = self._context.clock(), current_prices(row)
            if name == LIFE:
                end_ms = row.priced_until_ms(at_ms)
                history = charts.pool_history(tx, row.id, current, end_ms=end_ms)
                return PoolCharts(life=_points(history, show)), [pool_id]
            found = charts.pool_charts(
                tx, row.id, current, published_at_ms=row.published_at_ms, now_ms=at_ms, name=name
            )
            points = {FIELDS[name]: _points(chart, show) for name, chart in found.items()}
            return PoolCharts(**points), [pool_id]

        return await self._context.responses.get(("pool charts", pool_id, name, shown_as), read)

    @get(
        "/markets/{market_id}/chart",
        AuthLevel.NONE,
        response=list[MarketChartPoint],
        errors=(MarketNotFound,),
        cached=True,
    )
    async def get_market_chart(self, request: PathRequest[MarketPath]) -> Response:
        """A market's chart.

        From its publication to the present (or the end of its trading) in at most 1,000 points.
        """
        market_id = request.path.market_id

        def read(tx: ReadTx) -> tuple[list[MarketChartPoint], list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, None)
            end_ms = row.priced_until_ms(self._context.clock())
            points = charts.market_chart(tx, row.id, outcome_index, current_prices(row), end_ms=end_ms)
            return [MarketChartPoint(iso(point.at_ms), point.probability) for point in points], [row.id]

        return await self._context.responses.get(("market chart", market_id), read)


#: What a chart shows of the probabilities at a point.
Shown = Callable[[tuple[float, ...]], tuple[float, ...]]


def _points(points: list[charts.PoolPoint], show: Shown) -> list[PoolChartPoint]:
    return [PoolChartPoint(iso(point.at_ms), show(point.values)) for point in points]


def _as_they_are(values: tuple[float, ...]) -> tuple[float, ...]:
    return values


def _as_quantiles(row: PoolRow) -> Shown:
    axis = axis_of(row)
    if axis is None:
        raise BadRequest("Only the charts of a number or a date have quantiles.")
    # Most points of a chart are filled forward.
    return functools.lru_cache(maxsize=16)(axis.quantiles)
