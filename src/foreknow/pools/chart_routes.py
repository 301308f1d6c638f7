"""Endpoints of the charts. They stand here because a chart ends in its pool's present price."""

from __future__ import annotations

from foreknow import charts
from foreknow.access.levels import AuthLevel
from foreknow.db.transactions import ReadTx
from foreknow.kernel.clock import iso
from foreknow.pools import service
from foreknow.pools.charting import current_prices
from foreknow.pools.errors import MarketNotFound, PoolNotFound
from foreknow.pools.market_routes import MarketPath
from foreknow.pools.routes import PoolPath
from foreknow.pools.schemas import MarketChartPoint, PoolChartPoint, PoolCharts
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, Request, get
from foreknow.web.params import choice, optional, parameters
from foreknow.web.responses import Response

LIFE = "all"
#: The fields of `PoolCharts` that hold the charts of time.
FIELDS = {"1h": "hour", "1d": "day", "1w": "week", "1m": "month"}
RANGE = choice("range", (*FIELDS, LIFE), "Only this chart.")


@parameters
class ChartsQuery:
    range: str | None = optional(RANGE)


class ChartRoutes:
    """Reading a pool's charts and a market's."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/pools/{pool_id}/charts",
                self.pool,
                AuthLevel.NONE,
                PoolCharts,
                "A pool's charts",
                operation_id="get_pool_charts",
                errors=(PoolNotFound,),
                description="Each point holds the probabilities at its time; the last one is the present. "
                "With `range`, that chart alone; `all` goes from its publication to the present (or its resolution).",
            ),
            get(
                "/markets/{market_id}/chart",
                self.market,
                AuthLevel.NONE,
                list[MarketChartPoint],
                "A market's chart",
                operation_id="get_market_chart",
                errors=(MarketNotFound,),
                description="From its publication to the present (or its resolution) in at most 1,000 points.",
            ),
        ]

    async def pool(self, request: Request[PoolPath, ChartsQuery, None]) -> Response:
        """Return the four charts of a published pool, or one."""
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

    async def market(self, request: PathRequest[MarketPath]) -> Response:
        """Return the whole history of a published pool's market."""
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
