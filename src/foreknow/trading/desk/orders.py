"""Orders and fills: msgspec structs, since thousands are created per second."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.money.pricing import Side


class Buy(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Spend `stake_kopecks`, fee included, on as many whole shares as it covers."""

    stake_kopecks: int
    min_shares: int | None = None
    max_price_bps: int | None = None


class Sell(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Sell `shares` (None: the whole position) for the whole kopecks they are worth."""

    shares: int | None = None
    min_payout_kopecks: int | None = None


class Fill(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The result of an executed order: `money_kopecks` is the stake of a buy, fee included, or the payout of a sale."""

    trade_id: int
    user_id: int
    market_id: int
    side: Side
    money_kopecks: int
    fee_kopecks: int
    shares: int
    avg_price_bps: int
    pnl_kopecks: int
    probability_before: float
    probability_after: float
    balance_kopecks: int
    #: The partner's float afterwards; 0 for a user's own order.
    float_balance_kopecks: int
    created_at_ms: int


class Order(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An order for the desk. `receipt` converts its fill into the response body."""

    caller: UserCaller | PartnerCaller
    #: The partner's user; None for a user's own order.
    external_user_id: str | None = None
    market_id: int
    side: Side
    terms: Buy | Sell
    #: Whether it is refused to the creator of its market's event.
    not_by_creator: bool = False
    idempotency_key: IdempotencyKey | None
    receipt: Callable[[Fill], msgspec.Struct]
