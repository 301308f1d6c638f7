"""Limit orders as answers show them."""

from __future__ import annotations

from typing import Any

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.money.pricing import average_price_bps
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.schemas import LimitOrder
from foreknow.trading.limit_orders.status import OrderEnd


def order_view(order: LimitOrderRow, end: OrderEnd | None = None) -> LimitOrder:
    """Show an order to its owner; `end` is one that is not written yet."""
    return LimitOrder(**user_fields(order, end))


def user_fields(order: LimitOrderRow, end: OrderEnd | None = None) -> dict[str, Any]:
    """Return the fields of a `LimitOrder`."""
    return {"id": order.id, "token_type": order.side, "avg_price": avg_price_bps(order), **shared_fields(order, end)}


def avg_price_bps(order: LimitOrderRow) -> int | None:
    """Return the average price of an order's fills, fee included; None before one."""
    if not order.filled_shares:
        return None
    return average_price_bps(money_kopecks=order.amount_kopecks, shares=order.filled_shares)


def shared_fields(order: LimitOrderRow, end: OrderEnd | None) -> dict[str, Any]:
    """Return the fields that users and partners see under the same names."""
    return {
        "market_id": order.market_id,
        "action": order.action,
        "price_bps": order.price_bps,
        "shares": order.shares,
        "filled_shares": order.filled_shares,
        "time_in_force": order.time_in_force,
        "post_only": order.post_only,
        "expires_at": iso_or_none(order.expires_at_ms),
        "status": order.status if end is None else end.status,
        "reason": order.reason if end is None else end.reason,
        "amount_kopecks": order.amount_kopecks,
        "fee_kopecks": order.fee_kopecks,
        "held_kopecks": order.held_kopecks,
        "created_at": iso(order.created_at_ms),
        "updated_at": iso(order.updated_at_ms if end is None else end.at_ms),
    }
