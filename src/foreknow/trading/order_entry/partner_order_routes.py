"""Partners' limit orders: the same, with the float behind the sub-account's balance."""

from __future__ import annotations

from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.kernel.schema_types import PartnerSide
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import find_sub_accounts
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk import kinds
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.errors import ORDER_ERRORS, InsufficientFloat
from foreknow.trading.desk.orders import Placement
from foreknow.trading.limit_orders.errors import OrderNotFound
from foreknow.trading.limit_orders.lists import ListedOrder, OrderFilter, list_orders, orders_by_ids
from foreknow.trading.limit_orders.order import LimitOrderRow, OrderStatus
from foreknow.trading.limit_orders.schemas import CANCELS_MAX
from foreknow.trading.order_entry import order_fills, order_requests
from foreknow.trading.order_entry.order_routes import MARKET_ID, ORDERS, POOL_ID, STATUS, OrderPath
from foreknow.trading.order_entry.partner_order_schemas import (
    CancelledPartnerOrder,
    CancelledPartnerOrders,
    CancelPartnerRequest,
    NewPartnerOrder,
    PartnerLimitOrder,
    PartnerOrderFillPage,
    PartnerOrderPage,
    PlacedPartnerOrder,
    partner_fields,
    partner_order_view,
)
from foreknow.trading.order_entry.routes import response_of
from foreknow.trading.partner.external_ids import InvalidExternalUserId, read_external_user_id
from foreknow.trading.partner.routes import external_user
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, QueryRequest, Request, delete, get, post
from foreknow.web.pagination import newest_first
from foreknow.web.params import CURSOR, LIMIT, defaulted, optional, parameters
from foreknow.web.responses import LaterResponse

_SIDES: dict[PartnerSide, Side] = {"yes": Side.YES, "no": Side.NO}
EXTERNAL_USER_ID = external_user("Only orders of this user of yours.")


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


class PartnerOrderRoutes:
    """Limit orders of partners' users."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk

    @post(
        "/partner/orders",
        AuthLevel.PARTNER,
        response=PlacedPartnerOrder,
        status=201,
        errors=(InvalidExternalUserId, *ORDER_ERRORS, InsufficientFloat),
        idempotent=True,
        rate_limit_group=ORDERS,
    )
    def place_partner_order(self, request: BodyRequest[NewPartnerOrder]) -> LaterResponse:
        """Place a limit order for a user of yours.

        What it takes on arrival and then what it holds is paid by the sub-account's balance first, the rest by the
        float.
        """
        body = request.body
        external_user_id = read_external_user_id(body.external_user_id)
        receipt = self._desk.queue(
            kinds.PlaceLimit(
                caller=request.partner,
                external_user_id=external_user_id,
                market_id=body.market_id,
                side=_SIDES[body.side],
                **order_requests.limit_terms(body),
                outcomes=body.outcomes,
                idempotency_key=request.idempotency_key,
                receipt=placed_partner_order,
            )
        )
        return LaterResponse(receipt, response_of)

    @get("/partner/orders", AuthLevel.PARTNER)
    async def list_partner_orders(self, request: QueryRequest[PartnerOrdersQuery]) -> PartnerOrderPage:
        """List limit orders of your users.

        Newest first.
        """
        partner, query = request.partner, request.query

        def read(tx: ReadTx, before_id: int | None, limit: int) -> list[ListedOrder]:
            user_id = _user_id(tx, partner, query.external_user_id)
            if query.external_user_id is not None and user_id is None:
                return []
            which = OrderFilter(
                user_id=user_id,
                partner_id=partner.partner_id,
                market_id=query.market_id,
                pool_id=query.pool_id,
                status=query.status,
            )
            return list_orders(tx, which, before_id=before_id, limit=limit, now_ms=self._context.clock())

        filters = f"{query.market_id}:{query.pool_id}:{query.status}:{query.external_user_id or ''}"
        found = await newest_first(self._context, request, f"partner_orders {filters}", read)
        orders = [partner_order_view(one.order, one.end) for one in found.rows]
        return PartnerOrderPage(orders, found.next_cursor, found.has_more)

    @get("/partner/orders/{id}", AuthLevel.PARTNER, errors=(OrderNotFound,))
    async def get_partner_order(self, request: Request[OrderPath, PartnerOrderQuery, None]) -> PartnerLimitOrder:
        """One limit order of a user of yours."""
        found = await self._context.db.lookup(
            lambda tx: self._find(tx, request.partner, request.path.id, request.query.external_user_id)
        )
        return partner_order_view(found.order, found.end)

    @get("/partner/orders/{id}/fills", AuthLevel.PARTNER, errors=(OrderNotFound,))
    async def list_partner_order_fills(
        self, request: Request[OrderPath, PartnerFillsQuery, None]
    ) -> PartnerOrderFillPage:
        """List the fills of a limit order of a user of yours.

        Newest first.
        """
        order_id = request.path.id
        order: LimitOrderRow | None = None

        def read(tx: ReadTx, before_id: int | None, limit: int) -> list[order_fills.FillRow]:
            nonlocal order
            order = self._find(tx, request.partner, order_id, request.query.external_user_id).order
            return order_fills.fills_of(tx, order_id, before_id=before_id, limit=limit)

        found = await newest_first(self._context, request, f"fills of partner's order {order_id}", read)
        assert order is not None
        return PartnerOrderFillPage(
            external_user_id=order.external_user_id or "",
            user_id=order.user_id,
            fills=[order_fills.partner_fill_view(row, order) for row in found.rows],
            next_cursor=found.next_cursor,
            has_more=found.has_more,
        )

    @delete("/partner/orders/{id}", AuthLevel.PARTNER, errors=(OrderNotFound,), rate_limit_group=ORDERS)
    async def cancel_partner_order(self, request: Request[OrderPath, PartnerOrderQuery, None]) -> CancelledPartnerOrder:
        """Cancel a limit order of a user of yours.

        One that has ended stays as it is; what is still held for it is paid out at once.
        """
        found = await self._context.db.lookup(
            lambda tx: self._find(tx, request.partner, request.path.id, request.query.external_user_id)
        )
        (done,) = await order_requests.cancel_all(self._desk, request.partner, [found])
        (row,) = done.rows
        return CancelledPartnerOrder(**partner_fields(row), float_balance_kopecks=done.float_balance_kopecks)

    @post("/partner/orders/cancel", AuthLevel.PARTNER, errors=(InvalidExternalUserId,), rate_limit_group=ORDERS)
    async def cancel_partner_orders(self, request: BodyRequest[CancelPartnerRequest]) -> CancelledPartnerOrders:
        """Cancel open limit orders of your users.

        Those named by exactly one of the four, at most 100, the newest first. Those of each pool are cancelled at once.
        """
        body, partner = request.body, request.partner
        if body.external_user_id is not None:
            read_external_user_id(body.external_user_id)

        def read(tx: ReadTx) -> list[ListedOrder]:
            user_id = _user_id(tx, partner, body.external_user_id)
            found = order_requests.orders_to_cancel(
                tx, body, user_id=user_id, partner_id=partner.partner_id, now_ms=self._context.clock()
            )
            return found if body.external_user_id is None or user_id is not None else []

        found = await self._context.db.lookup(read)
        done = await order_requests.cancel_all(self._desk, partner, found[:CANCELS_MAX])
        orders = [partner_order_view(row) for each in done for row in each.cancelled]
        in_float = await self._context.db.lookup(
            lambda tx: balances_kopecks(tx, kind=AccountKind.FLOAT, owner_ids=[partner.partner_id])
        )
        return CancelledPartnerOrders(
            sorted(orders, key=lambda order: -order.order_id), len(found) > CANCELS_MAX, in_float[partner.partner_id]
        )

    def _find(self, tx: ReadTx, partner: PartnerCaller, order_id: int, external_user_id: str | None) -> ListedOrder:
        for found in orders_by_ids(tx, [order_id], now_ms=self._context.clock()):
            is_users = external_user_id is None or found.order.external_user_id == external_user_id
            if found.order.partner_id == partner.partner_id and is_users:
                return found
        raise OrderNotFound


def placed_partner_order(placement: Placement) -> PlacedPartnerOrder:
    """Tell a partner of an accepted limit order."""
    return PlacedPartnerOrder(
        **partner_fields(placement.row),
        trade_id=None if placement.trade is None else placement.trade.trade_id,
        probability_before=placement.probability_before,
        probability_after=placement.probability_after,
        balance_kopecks=placement.balance_kopecks,
        float_balance_kopecks=placement.float_balance_kopecks,
    )


def _user_id(tx: ReadTx, partner: PartnerCaller, external_user_id: str | None) -> int | None:
    """Return the sub-account of a partner's user; None where none is named, or there is none."""
    if external_user_id is None:
        return None
    name = (partner.partner_id, external_user_id)
    found = find_sub_accounts(tx, [name]).get(name)
    return None if found is None else found.user_id
