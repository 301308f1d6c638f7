"""Whom an order meets, and what it takes from the curve (rules 1 to 7); then the sweep (rule 8).

An order goes by *turns*: a piece of the curve up to the resting price, then lots at the resting price. What is left
when there is no turn goes on the curve in one last piece.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, NamedTuple

import msgspec

from foreknow.money.pricing import Q_LIMIT, Lmsr, Side
from foreknow.trading.book.arrivals import (
    Arrival,
    ArrivingBet,
    ArrivingLimit,
    ArrivingSale,
    Cancelled,
    MakerFill,
    MatchDecision,
    SweepResult,
)
from foreknow.trading.book.queues import LOT_SHARES, Book, Resting

#: Most pieces of a sweep; an order cancelled at the limit of its token counts as one.
PIECES_MAX: Final = 50
#: In percent: farther apart, a price in floats and a level are in their exact order.
_NEAR: Final = 1e-6


def sweep(market_maker: Lmsr, book: Book, *, after_outcome: int | None) -> SweepResult:
    """Sweep a pool, market after market from the one after `after_outcome`; None: from the first."""
    markets = book.markets
    outcome = 0 if after_outcome is None else (after_outcome + 1) % markets
    fills: dict[int, MakerFill] = {}
    cancelled: list[Cancelled] = []
    prices = market_maker.probabilities()
    ups, downs = book.best_levels()
    in_vain = pieces = 0
    while in_vain < markets and pieces < PIECES_MAX:
        percent = 100.0 * prices[outcome]
        found = None
        if ups[outcome] > percent - _NEAR or downs[outcome] < percent + _NEAR:
            found = _next_piece(market_maker, book, outcome)
        if found is None:
            in_vain += 1
            outcome = (outcome + 1) % markets
            continue
        in_vain = 0
        pieces += 1
        order, shares = found
        after = market_maker.traded(outcome, order.side, shares if order.is_buy else -shares)
        if abs(after.q(outcome)[order.side == Side.NO]) > Q_LIMIT:
            cancelled.append(Cancelled(order=order, reason="market_limit"))
            book = book.without((order,))
        else:
            fill = MakerFill(order=order, shares=shares, money_kopecks=_piece_kopecks(market_maker, order, shares))
            record(fills, fill)
            market_maker, book = after, book.taken((order,), shares)
            prices = market_maker.probabilities()
        ups, downs = book.best_levels()
    return SweepResult(
        swept=list(fills.values()), cancelled=cancelled, after=market_maker, book=book, is_finished=in_vain == markets
    )


def record(fills: dict[int, MakerFill], fill: MakerFill) -> None:
    """Add what an order got to what it got before."""
    before = fills.get(fill.order.id)
    fills[fill.order.id] = (
        fill
        if before is None
        else msgspec.structs.replace(
            before, shares=before.shares + fill.shares, money_kopecks=before.money_kopecks + fill.money_kopecks
        )
    )


def _next_piece(market_maker: Lmsr, book: Book, outcome: int) -> tuple[Resting, int] | None:
    """Return the best order of a market that can take a lot from the curve, and the shares it takes: all it can."""
    for is_up in (True, False):
        order = book.best(outcome, is_up=is_up)
        if order is not None:
            shares = shares_within(market_maker, outcome, is_up=is_up, level_percent=order.level_percent)
            shares = min(shares - shares % LOT_SHARES, order.shares)
            if shares > 0:
                return order, shares
    return None


def shares_within(market_maker: Lmsr, outcome: int, *, is_up: bool, level_percent: int) -> int:
    """Return the most whole shares that an order takes from the curve before it passes a level; 0 past it."""
    shares = (
        market_maker.shares_to_percent(outcome, Side.YES, level_percent)
        if is_up
        else market_maker.shares_to_percent(outcome, Side.NO, 100 - level_percent)
    )
    return max(0, shares)


def _piece_kopecks(market_maker: Lmsr, order: Resting, shares: int) -> int:
    if order.is_buy:
        return market_maker.cost_kopecks(order.outcome, order.side, shares)
    return market_maker.sale_payout_kopecks(order.outcome, order.side, shares)


#: Most different orders that one order meets, its trader's own included.
ORDERS_MAX: Final = 100


def decide(market_maker: Lmsr, book: Book, arrival: Arrival) -> MatchDecision:
    """Decide an order whole: what it takes on arrival, what is left of it, and the sweep that follows."""
    taker = _taker(market_maker, book, arrival)
    taker.take()
    after, book = taker.market_maker, taker.book
    exceeds_limit = not after.within_limit()
    resting = taker.rest()
    if resting is not None:
        book = book.added(resting)
    swept: list[MakerFill] = []
    cancelled = taker.cancelled
    if taker.shares and not exceeds_limit:
        result = sweep(after, book, after_outcome=arrival.outcome)
        after, book, swept = result.after, result.book, result.swept
        cancelled = [*cancelled, *result.cancelled]
        if resting is not None:
            resting = book.find(resting)
    return MatchDecision(
        shares=taker.shares,
        money_kopecks=taker.money_kopecks,
        met=list(taker.met.values()),
        swept=swept,
        cancelled=cancelled,
        is_capped=taker.is_capped,
        exceeds_limit=exceeds_limit,
        rest_shares=taker.rest_shares,
        after=after,
        book=book,
        resting=resting,
    )


def _taker(market_maker: Lmsr, book: Book, arrival: Arrival) -> _Taker:
    match arrival.terms:
        case ArrivingBet(money_kopecks=money_kopecks):
            return _BetTaker(market_maker, book, arrival, money_kopecks)
        case ArrivingSale(shares=shares):
            return _SaleTaker(market_maker, book, arrival, shares)
        case ArrivingLimit() as terms:
            return _LimitTaker(market_maker, book, arrival, terms)


class _Turn(NamedTuple):
    orders: list[Resting]
    level_percent: int
    piece_shares: int
    lots: int


class _Taker(ABC):
    """An order on its way: what it has taken so far, and the market maker and the book at this point."""

    def __init__(self, market_maker: Lmsr, book: Book, arrival: Arrival) -> None:
        self.market_maker = market_maker
        self.book = book
        self.arrival = arrival
        self.is_up = arrival.is_up
        #: Taken so far, paid or brought.
        self.shares = 0
        self.money_kopecks = 0
        self.met: dict[int, MakerFill] = {}
        self.cancelled: list[Cancelled] = []
        self.is_capped = False

    def take(self) -> None:
        """Take turn after turn, then the last piece."""
        while self._has_left() and (turn := self._next_turn()) is not None:
            # Own orders that were cancelled are not met, and so not counted twice.
            others = sum(order.id not in self.met for order in turn.orders)
            if len(self.met) + len(self.cancelled) + others > ORDERS_MAX:
                self.is_capped = True
                break
            own = [order for order in turn.orders if order.user_id == self.arrival.user_id]
            if own:
                self.cancelled += [Cancelled(order=order, reason="self_trade") for order in own]
                self.book = self.book.without(own)
            else:
                self._take_turn(turn)
        if self._has_left():
            self._take_last_piece()

    @property
    def rest_shares(self) -> int:
        """What a limit order did not take; 0 of others."""
        return 0

    def rest(self) -> Resting | None:
        """Return what is left of it as it rests; None if nothing does."""
        return None

    def _next_turn(self) -> _Turn | None:
        """Return the next turn; None where no lot can be had at the resting price."""
        outcome = self.arrival.outcome
        resting = self.book.resting_price(outcome, is_up=self.is_up)
        if resting is None or not self._allows(resting.level_percent):
            return None
        piece_shares, lots_max = self._piece_before(resting.level_percent)
        if lots_max < 1:
            return None
        orders = self.book.met(outcome, is_up=self.is_up, is_set=resting.is_set)
        lots = min(lots_max, min([order.shares for order in orders]) // LOT_SHARES)
        return _Turn(orders, resting.level_percent, piece_shares, lots)

    def _take_turn(self, turn: _Turn) -> None:
        piece_kopecks = self._piece_kopecks(turn.piece_shares)
        shares = turn.lots * LOT_SHARES
        trades = [self._trade(turn.piece_shares + shares)]
        for order in turn.orders:
            money_kopecks = turn.lots * order.price_percent
            record(self.met, MakerFill(order=order, shares=shares, money_kopecks=money_kopecks))
            trades.append((order.outcome, order.side, shares if order.is_buy else -shares))
        self.market_maker = self.market_maker.traded_together(trades)
        self.book = self.book.taken(turn.orders, shares)
        self._pay(turn.piece_shares + shares, piece_kopecks + turn.lots * self._price_percent(turn.level_percent))

    def _price_percent(self, level_percent: int) -> int:
        """Return the price of its own side at a level: kopecks a lot."""
        return level_percent if self.arrival.side == Side.YES else 100 - level_percent

    def _shares_within(self, level_percent: int) -> int:
        return shares_within(self.market_maker, self.arrival.outcome, is_up=self.is_up, level_percent=level_percent)

    def _piece_kopecks(self, shares: int) -> int:
        """Return what a piece of the curve costs or brings."""
        arrival = self.arrival
        if arrival.is_buy:
            return self.market_maker.cost_kopecks(arrival.outcome, arrival.side, shares)
        return self.market_maker.sale_payout_kopecks(arrival.outcome, arrival.side, shares)

    def _trade(self, shares: int) -> tuple[int, Side, int]:
        return self.arrival.outcome, self.arrival.side, shares if self.arrival.is_buy else -shares

    def _take_piece(self, shares: int, money_kopecks: int) -> None:
        self.market_maker = self.market_maker.traded(*self._trade(shares))
        self._pay(shares, money_kopecks)

    def _allows(self, level_percent: int) -> bool:
        return True

    @abstractmethod
    def _has_left(self) -> bool: ...

    @abstractmethod
    def _piece_before(self, level_percent: int) -> tuple[int, int]:
        """Return the shares of the curve up to a resting price, and the most lots it can take there after them."""

    @abstractmethod
    def _pay(self, shares: int, money_kopecks: int) -> None:
        """Count what was taken."""

    @abstractmethod
    def _take_last_piece(self) -> None: ...


class _BetTaker(_Taker):
    """A bet: it spends its money whole."""

    def __init__(self, market_maker: Lmsr, book: Book, arrival: Arrival, money_kopecks: int) -> None:
        super().__init__(market_maker, book, arrival)
        self.money_left = money_kopecks
        #: The shares that it buys from the curve alone, once they are computed.
        self.covered: int | None = None

    def _has_left(self) -> bool:
        return self.money_left > 0

    def _piece_before(self, level_percent: int) -> tuple[int, int]:
        covered = self._covered_shares()
        shares = self._shares_within(level_percent)
        # Money for the piece and no share more leaves less than a kopeck, which pays for no lot.
        if covered <= shares:
            return shares, 0
        return shares, (self.money_left - self._piece_kopecks(shares)) // self._price_percent(level_percent)

    def _pay(self, shares: int, money_kopecks: int) -> None:
        self.shares += shares
        self.money_kopecks += money_kopecks
        self.money_left -= money_kopecks
        self.covered = None

    def _take_last_piece(self) -> None:
        self._take_piece(self._covered_shares(), self.money_left)

    def _covered_shares(self) -> int:
        if self.covered is None:
            self.covered = self.market_maker.shares_bought(self.arrival.outcome, self.arrival.side, self.money_left)
        return self.covered


class _SharesTaker(_Taker):
    """An order of a number of shares."""

    def __init__(self, market_maker: Lmsr, book: Book, arrival: Arrival, shares: int) -> None:
        super().__init__(market_maker, book, arrival)
        self.shares_left = shares

    def _has_left(self) -> bool:
        return self.shares_left > 0

    def _piece_before(self, level_percent: int) -> tuple[int, int]:
        shares = min(self.shares_left, self._shares_within(level_percent))
        return shares, (self.shares_left - shares) // LOT_SHARES

    def _pay(self, shares: int, money_kopecks: int) -> None:
        self.shares += shares
        self.money_kopecks += money_kopecks
        self.shares_left -= shares


class _SaleTaker(_SharesTaker):
    """A sale: it sells its shares whole."""

    def _take_last_piece(self) -> None:
        self._take_piece(self.shares_left, self._piece_kopecks(self.shares_left))


class _LimitTaker(_SharesTaker):
    """A limit order, a buy or a sale: whole lots at its level or better."""

    def __init__(self, market_maker: Lmsr, book: Book, arrival: Arrival, terms: ArrivingLimit) -> None:
        super().__init__(market_maker, book, arrival, terms.shares)
        self.terms = terms

    @property
    def rest_shares(self) -> int:
        return self.shares_left

    def rest(self) -> Resting | None:
        if not self.terms.rests or not self.shares_left or self.is_capped:
            return None
        arrival = self.arrival
        assert arrival.order_id is not None
        return Resting(
            id=arrival.order_id,
            user_id=arrival.user_id,
            outcome=arrival.outcome,
            side=arrival.side,
            is_buy=arrival.is_buy,
            level_percent=self.terms.level_percent,
            shares=self.shares_left,
        )

    def _allows(self, level_percent: int) -> bool:
        limit = self.terms.level_percent
        return level_percent <= limit if self.is_up else level_percent >= limit

    def _shares_within(self, level_percent: int) -> int:
        shares = super()._shares_within(level_percent)
        return shares - shares % LOT_SHARES

    def _take_last_piece(self) -> None:
        if not self.is_capped:
            shares = min(self.shares_left, self._shares_within(self.terms.level_percent))
            if shares:
                self._take_piece(shares, self._piece_kopecks(shares))
