"""Results of orders while their batch is executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from foreknow.kernel.errors import DomainError, IdempotencyKeyReused
from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.store import PricedPool
from foreknow.money.ledger import IdempotencyRecord, Transfer
from foreknow.money.pricing import Lmsr
from foreknow.trading.desk.execution import PricedOrder
from foreknow.trading.desk.orders import Fill, Order
from foreknow.trading.positions.store import OpenPosition

CREATED = 201


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """The response to an executed order: its encoded body. `replayed`: an earlier request was executed."""

    body: bytes
    status: int = CREATED
    replayed: bool = False


#: An order's receipt or error.
OrderResponse = Receipt | DomainError


@dataclass(slots=True)
class TradedPool:
    """A locked pool while the batch trades in it."""

    row: PricedPool
    market_maker: Lmsr
    at_ms: int
    #: The YES probability of each market now.
    probabilities: Sequence[float]
    #: The batch's changes: (at_ms, probabilities after), and volume by market id.
    points: list[tuple[int, Sequence[float]]] = field(default_factory=list)
    volume_kopecks: dict[int, int] = field(default_factory=dict)
    #: `row_after`, once it was asked for.
    _row_after: PricedPool | None = None

    @classmethod
    def of(cls, row: PricedPool, now_ms: int) -> TradedPool:
        """Return a locked pool as it is before the first order of a batch at this time."""
        market_maker = row.lmsr()
        return cls(row, market_maker, max(now_ms, row.last_trade_at_ms or 0), market_maker.probabilities())

    def row_after(self) -> PricedPool:
        """Return the row after the batch's trades, of which there are no more once it was asked for."""
        row = self.row
        if not self.points:
            return row
        if self._row_after is not None:
            return self._row_after
        self._row_after = replace(
            row,
            volume_kopecks=row.volume_kopecks + sum(self.volume_kopecks.values()),
            trade_count=row.trade_count + len(self.points),
            last_trade_at_ms=self.at_ms,
            markets=tuple(map(self._market_after, row.markets)),
        )
        return self._row_after

    def for_next(self, now_ms: int) -> TradedPool:
        """Return the pool for a batch at this time, once this one is written."""
        row = self.row_after()
        return TradedPool(row, self.market_maker, max(now_ms, row.last_trade_at_ms or 0), self.probabilities)

    def _market_after(self, market: MarketRow) -> MarketRow:
        volume_kopecks = self.volume_kopecks.get(market.id)
        if volume_kopecks is None:
            return market
        q_yes, q_no = self.market_maker.q(market.outcome_index)
        return replace(market, q_yes=q_yes, q_no=q_no, volume_kopecks=market.volume_kopecks + volume_kopecks)


class Execution(msgspec.Struct, kw_only=True):
    """An executed order before it is written."""

    order: Order
    pool: TradedPool
    position: OpenPosition
    user_id: int
    priced: PricedOrder
    probability_before: float
    probability_after: float
    balance_kopecks: int
    float_balance_kopecks: int
    pnl_kopecks: int
    #: Whether it sold the position's last share.
    closes: bool
    #: Changes of the partner's float and of the sub-account; (0, 0) for a user's own order.
    statement_kopecks: tuple[int, int]
    #: Its transfers, which get its trade id.
    transfers: list[Transfer]
    #: The ledger account that pays or is paid.
    account_id: int
    trade_id: int = 0
    #: The trader's trade before this one.
    previous_trade_id: int | None = None
    body: bytes = b""

    def for_request(self, fingerprint: str) -> Execution:
        """Return this execution for a copy of its request; `IdempotencyKeyReused` for another with its key."""
        assert self.order.idempotency_key is not None
        if self.order.idempotency_key.fingerprint != fingerprint:
            raise IdempotencyKeyReused
        return self

    def fill(self) -> Fill:
        """Return the fill for the receipt."""
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
class DuplicateOrder:
    """An order with the idempotency key of an earlier order in the same batch: it gets that order's receipt."""

    original: Execution


#: The result of an order; an `IdempotencyRecord` replays an earlier transaction.
ExecutionResult = Execution | DuplicateOrder | IdempotencyRecord | DomainError


def outcome_of(result: ExecutionResult) -> OrderResponse:
    """Return the receipt or error of a result."""
    if isinstance(result, Execution):
        return Receipt(result.body)
    if isinstance(result, DuplicateOrder):
        return Receipt(result.original.body, replayed=True)
    if isinstance(result, IdempotencyRecord):
        return Receipt(result.body, result.status, replayed=True)
    return result
