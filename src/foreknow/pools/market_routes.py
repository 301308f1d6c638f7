"""Endpoints of single markets. They stand here because a market's price and state are its pool's."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.markets.schemas import Market, Orderbook, book_levels
from foreknow.pools import service
from foreknow.pools.refusals import MarketNotFound
from foreknow.pools.schemas import pool_view
from foreknow.web.answers import Answer
from foreknow.web.endpoint import Call, Endpoint, Level, get
from foreknow.web.room import Room


class MarketRoutes:
    """Reading a market and its order book."""

    def __init__(self, room: Room) -> None:
        """Answer from `room`."""
        self._room = room

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            get("/markets/{market_id}", self.one, Level.OPTIONAL, Market, "One market", refusals=(MarketNotFound,)),
            get(
                "/market/orderbook/{market_id}",
                self.orderbook,
                Level.NONE,
                Orderbook,
                "A market's order book",
                refusals=(MarketNotFound,),
                description="The depth ladder of the market maker, empty while the market cannot be traded.",
            ),
        ]

    async def one(self, call: Call) -> Market | Answer:
        """Answer one market."""
        market_id, visitor = call.path["market_id"], call.visitor

        def read(tx: sa.Connection) -> tuple[Market, list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, visitor)
            return pool_view(row).markets[outcome_index], [row.id]

        if visitor is None:
            return await self._room.shared.answer(("market", market_id), read)
        return (await self._room.stale.read(read, brief=True)).content

    async def orderbook(self, call: Call) -> Answer:
        """Answer the depth at the present price."""
        market_id: int = call.path["market_id"]

        def read(tx: sa.Connection) -> tuple[Orderbook, list[int]]:
            row, outcome_index = service.visible_market(tx, market_id, None)
            if row.trading_refusal(self._room.clock()) is not None:
                return Orderbook(market_id, bids=[], asks=[]), [row.id]
            bids, asks = row.lmsr().depth(outcome_index)
            return Orderbook(market_id, bids=book_levels(bids), asks=book_levels(asks)), [row.id]

        return await self._room.shared.answer(("orderbook", market_id), read)
