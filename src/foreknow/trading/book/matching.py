"""Whom an order meets, and what it takes from the curve: rules 1 to 8."""

from __future__ import annotations

from foreknow.money.pricing import Lmsr
from foreknow.trading.book.arrivals import Arrival, MatchDecision
from foreknow.trading.book.queues import Book


def decide(market_maker: Lmsr, book: Book, arrival: Arrival) -> MatchDecision:
    """Decide an order whole: what it takes on arrival, what is left of it, and the sweep that follows."""
    raise NotImplementedError
