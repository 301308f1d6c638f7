"""A limit order as a row, how it ends by itself, and what fills and its end do to it: whole lots and kopecks."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from foreknow.kernel.errors import DomainError
from foreknow.money.pricing import Side
from foreknow.trading.book import LOT_SHARES

#: Basis points of a percent.
PERCENT_BPS = 100

OrderStatus = Literal["open", "filled", "cancelled", "expired"]
CancelReason = Literal[
    "user", "ioc", "self_trade", "fill_limit", "market_limit", "closed", "resolved", "split", "deactivated"
]
TimeInForce = Literal["gtc", "ioc", "fok"]


class LimitOrderRow(msgspec.Struct, kw_only=True, gc=False):
    """A limit order. What it holds is what its rest may cost and what is owed to its owner.

    `status` is what was written: one whose end has passed may still be `open` (`end_of`).
    """

    id: int
    pool_id: int
    market_id: int
    user_id: int
    #: Of a partner's user.
    partner_id: int | None = None
    external_user_id: str | None = None
    action: Literal["buy", "sell"]
    side: Literal["YES", "NO"]
    price_bps: int
    shares: int
    filled_shares: int = 0
    time_in_force: TimeInForce = "gtc"
    post_only: bool = False
    expires_at_ms: int | None = None
    status: OrderStatus = "open"
    reason: CancelReason | None = None
    amount_kopecks: int = 0
    fee_kopecks: int = 0
    held_kopecks: int = 0
    owed_kopecks: int = 0
    created_at_ms: int
    updated_at_ms: int

    @property
    def is_buy(self) -> bool:
        """Whether it buys."""
        return self.action == "buy"

    @property
    def is_open(self) -> bool:
        """Whether no end is written."""
        return self.status == "open"

    @property
    def is_up(self) -> bool:
        """Whether it moves its market up: whether it buys YES or sells NO."""
        return self.is_buy == (self.side == Side.YES)

    @property
    def price_percent(self) -> int:
        """Its price of its own side: kopecks a lot."""
        return self.price_bps // PERCENT_BPS

    @property
    def level_percent(self) -> int:
        """Its price of YES."""
        return self.price_percent if self.side == Side.YES else 100 - self.price_percent

    @property
    def rank(self) -> int:
        """Its level's place in its queue, the best first."""
        return 100 - self.level_percent if self.is_up else self.level_percent

    @property
    def rest_shares(self) -> int:
        """Shares that it may still buy or sell; 0 once it has ended."""
        return self.shares - self.filled_shares if self.is_open else 0

    @property
    def reserved_shares(self) -> int:
        """Shares of its owner's position that nothing else may sell."""
        return 0 if self.is_buy else self.rest_shares

    @property
    def hold_kopecks(self) -> int:
        """What its rest may cost; 0 of a sale."""
        return self._cost_kopecks(self.rest_shares) if self.is_buy else 0

    def fill(self, *, shares: int, money_kopecks: int, at_ms: int) -> None:
        """Fill it while it rests: it buys for what it holds, or holds what the sale brings, and owes what is saved."""
        assert 0 < shares <= self.rest_shares
        if self.is_buy:
            saved_kopecks = self._cost_kopecks(shares) - money_kopecks
            assert saved_kopecks >= 0
            self.held_kopecks -= money_kopecks
            self.owed_kopecks += saved_kopecks
        else:
            self.held_kopecks += money_kopecks
            self.owed_kopecks += money_kopecks
        self.filled_shares += shares
        self.amount_kopecks += money_kopecks
        self.updated_at_ms = at_ms
        if self.filled_shares == self.shares:
            self.status = "filled"

    def end(self, status: Literal["cancelled", "expired"], reason: CancelReason | None, *, at_ms: int) -> None:
        """End it: what it holds is owed."""
        assert self.is_open
        self.status, self.reason, self.updated_at_ms = status, reason, at_ms
        self.owed_kopecks = self.held_kopecks

    def pay_out(self) -> int:
        """Take what is owed, to be paid to its owner; return it in kopecks."""
        owed_kopecks = self.owed_kopecks
        self.held_kopecks -= owed_kopecks
        self.owed_kopecks = 0
        return owed_kopecks

    def _cost_kopecks(self, shares: int) -> int:
        return self.price_percent * (shares // LOT_SHARES)


class InvalidOrderId(DomainError):
    code = "invalid_order_id"
    status = 400
    message = "An order id is a whole number from 1."


class OrderNotFound(DomainError):
    code = "order_not_found"
    status = 404
    message = "There is no order of yours with this id."


class TooManyOrders(DomainError):
    code = "too_many_orders"
    status = 409
    message = "At most 200 orders of yours may be open in a pool: cancel some first."


class WouldTrade(DomainError):
    code = "would_trade"
    status = 409
    message = "The order would trade at once, and it may only rest."


class Unfilled(DomainError):
    code = "unfilled"
    status = 409
    message = "Nothing, or not all of it, could be filled at this price."


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
