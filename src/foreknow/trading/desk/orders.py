"""Orders and fills: msgspec structs, since thousands are created per second."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.limit_orders.order import LimitOrderRow, TimeInForce


class Buy(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Spend `stake_kopecks`, fee included, on as many whole shares as it covers."""

    stake_kopecks: int
    min_shares: int | None = None
    max_price_bps: int | None = None


class Sell(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Sell `shares` (None: the whole position) for the whole kopecks they are worth."""

    shares: int | None = None
    min_payout_kopecks: int | None = None


class LimitTerms(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Buy or sell `shares`, whole lots, at a price of `price_bps` of the side or better."""

    is_buy: bool
    shares: int
    price_bps: int
    time_in_force: TimeInForce = "gtc"
    post_only: bool = False
    expires_at_ms: int | None = None

    @property
    def rests(self) -> bool:
        """Whether what is not filled at once rests."""
        return self.time_in_force == "gtc"


class CancelTerms(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Cancel orders of one pool, and pay out what is owed for those that have ended, too."""

    order_ids: tuple[int, ...]
    #: Who placed them.
    owners: tuple[SubAccount, ...]


class BasketStake(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Spend `stake_kopecks`, fee included, on as many shares of each of some markets; back unless `given` holds."""

    market_ids: tuple[int, ...]
    #: A larger set of the pool's markets; None for all.
    given: tuple[int, ...] | None = None
    stake_kopecks: int
    min_shares: int | None = None

    @property
    def named_ids(self) -> tuple[int, ...]:
        """All markets that it names."""
        return self.market_ids if self.given is None else self.given

    @property
    def sells(self) -> bool:
        """Whether it sells anything."""
        return False


class BasketChanges(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Buy shares of some markets, then sell shares of others."""

    #: By market: shares, below 0 to sell.
    changes: Mapping[int, int]
    min_net_kopecks: int | None = None

    @property
    def named_ids(self) -> tuple[int, ...]:
        """All markets that it names."""
        return tuple(self.changes)

    @property
    def sells(self) -> bool:
        """Whether it sells anything."""
        return min(self.changes.values()) < 0


BasketTerms: TypeAlias = BasketStake | BasketChanges
#: Legs of a basket that take about as long as a bet.
LEGS_OF_A_BET = 8

#: What a request of the desk is to do.
OrderTerms: TypeAlias = Buy | Sell | LimitTerms | CancelTerms | BasketTerms


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
    #: Whether it met 100 resting orders, and went on along the curve alone.
    is_capped: bool
    created_at_ms: int


class FilledLeg(NamedTuple):
    """What a basket did in one market: `shares` are below 0 where it sold."""

    market_id: int
    shares: int
    #: Its part of the payout, or of cost and fee.
    amount_kopecks: int
    #: None of a purchase.
    pnl_kopecks: int | None


class BasketFill(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The result of an executed basket. `cost_kopecks` is without the fee."""

    basket_id: int
    user_id: int
    pool_id: int
    #: In the order of outcomes.
    legs: Sequence[FilledLeg]
    payout_kopecks: int
    cost_kopecks: int
    fee_kopecks: int
    #: Of a stake; None of changes.
    avg_price_bps: int | None
    #: Of all markets of the pool, before what followed of resting orders.
    probabilities_before: Sequence[float]
    probabilities_after: Sequence[float]
    balance_kopecks: int
    #: The partner's float afterwards; 0 for a user's own basket.
    float_balance_kopecks: int
    created_at_ms: int
    #: What is kept of the answer, JSON.
    body: bytes = b""


class Placement(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What became of a limit order that arrived."""

    row: LimitOrderRow
    #: The trade of what it took on arrival; None for nothing.
    trade_id: int | None
    probability_before: float
    probability_after: float
    balance_kopecks: int
    #: The partner's float afterwards; 0 for a user's own order.
    float_balance_kopecks: int


class OrderCancellation(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Orders after they were to be cancelled."""

    rows: Sequence[LimitOrderRow]
    #: Those of them that were open.
    cancelled: Sequence[LimitOrderRow]
    #: The partner's float; 0 for a user's own orders.
    float_balance_kopecks: int


class Order(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An order for the desk, or the cancelling of some. `receipt` makes the response body of what became of it."""

    caller: UserCaller | PartnerCaller
    #: The partner's user; None for a user's own order, and for the cancelling of several users' orders.
    external_user_id: str | None = None
    #: Of a basket: one of its markets.
    market_id: int
    side: Side
    terms: OrderTerms
    #: Whether it is refused to the creator of its market's event.
    not_by_creator: bool = False
    #: How many outcomes the caller knows of the pool, which is refused if it has another number.
    outcomes: int | None = None
    idempotency_key: IdempotencyKey | None
    receipt: Callable[[Any], msgspec.Struct | msgspec.Raw]


def weight_of(terms: OrderTerms) -> int:
    """Return how much of a batch an order takes, in bets, beside what it fills of resting orders."""
    if isinstance(terms, Buy) or not isinstance(terms, (BasketStake, BasketChanges)):
        return 1
    return 1 + terms.sells + len(terms.named_ids) // LEGS_OF_A_BET
