"""The results of a replay: each market against its bounds, and the report."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table

from foreknow.replay.history import History

#: Largest distance of the YES price from the recorded one: shares are rounded to 0.01.
PRICE_ERROR_MAX = 3e-4
#: Columns of the report in a file or a pipe.
FILE_WIDTH = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketResult:
    """One replayed market."""

    history: History
    event_id: int
    #: |our YES price − the recorded one| after each trade.
    price_errors: Sequence[float]
    #: Sales that were refused because they were worth less than a kopeck.
    too_small: int
    price: float
    #: YES or NO; "" where the market was left open.
    won: str
    #: Result of the house; for a market left open, the worst case.
    house_kopecks: int
    #: Largest possible loss of the house.
    bound_kopecks: int

    @property
    def within_bounds(self) -> bool:
        """Whether prices and the house's result are within their bounds."""
        return max(self.price_errors) <= PRICE_ERROR_MAX and self.house_kopecks >= -self.bound_kopecks


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of all markets."""

    markets: Sequence[MarketResult]
    #: Duration of the trades.
    seconds: float
    #: Other errors, one line each.
    problems: Sequence[str]

    @property
    def trades(self) -> int:
        """How many trades were replayed."""
        return sum(len(market.price_errors) for market in self.markets)

    @property
    def within_bounds(self) -> bool:
        """Whether there is no problem and every market is within its bounds."""
        return not self.problems and all(market.within_bounds for market in self.markets)


def show(outcome: Outcome, console: Console, *, audit: str) -> None:
    """Print the table of the markets and the summary; `audit` is the text for the audit's result."""
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(Group(_markets(outcome), _summary(outcome, audit)))


def _markets(outcome: Outcome) -> RenderableType:
    table = Table(box=box.SIMPLE)
    table.add_column("Market", no_wrap=True)
    table.add_column("Study")
    for heading in ("Trades", "Max. error", "Price", "Won", "House, RUB", "Bound, RUB", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for market in outcome.markets:
        table.add_row(
            market.history.name,
            market.history.finding.cite,
            str(len(market.price_errors)),
            f"{max(market.price_errors):.1e}",
            f"{market.price:.3f}",
            market.won or "open",
            _rub(market.house_kopecks) if market.won else f"≥ {_rub(market.house_kopecks)}",
            _rub(-market.bound_kopecks),
            "ok" if market.within_bounds else "OUTSIDE",
        )
    return table


def _summary(outcome: Outcome, audit: str) -> RenderableType:
    errors = [error for market in outcome.markets for error in market.price_errors]
    good = sum(market.within_bounds for market in outcome.markets)
    house = sum(market.house_kopecks for market in outcome.markets)
    bound = sum(market.bound_kopecks for market in outcome.markets)
    rate = outcome.trades / outcome.seconds
    table = Table(box=box.SIMPLE, show_header=False)
    table.add_row("Markets within bounds", f"{good} of {len(outcome.markets)}")
    table.add_row("Trades", f"{outcome.trades:,} in {outcome.seconds:.1f} s, {rate:,.0f} a second")
    if too_small := sum(market.too_small for market in outcome.markets):
        table.add_row("", f"{too_small} of them sales of less than a kopeck, refused")
    table.add_row(
        "Price error",
        f"median {statistics.median(errors):.1e}, max. {max(errors):.1e}, allowed {PRICE_ERROR_MAX:.0e}",
    )
    table.add_row("House result", f"{_rub(house)} RUB, bound {_rub(-bound)} RUB")
    for problem in outcome.problems:
        table.add_row("Wrong", problem)
    table.add_row("Audit", audit)
    return table


def _rub(kopecks: int) -> str:
    return f"{kopecks / 100:,.2f}"
