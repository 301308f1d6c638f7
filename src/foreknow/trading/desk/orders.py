"""Orders as they come, and what becomes of them: msgspec structs, since thousands are created per second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import SubAccountName
from foreknow.trading.desk.made import MadeBasket, MadeTrade, TradedPool
from foreknow.trading.limit_orders.order import LimitOrderRow


def _no_receipt(executed: Any) -> msgspec.Struct:
    raise NotImplementedError(executed)


class Order(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What every order says, of whatever kind. `receipt` makes the response body of what became of it."""

    caller: UserCaller | PartnerCaller
    #: The partner's user; None for a user's own order, and for the cancelling of several users' orders.
    external_user_id: str | None = None
    #: Of a basket: one of its markets.
    market_id: int
    side: Side = Side.YES
    #: How many outcomes the caller knows of the pool, which is refused if it has another number.
    outcomes: int | None = None
    idempotency_key: IdempotencyKey | None = None
    receipt: Callable[[Any], msgspec.Struct | msgspec.Raw] = _no_receipt

    @property
    def visitor(self) -> UserCaller | None:
        """The user who sent it; None of a partner's."""
        # A class that does not fit is looked at for longer than one that does, and most callers are users.
        return self.caller if isinstance(self.caller, UserCaller) else None

    @property
    def partner_id(self) -> int | None:
        """The partner that sent it; None of a user's own."""
        return None if isinstance(self.caller, UserCaller) else self.caller.partner_id

    @property
    def sub_account(self) -> SubAccountName | None:
        """The sub-account of a partner's order; None of a user's own."""
        if isinstance(self.caller, UserCaller) or self.external_user_id is None:
            return None
        return self.caller.partner_id, self.external_user_id


class Executed(msgspec.Struct, kw_only=True):
    """What became of an order that was executed. Trades and baskets have their ids once they are to be written."""

    pool: TradedPool
    user_id: int
    balance_kopecks: int
    #: The partner's float afterwards; 0 for a user's own order.
    float_balance_kopecks: int
    #: What orders that rest got by it, in the order of their trades.
    fills: Sequence[MadeTrade] = ()
    #: Of the receipt.
    body: bytes = b""

    @property
    def trades(self) -> Sequence[MadeTrade]:
        """Its trades, in the order in which they are numbered."""
        raise NotImplementedError


class Fill(Executed, kw_only=True):
    """An executed bet or sale."""

    trade: MadeTrade
    avg_price_bps: int
    #: Whether it met 100 resting orders, and went on along the curve alone.
    is_capped: bool

    @property
    def trades(self) -> Sequence[MadeTrade]:
        """Its trades, in the order in which they are numbered."""
        return (self.trade, *self.fills) if self.fills else (self.trade,)


class Placement(Executed, kw_only=True):
    """A limit order that arrived, as it was left then."""

    row: LimitOrderRow
    #: What it took on arrival.
    trade: MadeTrade | None
    #: The market's YES probability before it, and after it and what followed.
    probability_before: float
    probability_after: float

    @property
    def trades(self) -> Sequence[MadeTrade]:
        """Its trades, in the order in which they are numbered."""
        return self.fills if self.trade is None else (self.trade, *self.fills)


class BasketFill(Executed, kw_only=True):
    """An executed basket."""

    made: MadeBasket

    @property
    def trades(self) -> Sequence[MadeTrade]:
        """Its trades, in the order in which they are numbered."""
        return (*self.made.trades, *self.fills)


class OrderCancellation(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Orders after they were to be cancelled."""

    rows: Sequence[LimitOrderRow]
    #: Those of them that were open.
    cancelled: Sequence[LimitOrderRow]
    #: The partner's float; 0 for a user's own orders.
    float_balance_kopecks: int
