"""Endpoints of the charts. They stand here because a chart ends in its pool's present price."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.market import charts
from foreknow.market.pools import service
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.errors import MarketNotFound, PoolNotFound
from foreknow.market.pools.market_routes import MarketPath
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import MarketChartPoint, PoolChartPoint, PoolCharts
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, Request, get
from foreknow.web.params import choice, optional, parameters
from foreknow.web.responses import Response

LIFE = "all"
#: The fields of `PoolCharts` that hold the charts of time.
FIELDS = {"1h": "hour", "1d": "day", "1w": "week", "1m": "month"}
RANGE = choice("range", (*FIELDS, LIFE), "Only this chart.")


@parameters
class ChartsQuery:
    range: str | None = optional(RANGE)


class ChartRoutes(FeatureRoutes):
    """Reading a pool's charts and a market's."""

    @get("/pools/{pool_id}/charts", AuthLevel.NONE, response=PoolCharts, errors=(PoolNotFound,))
    async def get_pool_charts(self, request: Request[PoolPath, ChartsQuery, None]) -> Response:
        """A pool's charts.

        Each point holds the probabilities at its time; the last one is the present. With `range`, that chart alone;
        `all` goes from its publication to the present (or its resolution).
        """
        pool_id, name = request.path.pool_id, request.query.range

        def read(tx: ReadTx) -> tuple[PoolCharts, list[int]]:
            row = service.visible_pool(tx, pool_id, None)
            assert row.published_at_ms is not None
            at_ms, current = self._context.clock(), current_prices(row)
            if name == LIFE:
                end_ms = row.resolved_since_ms(at_ms) or at_ms
                return PoolCharts(life=_points(charts.pool_history(tx, row.id, current, end_ms=end_ms))), [pool_id]
            found = charts.pool_charts(
                tx, row.id, current, published_at_ms=row.published_at_ms, now_ms=at_ms, name=name
            )
            points = {FIELDS[name]: _points(chart) for name, chart in found.items()}
            return PoolCharts(**points), [pool_id]

        return await self._context.responses.get(("pool charts", pool_id, name), read)

    @get("/markets/{market_id}/chart", AuthLevel.NONE, response=list[MarketChartPoint], errors=(MarketNotFound,))
    async def get_market_chart(self, request: PathRequest[MarketPath]) -> Response:
        """A market's chart.

        From its publication to the present (or its resolution) in at most 1,000 points.
        """
        market_id = request.path.market_id

        def read(tx: ReadTx) -> tuple[list[MarketChartPoint], list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, None)
            at_ms = self._context.clock()
            end_ms = row.resolved_since_ms(at_ms) or at_ms
            points = charts.market_chart(tx, row.id, outcome_index, current_prices(row), end_ms=end_ms)
            return [MarketChartPoint(iso(point.at_ms), point.probability) for point in points], [row.id]

        return await self._context.responses.get(("market chart", market_id), read)


def _points(points: list[charts.PoolPoint]) -> list[PoolChartPoint]:
    return [PoolChartPoint(iso(point.at_ms), point.values) for point in points]
