"""What arrives at a book, and what a decision and a sweep say of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from foreknow.money.pricing import Lmsr, Side
from foreknow.trading.book.queues import Book, Resting


class ArrivingBet(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Spend all of `money_kopecks`, 1 or more, the fee taken off before."""

    money_kopecks: int


class ArrivingSale(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Sell `shares`, 1 or more, for what they bring."""

    shares: int


class ArrivingLimit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Buy or sell `shares`, whole lots, at a level of `level_percent` (price of YES) or better."""

    shares: int
    level_percent: int
    #: Whether what is left rests (gtc).
    rests: bool


class Arrival(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An order that arrives: a bet, a sale or a limit order."""

    #: The id it has if it rests: above those of all orders in the book. None where it cannot rest.
    order_id: int | None = None
    user_id: int
    #: Its market, counted from 0.
    outcome: int
    side: Side
    is_buy: bool
    terms: ArrivingBet | ArrivingSale | ArrivingLimit

    @property
    def is_up(self) -> bool:
        """Whether it raises the price of YES: it buys YES or sells NO."""
        return (self.side == Side.YES) == self.is_buy


class MakerFill(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a resting order got on one arrival, or in one sweep; what it got there several times is added up."""

    #: The order as it stood before: `order.shares` − `shares` are left.
    order: Resting
    shares: int
    #: What it paid into escrow (a buy) or got from it (a sale).
    money_kopecks: int


class Cancelled(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A resting order that was cancelled, as it stood then."""

    order: Resting
    reason: Literal["self_trade", "market_limit"]


class SweepResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a sweep did."""

    #: One an order, by its first piece.
    swept: list[MakerFill]
    #: Orders that would have left more than 10^15 shares of a token sold (`market_limit`).
    cancelled: list[Cancelled]
    after: Lmsr
    book: Book
    #: False if it stopped after 50 pieces; the rest follows in the next sweep.
    is_finished: bool


class MatchDecision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What an order does. It is swept if it took shares and does not exceed the limit."""

    #: Taken on arrival.
    shares: int
    #: Paid into escrow on arrival, without fee (a bet's: all of it), or brought by a sale.
    money_kopecks: int
    #: One a resting order that it met, in the order of their trades.
    met: list[MakerFill]
    #: One an order that the sweep filled, in the order of their trades; the arriving order's rest may be among them.
    swept: list[MakerFill]
    #: Own orders that it would have met (`self_trade`), then those that the sweep cancelled (`market_limit`).
    cancelled: list[Cancelled]
    #: Whether it stopped before the 101st order: the rest of a limit order is to be cancelled (`fill_limit`).
    is_capped: bool
    #: Whether over 10^15 shares of a token would be sold: 409 `market_limit`. Then there is no sweep, and `after` and
    #: `book` are of no use.
    exceeds_limit: bool
    #: What a limit order did not take on arrival; 0 of bets and sales.
    rest_shares: int
    #: The market maker and the book after the sweep.
    after: Lmsr
    book: Book
    #: The order as it rests after the sweep; None if nothing of it does.
    resting: Resting | None
