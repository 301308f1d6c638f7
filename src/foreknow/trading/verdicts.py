"""What becomes of the orders of a batch while it is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from foreknow.kernel.errors import IdempotencyKeyReused, Refusal
from foreknow.ledger import SpentKey
from foreknow.pools.store import PoolRow
from foreknow.positions.store import OpenPosition
from foreknow.pricing import Lmsr
from foreknow.trading.orders import Fill, Order
from foreknow.trading.rules import Priced
from foreknow.web.answers import Answer, replayed

CREATED = 201
#: What an order comes to: its answer, or the refusal it met.
Outcome = Answer | Refusal


@dataclass(slots=True)
class TradedPool:
    """A locked pool while the batch trades on it."""

    row: PoolRow
    book: Lmsr
    at_ms: int
    #: The YES probability of each market now.
    probabilities: Sequence[float]
    #: What the batch did to it: (at_ms, probabilities after), and volume by market id.
    points: list[tuple[int, Sequence[float]]] = field(default_factory=list)
    volume_kopecks: dict[int, int] = field(default_factory=dict)


class Accepted(msgspec.Struct, kw_only=True):
    """An accepted order, waiting for its ids."""

    order: Order
    pool: TradedPool
    position: OpenPosition
    user_id: int
    priced: Priced
    probability_before: float
    probability_after: float
    balance_kopecks: int
    float_balance_kopecks: int
    pnl_kopecks: int
    #: How the order changed the partner's float and the sub-account; (0, 0) for a user's own order.
    statement_kopecks: tuple[int, int]
    #: The transfers it made, to be given its id.
    moves: range
    trade_id: int = 0
    body: bytes = b""

    def for_request(self, fingerprint: str) -> Accepted:
        """Return itself to a copy of its request under the same key; `IdempotencyKeyReused` to another request."""
        assert self.order.claim is not None
        if self.order.claim.fingerprint != fingerprint:
            raise IdempotencyKeyReused
        return self

    def fill(self) -> Fill:
        """Describe it for the receipt."""
        priced = self.priced
        return Fill(
            trade_id=self.trade_id,
            user_id=self.user_id,
            market_id=self.order.market_id,
            side=self.order.side,
            money_kopecks=priced.money_kopecks,
            fee_kopecks=priced.fee_kopecks,
            shares=priced.shares,
            avg_price_bps=priced.avg_price_bps,
            pnl_kopecks=self.pnl_kopecks,
            probability_before=self.probability_before,
            probability_after=self.probability_after,
            balance_kopecks=self.balance_kopecks,
            float_balance_kopecks=self.float_balance_kopecks,
            created_at_ms=self.pool.at_ms,
        )


@dataclass(frozen=True, slots=True)
class Copy:
    """An order whose key an order before it in the same batch has just spent: it gets that one's answer."""

    first: Accepted


#: How an order was decided; a `SpentKey` is an answer given in an earlier transaction.
Verdict = Accepted | Copy | SpentKey | Refusal


def outcome_of(verdict: Verdict) -> Outcome:
    """Return the answer or refusal that a verdict stands for."""
    if isinstance(verdict, Accepted):
        return Answer(verdict.body, CREATED)
    if isinstance(verdict, Copy):
        return replayed(verdict.first.body, CREATED)
    if isinstance(verdict, SpentKey):
        return replayed(verdict.body, verdict.status)
    return verdict
