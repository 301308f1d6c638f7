"""The sweep: resting orders take from the curve what it offers within their limits (rule 8)."""

from __future__ import annotations

from foreknow.money.pricing import Lmsr
from foreknow.trading.book.arrivals import SweepResult
from foreknow.trading.book.queues import Book


def sweep(market_maker: Lmsr, book: Book, *, after_outcome: int | None) -> SweepResult:
    """Sweep a pool, market after market from the one after `after_outcome`; None: from the first."""
    raise NotImplementedError
