"""Endpoints of single markets. They stand here because a market's price and state are its pool's."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.market.markets.schemas import Market
from foreknow.market.pools import service
from foreknow.market.pools.errors import InvalidMarketId, MarketNotFound
from foreknow.market.pools.schemas import pool_view
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, get
from foreknow.web.params import parameters, path_id
from foreknow.web.responses import Response


@parameters
class MarketPath:
    market_id: int = path_id(InvalidMarketId)


class MarketRoutes(FeatureRoutes):
    """Reading a market."""

    @get("/markets/{market_id}", AuthLevel.OPTIONAL, errors=(MarketNotFound,), cached=True)
    async def get_market(self, request: PathRequest[MarketPath]) -> Market | Response:
        """One market."""
        market_id, visitor = request.path.market_id, request.visitor

        def read(tx: ReadTx) -> tuple[Market, list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, visitor)
            return pool_view(row, now_ms=self._context.clock()).markets[outcome_index], [row.id]

        if visitor is None:
            return await self._context.responses.get(("market", market_id), read)
        return (await self._context.public_reads.lookup(read)).content
