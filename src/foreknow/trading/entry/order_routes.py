"""Limit orders."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.kernel.units import INT64_MAX
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.errors import ORDER_ERRORS, USER_ORDER_ERRORS, InsufficientFloat
from foreknow.trading.desk.kinds import PlaceLimit
from foreknow.trading.desk.orders import Placement
from foreknow.trading.entry.order_requests import (
    FillRow,
    cancel_all,
    fill_facts,
    fills_of,
    limit_terms,
    order_facts,
    orders_to_cancel,
    owner_facts,
)
from foreknow.trading.entry.order_schemas import (
    CANCELS_MAX,
    CancelledOrders,
    CancelledPartnerOrder,
    CancelledPartnerOrders,
    CancelOrders,
    CancelPartnerOrders,
    CancelPartnerRequest,
    CancelRequest,
    LimitOrder,
    NewOrder,
    NewPartnerOrder,
    OrderFill,
    OrderFillPage,
    OrderPage,
    PartnerLimitOrder,
    PartnerOrderFill,
    PartnerOrderFillPage,
    PartnerOrderPage,
    PlacedOrder,
    PlacedPartnerOrder,
)
from foreknow.trading.entry.routes import Body, EntryRoutes, PartnerVoice, UserVoice, Voice, body_of, takes_orders
from foreknow.trading.limit_orders.lists import ListedOrder, list_orders, orders_by_ids
from foreknow.trading.limit_orders.order import InvalidOrderId, LimitOrderRow, OrderNotFound, OrderStatus
from foreknow.trading.partner.routes import external_user
from foreknow.trading.partner.schemas import InvalidExternalUserId
from foreknow.web.endpoint import BodyRequest, PathRequest, QueryRequest, RateLimitGroup, Request, delete, get, post
from foreknow.web.pagination import newest_first
from foreknow.web.params import (
    CURSOR,
    LIMIT,
    Paged,
    PageQuery,
    Param,
    choice,
    defaulted,
    optional,
    parameters,
    path_id,
    whole_number,
)
from foreknow.web.responses import LaterResponse

#: Placing and cancelling.
ORDERS = RateLimitGroup("orders")
MARKET_ID = whole_number("market_id", "Only orders in this market.", most=INT64_MAX)
POOL_ID = whole_number("pool_id", "Only orders in this pool.", most=INT64_MAX)
STATUS: Param[OrderStatus] = choice("status", ("open", "filled", "cancelled", "expired"), "Only orders of this state.")
EXTERNAL_USER_ID = external_user("Only orders of this user of yours.")


@parameters
class OrderPath:
    id: int = path_id(InvalidOrderId)


@parameters
class OrdersQuery:
    market_id: int | None = optional(MARKET_ID)
    pool_id: int | None = optional(POOL_ID)
    status: OrderStatus | None = optional(STATUS)
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


@parameters
class PartnerOrderQuery:
    external_user_id: str | None = optional(EXTERNAL_USER_ID)


@parameters
class PartnerOrdersQuery(PartnerOrderQuery):
    market_id: int | None = optional(MARKET_ID)
    pool_id: int | None = optional(POOL_ID)
    status: OrderStatus | None = optional(STATUS)
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


@parameters
class PartnerFillsQuery(PartnerOrderQuery):
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class _OrderRoutes(EntryRoutes):
    """Limit orders in either voice; `kind` and `of_order` or `of_fill` are its bodies."""

    def _place(
        self, request: BodyRequest[NewOrder | NewPartnerOrder], voice: Voice, kind: type[msgspec.Struct]
    ) -> LaterResponse:
        receipt = partial(placed_order, kind, voice)
        return self._queue(PlaceLimit(**limit_terms(request.body), **self._said(request, voice, receipt)))

    async def _list(
        self,
        request: QueryRequest[OrdersQuery | PartnerOrdersQuery],
        voice: Voice,
        kind: type[Body],
        of_order: type[msgspec.Struct],
    ) -> Body:
        query = request.query

        def read(tx: ReadTx, before_id: int | None, limit: int) -> list[ListedOrder]:
            which = voice.orders(tx)
            if which is None:
                return []
            which = replace(which, market_id=query.market_id, pool_id=query.pool_id, status=query.status)
            return list_orders(tx, which, before_id=before_id, limit=limit, now_ms=self._context.clock())

        filters = f"{query.market_id}:{query.pool_id}:{query.status}:{voice.external_user_id or ''}"
        found = await newest_first(self._context, request, f"orders {filters}", read)
        orders = [body_of(of_order, order_facts(voice, one.order, one.event_id, one.end)) for one in found.rows]
        return body_of(kind, {"orders": orders, "next_cursor": found.next_cursor, "has_more": found.has_more})

    async def _get(self, order_id: int, voice: Voice, kind: type[Body]) -> Body:
        found = await self._context.db.lookup(lambda tx: self._find(tx, order_id, voice))
        return body_of(kind, order_facts(voice, found.order, found.event_id, found.end))

    async def _list_fills(
        self,
        request: Request[OrderPath, Paged, None],
        voice: Voice,
        kind: type[Body],
        of_fill: type[msgspec.Struct],
    ) -> Body:
        order_id = request.path.id
        order: LimitOrderRow | None = None

        def read(tx: ReadTx, before_id: int | None, limit: int) -> list[FillRow]:
            nonlocal order
            order = self._find(tx, order_id, voice).order
            return fills_of(tx, order_id, before_id=before_id, limit=limit)

        found = await newest_first(self._context, request, f"fills of order {order_id}", read)
        assert order is not None
        facts = {
            **owner_facts(order),
            "fills": [body_of(of_fill, fill_facts(fill, order)) for fill in found.rows],
            "next_cursor": found.next_cursor,
            "has_more": found.has_more,
        }
        return body_of(kind, facts)

    async def _cancel(self, order_id: int, voice: Voice, kind: type[Body]) -> Body:
        found = await self._context.db.lookup(lambda tx: self._find(tx, order_id, voice))
        (done,) = await cancel_all(self._desk, voice, [found])
        (row,) = done.rows
        facts = order_facts(voice, row, found.event_id)
        return body_of(kind, {**facts, "float_balance_kopecks": done.float_balance_kopecks})

    async def _cancel_several(
        self,
        request: BodyRequest[CancelOrders | CancelPartnerOrders],
        voice: Voice,
        kind: type[Body],
        of_order: type[msgspec.Struct],
    ) -> Body:
        found = await self._context.db.lookup(
            lambda tx: orders_to_cancel(tx, request.body, voice, now_ms=self._context.clock())
        )
        done = await cancel_all(self._desk, voice, found[:CANCELS_MAX])
        rows = sorted((row for each in done for row in each.cancelled), key=lambda row: -row.id)
        event_ids = {one.id: one.event_id for one in found}
        facts = {
            "orders": [body_of(of_order, order_facts(voice, row, event_ids[row.id])) for row in rows],
            "has_more": len(found) > CANCELS_MAX,
            "float_balance_kopecks": await voice.float_balance_kopecks(self._context.db),
        }
        return body_of(kind, facts)

    def _find(self, tx: ReadTx, order_id: int, voice: Voice) -> ListedOrder:
        for found in orders_by_ids(tx, [order_id], now_ms=self._context.clock()):
            if voice.owns(found.order):
                return found
        raise OrderNotFound


class OrderRoutes(_OrderRoutes):
    """Limit orders of users."""

    @takes_orders("/market/orders", AuthLevel.REQUIRED, PlacedOrder, USER_ORDER_ERRORS, ORDERS)
    def place_order(self, request: BodyRequest[NewOrder]) -> LaterResponse:
        """Place a limit order.

        It fills at once what it can at its price or better. The rest of a `gtc` rests: a purchase holds its money, a
        sale reserves its shares.
        """
        return self._place(request, UserVoice(request.user), PlacedOrder)

    @get("/market/orders", AuthLevel.REQUIRED)
    async def list_orders(self, request: QueryRequest[OrdersQuery]) -> OrderPage:
        """List your limit orders.

        Newest first.
        """
        return await self._list(request, UserVoice(request.user), OrderPage, LimitOrder)

    @get("/market/orders/{id}", AuthLevel.REQUIRED, errors=(OrderNotFound,))
    async def get_order(self, request: PathRequest[OrderPath]) -> LimitOrder:
        """One of your limit orders."""
        return await self._get(request.path.id, UserVoice(request.user), LimitOrder)

    @get("/market/orders/{id}/fills", AuthLevel.REQUIRED, errors=(OrderNotFound,))
    async def list_order_fills(self, request: Request[OrderPath, PageQuery, None]) -> OrderFillPage:
        """List the fills of one of your limit orders.

        Newest first.
        """
        return await self._list_fills(request, UserVoice(request.user), OrderFillPage, OrderFill)

    @delete(
        "/market/orders/{id}",
        AuthLevel.REQUIRED,
        errors=(OrderNotFound,),
        rate_limit_group=ORDERS,
        key_scope="trade",
    )
    async def cancel_order(self, request: PathRequest[OrderPath]) -> LimitOrder:
        """Cancel a limit order.

        One that has ended stays as it is; what is still held for it is paid out at once.
        """
        return await self._cancel(request.path.id, UserVoice(request.user), LimitOrder)

    @post("/market/orders/cancel", AuthLevel.REQUIRED, rate_limit_group=ORDERS, key_scope="trade")
    async def cancel_orders(self, request: BodyRequest[CancelRequest]) -> CancelledOrders:
        """Cancel open limit orders.

        Those named by exactly one of the four, at most 100, the newest first. Those of each pool are cancelled at once.
        """
        return await self._cancel_several(request, UserVoice(request.user), CancelledOrders, LimitOrder)


class PartnerOrderRoutes(_OrderRoutes):
    """Limit orders of partners' users."""

    @takes_orders(
        "/partner/orders",
        AuthLevel.PARTNER,
        PlacedPartnerOrder,
        (InvalidExternalUserId, *ORDER_ERRORS, InsufficientFloat),
        ORDERS,
    )
    def place_partner_order(self, request: BodyRequest[NewPartnerOrder]) -> LaterResponse:
        """Place a limit order for a user of yours.

        What it takes on arrival and then what it holds is paid by the sub-account's balance first, the rest by the
        float.
        """
        voice = PartnerVoice(request.partner, request.body.external_user_id)
        return self._place(request, voice, PlacedPartnerOrder)

    @get("/partner/orders", AuthLevel.PARTNER)
    async def list_partner_orders(self, request: QueryRequest[PartnerOrdersQuery]) -> PartnerOrderPage:
        """List limit orders of your users.

        Newest first.
        """
        return await self._list(request, _named(request), PartnerOrderPage, PartnerLimitOrder)

    @get("/partner/orders/{id}", AuthLevel.PARTNER, errors=(OrderNotFound,))
    async def get_partner_order(self, request: Request[OrderPath, PartnerOrderQuery, None]) -> PartnerLimitOrder:
        """One limit order of a user of yours."""
        return await self._get(request.path.id, _named(request), PartnerLimitOrder)

    @get("/partner/orders/{id}/fills", AuthLevel.PARTNER, errors=(OrderNotFound,))
    async def list_partner_order_fills(
        self, request: Request[OrderPath, PartnerFillsQuery, None]
    ) -> PartnerOrderFillPage:
        """List the fills of a limit order of a user of yours.

        Newest first.
        """
        return await self._list_fills(request, _named(request), PartnerOrderFillPage, PartnerOrderFill)

    @delete("/partner/orders/{id}", AuthLevel.PARTNER, errors=(OrderNotFound,), rate_limit_group=ORDERS)
    async def cancel_partner_order(self, request: Request[OrderPath, PartnerOrderQuery, None]) -> CancelledPartnerOrder:
        """Cancel a limit order of a user of yours.

        One that has ended stays as it is; what is still held for it is paid out at once.
        """
        return await self._cancel(request.path.id, _named(request), CancelledPartnerOrder)

    @post("/partner/orders/cancel", AuthLevel.PARTNER, errors=(InvalidExternalUserId,), rate_limit_group=ORDERS)
    async def cancel_partner_orders(self, request: BodyRequest[CancelPartnerRequest]) -> CancelledPartnerOrders:
        """Cancel open limit orders of your users.

        Those named by exactly one of the four, at most 100, the newest first. Those of each pool are cancelled at once.
        """
        voice = PartnerVoice(request.partner, request.body.external_user_id)
        return await self._cancel_several(request, voice, CancelledPartnerOrders, PartnerLimitOrder)


def placed_order(kind: type[Body], voice: Voice, placement: Placement) -> Body:
    """Tell a user or partner of an accepted limit order."""
    facts = {
        **order_facts(voice, placement.row, placement.pool.row.event_id),
        "trade_id": None if placement.trade is None else placement.trade.trade_id,
        "probability_before": placement.probability_before,
        "probability_after": placement.probability_after,
        "balance_kopecks": placement.balance_kopecks,
        "float_balance_kopecks": placement.float_balance_kopecks,
    }
    return body_of(kind, facts)


def _named(request: Request[Any, PartnerOrderQuery, None]) -> PartnerVoice:
    return PartnerVoice(request.partner, request.query.external_user_id)
