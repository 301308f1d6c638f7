"""Endpoints of single markets. They stand here because a market's price and state are its pool's."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.market.markets.schemas import Market, Orderbook, book_levels
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
    """Reading a market and its order book."""

    @get("/markets/{market_id}", AuthLevel.OPTIONAL, errors=(MarketNotFound,))
    async def get_market(self, request: PathRequest[MarketPath]) -> Market | Response:
        """One market."""
        market_id, visitor = request.path.market_id, request.visitor

        def read(tx: ReadTx) -> tuple[Market, list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, visitor)
            return pool_view(row, now_ms=self._context.clock()).markets[outcome_index], [row.id]

        if visitor is None:
            return await self._context.responses.get(("market", market_id), read)
        return (await self._context.public_reads.lookup(read)).content

    @get("/market/orderbook/{market_id}", AuthLevel.NONE, response=Orderbook, errors=(MarketNotFound,))
    async def get_orderbook(self, request: PathRequest[MarketPath]) -> Response:
        """A market's order book.

        The depth ladder of the market maker, empty while the market cannot be traded.
        """
        market_id = request.path.market_id

        def read(tx: ReadTx) -> tuple[Orderbook, list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, None)
            if row.trading_error(self._context.clock()) is not None:
                return Orderbook(market_id, bids=[], asks=[]), [row.id]
            bids, asks = row.lmsr().depth(outcome_index)
            return Orderbook(market_id, bids=book_levels(bids), asks=book_levels(asks)), [row.id]

        return await self._context.responses.get(("orderbook", market_id), read)
