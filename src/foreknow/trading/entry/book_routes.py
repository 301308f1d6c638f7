"""The order book of a market: the market maker's ladder, and what rests beside it."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.units import INT64_MAX
from foreknow.market.markets.schemas import Orderbook, book_levels
from foreknow.market.pools import service
from foreknow.market.pools.errors import MarketNotFound
from foreknow.market.pools.market_routes import MarketPath
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.book import order_book
from foreknow.trading.limit_orders.levels import resting_levels
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, get
from foreknow.web.response_cache import TRUST_MS, Perishable
from foreknow.web.responses import Response


class BookRoutes(FeatureRoutes):
    """Reading order books."""

    @get("/market/orderbook/{market_id}", AuthLevel.NONE, response=Orderbook, errors=(MarketNotFound,), cached=True)
    async def get_orderbook(self, request: PathRequest[MarketPath]) -> Response:
        """A market's order book.

        The depth ladder of the market maker, and at each whole percent what resting orders offer there; empty while the
        market cannot be traded.
        """
        market_id = request.path.market_id

        def read(tx: ReadTx) -> tuple[Orderbook | Perishable, list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, None)
            now_ms = self._context.clock()
            if row.trading_error(now_ms) is not None or not self._context.terms.takes_orders:
                return Orderbook(market_id, bids=[], asks=[]), [row.id]
            sides, until_ms = row.lmsr().depth(outcome_index), INT64_MAX
            if row.open_orders:
                queues, until_ms = resting_levels(tx, row, now_ms=now_ms, ahead_ms=TRUST_MS)
                sides = order_book(sides, queues, outcome=outcome_index, markets=len(row.markets))
            bids, asks = sides
            book = Orderbook(market_id, bids=book_levels(bids), asks=book_levels(asks))
            return Perishable(book, until_ms), [row.id]

        return await self._context.responses.get(("orderbook", market_id), read)
