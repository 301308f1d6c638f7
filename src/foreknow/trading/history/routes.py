"""Endpoints of past trades."""

from __future__ import annotations

from typing import Any, cast

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.pagination import LIMIT_DEFAULT, Slice
from foreknow.kernel.units import INT64_MAX
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.market.events.service import visible_event
from foreknow.people.users.errors import InvalidUserId, UserNotFound
from foreknow.people.users.visibility import check_shown
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.history import trades as history
from foreknow.trading.history.schemas import OwnTradePage, TradePage
from foreknow.trading.history.trader_trades import TradesPlace
from foreknow.trading.history.trades import LOOKED_AT_MAX, TradeRow, own_trade_view, trade_view
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import QueryRequest, Request, get
from foreknow.web.pagination import newest_first
from foreknow.web.params import CURSOR, LIMIT, PageQuery, defaulted, optional, parameters, path_id, whole_number

MARKET_ID = whole_number("market_id", "Only trades of this market.", most=INT64_MAX)


@parameters
class TraderPath:
    id: int = path_id(InvalidUserId)


@parameters
class TradesQuery:
    market_id: int | None = optional(MARKET_ID)
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class TradeHistoryRoutes(FeatureRoutes):
    """Lists of past trades."""

    @get(
        "/events/{event_id}/trades",
        AuthLevel.OPTIONAL,
        errors=(EventNotFound,),
        description=f"Newest first. With `market_id`, a page ends early (`has_more`) after "
        f"{LOOKED_AT_MAX:,} of the event's trades.",
    )
    async def list_event_trades(self, request: Request[EventPath, TradesQuery, None]) -> TradePage:
        """List the trades of an event."""
        event_id, market_id = request.path.event_id, request.query.market_id
        if market_id is not None:
            return await self._of_market(request, event_id, market_id)

        def read(tx: ReadTx, before_id: int | None, limit: int) -> list[TradeRow]:
            visible_event(tx, event_id, request.visitor)
            return history.trades_of_event(tx, event_id, before_id=before_id, limit=limit)

        return _page(await newest_first(self._context, request, f"trades:event {event_id}", read))

    @get("/users/me/trades", AuthLevel.REQUIRED)
    async def list_my_trades(self, request: QueryRequest[PageQuery]) -> OwnTradePage:
        """List your trades.

        Newest first.
        """
        found = await self._of_user(request, request.user.user_id, request.user)
        return OwnTradePage([own_trade_view(row) for row in found.rows], found.next_cursor, found.has_more)

    @get("/users/{id}/trades", AuthLevel.OPTIONAL, errors=(UserNotFound,))
    async def list_user_trades(self, request: Request[TraderPath, PageQuery, None]) -> TradePage:
        """List a user's trades.

        Newest first. A hidden profile's are shown to its owner and to admins only.
        """
        return _page(await self._of_user(request, request.path.id, request.visitor))

    async def _of_user(
        self, request: Request[TraderPath | None, PageQuery, None], user_id: int, visitor: UserCaller | None
    ) -> Slice[TradeRow]:
        limit, cursor, cursors = request.query.limit, request.query.cursor, self._context.cursors
        scope = "" if request.caller is None else request.caller.scope
        binding = f"trades:user {user_id}:{scope}"
        place: TradesPlace | None = None
        if cursor is not None:
            place = TradesPlace._make(cast("Any", cursors.decode(cursor, binding=binding)))

        def read(tx: ReadTx) -> list[tuple[TradeRow, TradesPlace]]:
            check_shown(tx, user_id, visitor)
            return history.trades_of_user(tx, user_id, place=place, limit=limit + 1)

        found = await self._context.db.lookup(read)
        page = cursors.slice(found, limit=limit, binding=binding, position=lambda placed: placed[1])
        return Slice([row for row, _ in page.rows], page.next_cursor)

    async def _of_market(
        self, request: Request[EventPath, TradesQuery, None], event_id: int, market_id: int
    ) -> TradePage:
        limit, cursor, cursors = request.query.limit, request.query.cursor, self._context.cursors
        scope = "" if request.caller is None else request.caller.scope
        binding = f"trades:event {event_id} market {market_id}:{scope}"
        before_id: int | None = None
        if cursor is not None:
            (position,) = cursors.decode(cursor, binding=binding)
            assert isinstance(position, int)
            before_id = position

        def read(tx: ReadTx) -> history.MarketTrades:
            visible_event(tx, event_id, request.visitor)
            return history.trades_of_market(tx, event_id, market_id, before_id=before_id, limit=limit)

        # Not on the event loop: it may look at thousands of rows.
        found = await self._context.db.read(read)
        next_cursor = None if found.before_id is None else cursors.encode((found.before_id,), binding=binding)
        return _page(Slice(found.rows, next_cursor))


def _page(found: Slice[TradeRow]) -> TradePage:
    return TradePage([trade_view(row) for row in found.rows], found.next_cursor, found.has_more)
