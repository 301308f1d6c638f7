"""How a limit order ends by itself, and when: at its own time, its pool's `finish_at`, or a result.

A worker writes it soon after; until then the row is `open`, and all that show or fill it ask here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from foreknow.trading.limit_orders.order import CancelReason, LimitOrderRow, OrderStatus


class PoolEnds(NamedTuple):
    """What ends the orders of a pool, as its row says; a cancelled event's pools are decided, too."""

    finish_at_ms: int | None
    #: When its trading ended with a result, whatever corrects that since.
    decided_at_ms: int | None


class OrderEnd(NamedTuple):
    """An end that has passed."""

    at_ms: int
    status: Literal["cancelled", "expired"]
    reason: CancelReason | None


def end_of(order: LimitOrderRow, pool: PoolEnds, *, now_ms: int) -> OrderEnd | None:
    """Return the earliest end of an open order, of equal ones the first that orders.md names; None while it lives."""
    ends: tuple[tuple[int | None, Literal["cancelled", "expired"], CancelReason | None], ...] = (
        (order.expires_at_ms, "expired", None),
        (pool.finish_at_ms, "cancelled", "closed"),
        (pool.decided_at_ms, "cancelled", "resolved"),
    )
    passed = [OrderEnd(at_ms, *rest) for at_ms, *rest in ends if at_ms is not None and at_ms <= now_ms]  # type: ignore[arg-type] # the rest of a tuple
    return min(passed, key=lambda end: end.at_ms, default=None) if order.is_open else None


def status_at(order: LimitOrderRow, pool: PoolEnds, *, now_ms: int) -> OrderStatus:
    """Return the status of an order now, whatever its row says."""
    end = end_of(order, pool, now_ms=now_ms)
    return order.status if end is None else end.status
