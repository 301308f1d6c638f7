"""Bodies of limit orders (orders.md, "Endpoints" and "Partner"), of users and of partners."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import (
    AMOUNT,
    LATER_TIME_EXAMPLE,
    NATURAL,
    OUTCOMES,
    ROW_ID,
    STATUS,
    TIME_EXAMPLE,
    USER_NAMES,
    CreatedAt,
    EventId,
    HasMore,
    Id,
    KnownOutcomes,
    MarketId,
    NextCursor,
    PartnerSide,
    PoolId,
    Time,
    TokenType,
    UserBalance,
    UserId,
)
from foreknow.trading.entry.bet_schemas import NewExternalUserId
from foreknow.trading.limit_orders.order import CancelReason, OrderStatus, TimeInForce
from foreknow.trading.partner.schemas import ExternalUserId, FloatBalance

#: Most orders that one request cancels.
CANCELS_MAX = 100

ORDERS_LISTED = "Limit orders, newest first."
FILLS_LISTED = "Fills, newest first."

OrderAction = Annotated[Literal["buy", "sell"], Meta(description="Whether it buys or sells.", examples=["buy"])]
OrderShares = Annotated[
    int, Meta(description="Shares ordered, whole lots of 100; one that may rest has 1000 or more.", examples=[2000])
]
OrderPrice = Annotated[
    int,
    Meta(
        description="Its price of its own side, a whole percent in basis points: it pays no more, and takes no less.",
        examples=[5800],
    ),
]
InForce = Annotated[
    TimeInForce,
    Meta(
        description="What becomes of what is not filled at once: it rests (`gtc`), or is cancelled (`ioc`); a `fok` "
        "is filled whole or refused.",
        examples=["gtc"],
    ),
]
PostOnly = Annotated[bool, Meta(description="Whether it is refused rather than trade at once.", examples=[False])]
EXPIRES_AT = Meta(description="From when on nothing fills it, UTC; null for never.", examples=[LATER_TIME_EXAMPLE])
FilledShares = Annotated[int, NATURAL, Meta(description="Shares of it that are filled.", examples=[1200])]
EndReason = Annotated[
    CancelReason | None,
    Meta(
        description="Why it was cancelled: by its owner (`user`), as an `ioc`, to keep its owner from trading with "
        "themselves (`self_trade`), after 100 orders (`fill_limit`), at the limit of a market (`market_limit`), at "
        "`finish_at` (`closed`), by a result or cancellation (`resolved`), by a split, or with the account; null "
        "otherwise.",
        examples=[None],
    ),
]
FilledAmount = Annotated[
    int, NATURAL, Meta(description="What its fills paid, fee included, or brought, kopecks.", examples=[695])
]
OrderFee = Annotated[int, NATURAL, Meta(description="The fee in what it paid, kopecks.", examples=[14])]
FillPrice = Annotated[
    int | None,
    Meta(description="Average price of its fills, fee included, basis points; null before one.", examples=[5792]),
]
OrderHeld = Annotated[
    int,
    NATURAL,
    Meta(
        description="What is held for it, kopecks: what its rest may cost, and what is about to be paid out.",
        examples=[464],
    ),
]
UpdatedAt = Annotated[Time, Meta(description="Its last fill or its end, UTC.", examples=[TIME_EXAMPLE])]
OrderId = Annotated[int, Meta(description="The order's id.", examples=[12])]
TakenTrade = Annotated[
    int | None, Meta(description="The trade of what it took on arrival; null for nothing.", examples=[101])
]
YesBefore = Annotated[
    float, Meta(description="The market's YES probability before the limit order, 0 … 1.", examples=[0.574])
]
YesAfter = Annotated[
    float, Meta(description="The market's YES probability after the order and what followed.", examples=[0.58])
]
FillRole = Annotated[Literal["taker", "maker"], Meta(description="On arrival, or while resting.", examples=["taker"])]
FillId = Annotated[int, Meta(description="The fill's trade.", examples=[101])]
FillShares = Annotated[int, Meta(description="Shares filled.", examples=[1200])]
FillAmount = Annotated[int, Meta(description="What the fill paid, fee included, or brought, kopecks.", examples=[695])]
FillPnl = Annotated[
    int | None,
    Meta(description="Of a sale: what it brought less what the shares had cost, kopecks; else null.", examples=[None]),
]
AvgFillPrice = Annotated[int, Meta(description="Average price, fee included, basis points.", examples=[5792])]


class NewOrder(msgspec.Struct, rename=USER_NAMES, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A limit order: `shares` at `price_bps` or better."""

    market_id: Annotated[MarketId, ROW_ID]
    side: TokenType
    action: OrderAction
    shares: Annotated[OrderShares, AMOUNT]
    price_bps: Annotated[OrderPrice, Meta(ge=100, le=9_900)]
    time_in_force: InForce | None = None
    post_only: PostOnly | None = None
    expires_at: Annotated[datetime, Meta(tz=True), EXPIRES_AT] | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class LimitOrder(msgspec.Struct, rename=USER_NAMES, frozen=True, kw_only=True):
    """A limit order as it now stands."""

    order_id: Id
    event_id: EventId
    pool_id: PoolId
    market_id: MarketId
    side: TokenType
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


class PlacedOrder(LimitOrder, frozen=True, kw_only=True):
    """A limit order as its arrival, and what followed, left it."""

    trade_id: TakenTrade
    probability_before: YesBefore
    probability_after: YesAfter
    balance_kopecks: UserBalance


class OrderPage(msgspec.Struct, frozen=True):
    """A page of limit orders, newest first."""

    orders: Annotated[list[LimitOrder], Meta(description=ORDERS_LISTED)]
    next_cursor: NextCursor
    has_more: HasMore


class OrderFill(msgspec.Struct, rename=USER_NAMES, frozen=True, kw_only=True):
    """A fill of a limit order."""

    trade_id: FillId
    role: FillRole
    shares: FillShares
    amount_kopecks: FillAmount
    fee_kopecks: OrderFee
    avg_price_bps: AvgFillPrice
    pnl: FillPnl
    created_at: CreatedAt


class OrderFillPage(msgspec.Struct, frozen=True):
    """A page of an order's fills, newest first."""

    fills: Annotated[list[OrderFill], Meta(description=FILLS_LISTED)]
    next_cursor: NextCursor
    has_more: HasMore


CANCELLED_IDS = Meta(
    description="Orders to cancel, by id; others are ignored.", examples=[[12]], min_length=1, max_length=CANCELS_MAX
)
CANCELLED_MARKET = Meta(description="Cancel the orders in this market.", examples=[9])
CANCELLED_POOL = Meta(description="Cancel the orders in this pool.", examples=[5])
CANCELLED_ALL = Meta(description="Cancel all orders.", examples=[True])


class CancelOrders(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which open orders to cancel: exactly one of the four."""

    order_ids: Annotated[list[Annotated[OrderId, ROW_ID]], CANCELLED_IDS] | None = None
    market_id: Annotated[int, ROW_ID, CANCELLED_MARKET] | None = None
    pool_id: Annotated[PoolId, ROW_ID, CANCELLED_POOL] | None = None
    all: Annotated[Literal[True], CANCELLED_ALL] | None = None


def _given(name: str, kind: str) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"type": kind}}}


#: The rule that JSON Schema cannot express in the fields of a body: exactly one of them is given.
ONE_OF_FOUR: dict[str, Any] = {
    "oneOf": [
        _given("order_ids", "array"),
        _given("market_id", "integer"),
        _given("pool_id", "integer"),
        _given("all", "boolean"),
    ]
}
CancelRequest = Annotated[CancelOrders, Meta(examples=[{"order_ids": [12]}], extra_json_schema=ONE_OF_FOUR)]

CANCELLED = "Those that were cancelled, newest first."
OpenLeft = Annotated[
    bool, Meta(description="Whether open orders are left among those named: ask again.", examples=[False])
]


class CancelledOrders(msgspec.Struct, frozen=True):
    """What a request cancelled."""

    orders: Annotated[list[LimitOrder], Meta(description=CANCELLED)]
    has_more: OpenLeft


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
    event_id: EventId
    pool_id: PoolId
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
