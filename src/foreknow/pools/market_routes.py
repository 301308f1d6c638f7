"""Endpoints of single markets. They stand here because a market's price and state are its pool's."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.transactions import ReadTx
from foreknow.markets.schemas import Market, Orderbook, book_levels
from foreknow.pools import service
from foreknow.pools.errors import InvalidMarketId, MarketNotFound
from foreknow.pools.schemas import pool_view
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, get
from foreknow.web.params import parameters, path_id
from foreknow.web.responses import Response


@parameters
class MarketPath:
    market_id: int = path_id(InvalidMarketId)


class MarketRoutes:
    """Reading a market and its order book."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/markets/{market_id}",
                self.one,
                AuthLevel.OPTIONAL,
                Market,
                "One market",
                operation_id="get_market",
                errors=(MarketNotFound,),
            ),
            get(
                "/market/orderbook/{market_id}",
                self.orderbook,
                AuthLevel.NONE,
                Orderbook,
                "A market's order book",
                operation_id="get_orderbook",
                errors=(MarketNotFound,),
                description="The depth ladder of the market maker, empty while the market cannot be traded.",
            ),
        ]

    async def one(self, request: PathRequest[MarketPath]) -> Market | Response:
        """Return one market."""
        market_id, visitor = request.path.market_id, request.visitor

        def read(tx: ReadTx) -> tuple[Market, list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, visitor)
            return pool_view(row, now_ms=self._context.clock()).markets[outcome_index], [row.id]

        if visitor is None:
            return await self._context.responses.get(("market", market_id), read)
        return (await self._context.public_reads.lookup(read)).content

    async def orderbook(self, request: PathRequest[MarketPath]) -> Response:
        """Return the depth at the present price."""
        market_id = request.path.market_id

        def read(tx: ReadTx) -> tuple[Orderbook, list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, None)
            if row.trading_error(self._context.clock()) is not None:
                return Orderbook(market_id, bids=[], asks=[]), [row.id]
            bids, asks = row.lmsr().depth(outcome_index)
            return Orderbook(market_id, bids=book_levels(bids), asks=book_levels(asks)), [row.id]

        return await self._context.responses.get(("orderbook", market_id), read)
