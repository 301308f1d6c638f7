"""Bodies of partners' limit orders (orders.md, "Partner"), and the functions that make them from rows."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import (
    AMOUNT,
    OUTCOMES,
    ROW_ID,
    STATUS,
    CreatedAt,
    HasMore,
    KnownOutcomes,
    MarketId,
    NextCursor,
    PartnerSide,
    PoolId,
    Time,
    UserBalance,
    UserId,
)
from foreknow.trading.desk.schemas import NewExternalUserId
from foreknow.trading.limit_orders.order import LimitOrderRow, OrderStatus
from foreknow.trading.limit_orders.schemas import (
    CANCELLED,
    CANCELLED_ALL,
    CANCELLED_IDS,
    CANCELLED_MARKET,
    CANCELLED_POOL,
    EXPIRES_AT,
    FILLS_LISTED,
    ONE_OF_FOUR,
    ORDERS_LISTED,
    AvgFillPrice,
    EndReason,
    FillAmount,
    FilledAmount,
    FilledShares,
    FillId,
    FillPnl,
    FillPrice,
    FillRole,
    FillShares,
    InForce,
    OpenLeft,
    OrderAction,
    OrderFee,
    OrderHeld,
    OrderId,
    OrderPrice,
    OrderShares,
    PostOnly,
    TakenTrade,
    UpdatedAt,
    YesAfter,
    YesBefore,
)
from foreknow.trading.limit_orders.status import OrderEnd
from foreknow.trading.limit_orders.views import avg_price_bps, shared_fields
from foreknow.trading.partner.schemas import ExternalUserId, FloatBalance


class NewPartnerOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A limit order of a partner's user."""

    external_user_id: NewExternalUserId
    market_id: Annotated[MarketId, ROW_ID]
    side: PartnerSide
    action: OrderAction
    shares: Annotated[OrderShares, AMOUNT]
    price_bps: Annotated[OrderPrice, Meta(ge=100, le=9_900)]
    time_in_force: InForce | None = None
    post_only: PostOnly | None = None
    expires_at: Annotated[datetime, Meta(tz=True), EXPIRES_AT] | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class PartnerLimitOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A limit order of a partner's user as it now stands."""

    order_id: OrderId
    external_user_id: ExternalUserId
    user_id: UserId
    market_id: MarketId
    side: PartnerSide
    action: OrderAction
    price_bps: OrderPrice
    shares: OrderShares
    filled_shares: FilledShares
    time_in_force: InForce
    post_only: PostOnly
    expires_at: Annotated[Time | None, EXPIRES_AT]
    status: Annotated[OrderStatus, STATUS]
    reason: EndReason
    amount_kopecks: FilledAmount
    fee_kopecks: OrderFee
    avg_price_bps: FillPrice
    held_kopecks: OrderHeld
    created_at: CreatedAt
    updated_at: UpdatedAt


class PlacedPartnerOrder(PartnerLimitOrder, frozen=True, kw_only=True):
    """A partner's limit order as its arrival, and what followed, left it."""

    trade_id: TakenTrade
    probability_before: YesBefore
    probability_after: YesAfter
    balance_kopecks: UserBalance
    float_balance_kopecks: FloatBalance


class CancelledPartnerOrder(PartnerLimitOrder, frozen=True, kw_only=True):
    """A partner's limit order once it is cancelled."""

    float_balance_kopecks: FloatBalance


class PartnerOrderPage(msgspec.Struct, frozen=True):
    """A page of a partner's limit orders, newest first."""

    orders: Annotated[list[PartnerLimitOrder], Meta(description=ORDERS_LISTED)]
    next_cursor: NextCursor
    has_more: HasMore


class PartnerOrderFill(msgspec.Struct, frozen=True, kw_only=True):
    """A fill of a partner's limit order."""

    trade_id: FillId
    external_user_id: ExternalUserId
    user_id: UserId
    role: FillRole
    shares: FillShares
    amount_kopecks: FillAmount
    fee_kopecks: OrderFee
    avg_price_bps: AvgFillPrice
    pnl: FillPnl
    created_at: CreatedAt


class PartnerOrderFillPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the fills of a partner's order, newest first."""

    external_user_id: ExternalUserId
    user_id: UserId
    fills: Annotated[list[PartnerOrderFill], Meta(description=FILLS_LISTED)]
    next_cursor: NextCursor
    has_more: HasMore


class CancelPartnerOrders(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which open orders to cancel: exactly one of the four, of one user where `external_user_id` is given."""

    external_user_id: ExternalUserId | None = None
    order_ids: Annotated[list[Annotated[OrderId, ROW_ID]], CANCELLED_IDS] | None = None
    market_id: Annotated[int, ROW_ID, CANCELLED_MARKET] | None = None
    pool_id: Annotated[PoolId, ROW_ID, CANCELLED_POOL] | None = None
    all: Annotated[Literal[True], CANCELLED_ALL] | None = None


CancelPartnerRequest = Annotated[
    CancelPartnerOrders,
    Meta(examples=[{"external_user_id": "customer-17", "order_ids": [12]}], extra_json_schema=ONE_OF_FOUR),
]


class CancelledPartnerOrders(msgspec.Struct, frozen=True):
    """What a partner's request cancelled."""

    orders: Annotated[list[PartnerLimitOrder], Meta(description=CANCELLED)]
    has_more: OpenLeft
    float_balance_kopecks: FloatBalance


_WORDS: dict[str, PartnerSide] = {"YES": "yes", "NO": "no"}


def partner_order_view(order: LimitOrderRow, end: OrderEnd | None = None) -> PartnerLimitOrder:
    """Show an order to its owner's partner; `end` is one that is not written yet."""
    return PartnerLimitOrder(**partner_fields(order, end))


def partner_fields(order: LimitOrderRow, end: OrderEnd | None = None) -> dict[str, Any]:
    """Return the fields of a `PartnerLimitOrder`."""
    return {
        "order_id": order.id,
        "external_user_id": order.external_user_id,
        "user_id": order.user_id,
        "side": _WORDS[order.side],
        "avg_price_bps": avg_price_bps(order),
        **shared_fields(order, end),
    }
