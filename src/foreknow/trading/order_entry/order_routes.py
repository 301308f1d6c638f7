"""Users' limit orders."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.kernel.schema_types import TokenType
from foreknow.kernel.units import INT64_MAX
from foreknow.money.pricing import Side
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk import kinds
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.errors import USER_ORDER_ERRORS
from foreknow.trading.desk.orders import Placement
from foreknow.trading.limit_orders.errors import InvalidOrderId, OrderNotFound
from foreknow.trading.limit_orders.lists import ListedOrder, OrderFilter, list_orders, orders_by_ids
from foreknow.trading.limit_orders.order import OrderStatus
from foreknow.trading.limit_orders.schemas import (
    CANCELS_MAX,
    CancelledOrders,
    CancelRequest,
    LimitOrder,
    NewOrder,
    OrderFillPage,
    OrderPage,
    PlacedOrder,
)
from foreknow.trading.limit_orders.views import order_view, user_fields
from foreknow.trading.order_entry import order_fills, order_requests
from foreknow.trading.order_entry.routes import response_of
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import (
    BodyRequest,
    PathRequest,
    QueryRequest,
    RateLimitGroup,
    Request,
    delete,
    get,
    post,
)
from foreknow.web.pagination import newest_first
from foreknow.web.params import (
    CURSOR,
    LIMIT,
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
_SIDES: dict[TokenType, Side] = {"YES": Side.YES, "NO": Side.NO}


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


class OrderRoutes:
    """Limit orders of users."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk
        self._not_by_creator = context.terms.creators_trade == "off"

    @post(
        "/market/orders",
        AuthLevel.REQUIRED,
        response=PlacedOrder,
        status=201,
        errors=USER_ORDER_ERRORS,
        idempotent=True,
        rate_limit_group=ORDERS,
        key_scope="trade",
    )
    def place_order(self, request: BodyRequest[NewOrder]) -> LaterResponse:
        """Place a limit order.

        It fills at once what it can at its price or better. The rest of a `gtc` rests: a purchase holds its money, a
        sale reserves its shares.
        """
        body = request.body
        receipt = self._desk.queue(
            kinds.PlaceLimit(
                caller=request.user,
                market_id=body.market_id,
                side=_SIDES[body.token_type],
                **order_requests.limit_terms(body),
                not_by_creator=self._not_by_creator,
                outcomes=body.outcomes,
                idempotency_key=request.idempotency_key,
                receipt=placed_order,
            )
        )
        return LaterResponse(receipt, response_of)

    @get("/market/orders", AuthLevel.REQUIRED)
    async def list_orders(self, request: QueryRequest[OrdersQuery]) -> OrderPage:
        """List your limit orders.

        Newest first.
        """
        query = request.query
        which = OrderFilter(
            user_id=request.user.user_id, market_id=query.market_id, pool_id=query.pool_id, status=query.status
        )

        def read(tx: ReadTx, before_id: int | None, limit: int) -> list[ListedOrder]:
            return list_orders(tx, which, before_id=before_id, limit=limit, now_ms=self._context.clock())

        filters = f"{query.market_id}:{query.pool_id}:{query.status}"
        found = await newest_first(self._context, request, f"orders {filters}", read)
        return OrderPage([order_view(one.order, one.end) for one in found.rows], found.next_cursor, found.has_more)

    @get("/market/orders/{id}", AuthLevel.REQUIRED, errors=(OrderNotFound,))
    async def get_order(self, request: PathRequest[OrderPath]) -> LimitOrder:
        """One of your limit orders."""
        found = await self._context.db.lookup(lambda tx: self._find(tx, request))
        return order_view(found.order, found.end)

    @get("/market/orders/{id}/fills", AuthLevel.REQUIRED, errors=(OrderNotFound,))
    async def list_order_fills(self, request: Request[OrderPath, PageQuery, None]) -> OrderFillPage:
        """List the fills of one of your limit orders.

        Newest first.
        """
        order_id = request.path.id

        def read(tx: ReadTx, before_id: int | None, limit: int) -> list[order_fills.FillRow]:
            self._find(tx, request)
            return order_fills.fills_of(tx, order_id, before_id=before_id, limit=limit)

        found = await newest_first(self._context, request, f"fills of order {order_id}", read)
        return OrderFillPage(list(map(order_fills.fill_view, found.rows)), found.next_cursor, found.has_more)

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
        found = await self._context.db.lookup(lambda tx: self._find(tx, request))
        (done,) = await order_requests.cancel_all(self._desk, request.user, [found])
        return order_view(done.rows[0])

    @post(
        "/market/orders/cancel",
        AuthLevel.REQUIRED,
        rate_limit_group=ORDERS,
        key_scope="trade",
    )
    async def cancel_orders(self, request: BodyRequest[CancelRequest]) -> CancelledOrders:
        """Cancel open limit orders.

        Those named by exactly one of the four, at most 100, the newest first. Those of each pool are cancelled at once.
        """
        found = await self._context.db.lookup(
            lambda tx: order_requests.orders_to_cancel(
                tx,
                request.body,
                user_id=request.user.user_id,
                partner_id=None,
                now_ms=self._context.clock(),
            )
        )
        done = await order_requests.cancel_all(self._desk, request.user, found[:CANCELS_MAX])
        orders = [order_view(row) for each in done for row in each.cancelled]
        return CancelledOrders(sorted(orders, key=lambda order: -order.id), len(found) > CANCELS_MAX)

    def _find(self, tx: ReadTx, request: Request[OrderPath, object, None]) -> ListedOrder:
        for found in orders_by_ids(tx, [request.path.id], now_ms=self._context.clock()):
            if found.order.user_id == request.user.user_id:
                return found
        raise OrderNotFound


def placed_order(placement: Placement) -> PlacedOrder:
    """Tell a user of an accepted limit order."""
    return PlacedOrder(
        **user_fields(placement.row),
        trade_id=None if placement.trade is None else placement.trade.trade_id,
        probability_before=placement.probability_before,
        probability_after=placement.probability_after,
        balance_kopecks=placement.balance_kopecks,
    )
