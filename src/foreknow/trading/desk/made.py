"""What the orders of a batch make: the pools that they move, trades and baskets, before they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.store import PricedPool
from foreknow.money.ledger import Transfer
from foreknow.money.pricing import Lmsr, Side
from foreknow.money.statements import StatementLine
from foreknow.trading.book import Book
from foreknow.trading.desk.resting import PoolBook
from foreknow.trading.positions.store import OpenPosition

#: How a leg came to be: bet on, outside of a condition (there the stake comes back), or named with its shares.
LegKind: TypeAlias = Literal["stake", "back", "change"]


@dataclass(slots=True)
class TradedPool:
    """A locked pool while the batch trades in it."""

    row: PricedPool
    market_maker: Lmsr
    at_ms: int
    #: The YES probability of each market now.
    probabilities: Sequence[float]
    #: The same before the batch's first trade.
    before: Sequence[float]
    #: The batch's changes: (at_ms, probabilities after), and volume by market id.
    points: list[tuple[int, Sequence[float]]] = field(default_factory=list)
    volume_kopecks: dict[int, int] = field(default_factory=dict)
    #: Its resting orders; None where there are none.
    resting: PoolBook | None = None
    #: The account that holds their money; None where it was not needed.
    orders_account_id: int | None = None
    #: How many orders came to rest less those that left.
    opened_orders: int = 0

    @classmethod
    def of(cls, row: PricedPool, now_ms: int) -> TradedPool:
        """Return a locked pool as it is before the first order of a batch at this time."""
        market_maker = row.lmsr()
        probabilities = market_maker.probabilities()
        return cls(row, market_maker, max(now_ms, row.last_trade_at_ms or 0), probabilities, probabilities)

    @property
    def book(self) -> Book | None:
        """The orders that an order may meet; None where none rest."""
        return None if self.resting is None else self.resting.book

    @property
    def volume_kopecks_after(self) -> int:
        """The pool's volume after the batch's trades."""
        return self.row.volume_kopecks + sum(self.volume_kopecks.values())

    @property
    def trade_count_after(self) -> int:
        """The pool's number of trades after those of the batch."""
        return self.row.trade_count + len(self.points)

    @property
    def last_trade_at_ms_after(self) -> int | None:
        """When the pool was last traded in, after the batch's trades."""
        return self.at_ms if self.points else self.row.last_trade_at_ms

    @property
    def open_orders_after(self) -> int:
        """How many orders rest after the batch."""
        return self.row.open_orders + self.opened_orders

    def markets_after(self) -> Iterator[tuple[int, int, int, int]]:
        """Return volume, shares of YES and of NO, and id of each market that was traded, after the batch's trades."""
        for market in self.row.markets:
            volume_kopecks = self.volume_kopecks.get(market.id)
            if volume_kopecks is not None:
                yield (market.volume_kopecks + volume_kopecks, *self.market_maker.q(market.outcome_index), market.id)

    def row_after(self) -> PricedPool:
        """Return the row after the batch's trades."""
        row = self.row
        if not self.points and not self.opened_orders:
            return row
        traded = {market_id: (volume_kopecks, *q) for volume_kopecks, *q, market_id in self.markets_after()}
        return replace(
            row,
            open_orders=self.open_orders_after,
            volume_kopecks=self.volume_kopecks_after,
            trade_count=self.trade_count_after,
            last_trade_at_ms=self.last_trade_at_ms_after,
            markets=tuple(_after(market, traded.get(market.id)) for market in row.markets),
        )

    def for_next(self, now_ms: int) -> TradedPool:
        """Return the pool for a batch at this time, once this one is written."""
        row = self.row_after()
        at_ms = max(now_ms, row.last_trade_at_ms or 0)
        resting = self.resting
        # The next batch gives no transaction to a book in which nothing rests.
        if not row.open_orders or (resting is not None and resting.is_worn):
            resting = None
        return TradedPool(
            row,
            self.market_maker,
            at_ms,
            self.probabilities,
            self.probabilities,
            resting=resting,
            orders_account_id=self.orders_account_id,
        )

    def add_trade(self, market_id: int, money_kopecks: int) -> None:
        """Count a trade at the present prices."""
        self.points.append((self.at_ms, self.probabilities))
        self.volume_kopecks[market_id] = self.volume_kopecks.get(market_id, 0) + money_kopecks

    def add_piece(self, legs: Iterable[MadeLeg]) -> None:
        """Count a trade in several markets at the present prices; each that it moved is counted, if for nothing."""
        self.points.append((self.at_ms, self.probabilities))
        for leg in legs:
            self.volume_kopecks[leg.market_id] = self.volume_kopecks.get(leg.market_id, 0) + leg.money_kopecks

    def move_to(self, market_maker: Lmsr, probabilities: Sequence[float] | None = None) -> None:
        """Change its prices, to `probabilities` where they are computed already."""
        self.market_maker = market_maker
        self.probabilities = market_maker.probabilities() if probabilities is None else probabilities

    def outcome_of(self, market_id: int) -> int:
        """Return the place of one of its markets."""
        return next(market.outcome_index for market in self.row.markets if market.id == market_id)


def _after(market: MarketRow, changed: tuple[int, ...] | None) -> MarketRow:
    if changed is None:
        return market
    volume_kopecks, q_yes, q_no = changed
    return replace(market, q_yes=q_yes, q_no=q_no, volume_kopecks=volume_kopecks)


class FilledLeg(NamedTuple):
    """What a basket did in one market: `shares` are below 0 where it sold."""

    market_id: int
    shares: int
    #: Its part of the payout, or of cost and fee.
    amount_kopecks: int
    #: None of a purchase.
    pnl_kopecks: int | None


class MadeLeg(msgspec.Struct, kw_only=True):
    """What a basket's trade does in one market."""

    market_id: int
    kind: LegKind
    position: OpenPosition
    shares: int
    money_kopecks: int
    pnl_kopecks: int = 0


class MadeTrade(msgspec.Struct, kw_only=True):
    """A trade before it is written: what an order did on arrival, or what a resting one got."""

    pool: TradedPool
    market_id: int
    side: Side
    is_buy: bool
    position: OpenPosition
    user_id: int
    #: Of a trade on arrival: the ledger account that pays or is paid.
    account_id: int = 0
    #: The stake, fee included, or the payout.
    money_kopecks: int
    fee_kopecks: int = 0
    shares: int
    pnl_kopecks: int = 0
    #: How many positions it sold the last share of.
    closes: int = 0
    probability_before: float = 0.0
    probability_after: float = 0.0
    #: Its transfers, which get its id.
    transfers: list[Transfer]
    #: Of a limit order.
    order_id: int | None = None
    #: Whether that rested.
    is_maker: bool = False
    #: Of a partner's user: the partner, and the line of its statement, which gets the trade's id.
    partner_id: int | None = None
    line: StatementLine | None = None
    trade_id: int = 0
    #: The trader's trade before this one, of those on arrival.
    previous_trade_id: int | None = None
    #: Of a basket: which, and what it does in each market, of which the trade names one.
    basket: MadeBasket | None = None
    legs: Sequence[MadeLeg] = ()

    @property
    def shares_change(self) -> int:
        """What it adds to the shares outstanding."""
        shares = sum(leg.shares for leg in self.legs) if self.legs else self.shares
        return shares if self.is_buy else -shares

    @property
    def positions(self) -> Sequence[OpenPosition]:
        """The positions that it changed."""
        return [leg.position for leg in self.legs] if self.legs else (self.position,)


class MadeBasket(msgspec.Struct, kw_only=True):
    """A basket before it is written. `cost_kopecks` is without the fee."""

    pool: TradedPool
    user_id: int
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
    #: Its purchase, then its sale.
    trades: Sequence[MadeTrade] = ()
    #: Of a partner's user: the line of the partner's statement, which gets its id.
    line: StatementLine | None = None
    id: int = 0
    #: What is kept of its answer, JSON.
    body: bytes = b""

    @property
    def net_kopecks(self) -> int:
        """What came in; below 0: what was paid."""
        return self.payout_kopecks - self.cost_kopecks - self.fee_kopecks
