"""The results of a replay: each market against its bounds, and the report."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table

from foreknow.commands.replay.history import History, RecordedTrade
from foreknow.kernel.currency import ROUBLES, Currency
from foreknow.money.pricing import loss_bound_kopecks, prior_weights

#: Parameters of the recorded markets: a liquidity of 100 tokens, a prior of 0.5, no fee.
B_KOPECKS = 10_000
PRIOR = 0.5
BOUND_KOPECKS = loss_bound_kopecks(b=B_KOPECKS, weights=prior_weights([PRIOR]))
#: Largest distance of the YES price from the recorded one: shares are rounded to 0.01.
PRICE_ERROR_MAX = 3e-4
#: Columns of the report in a file or a pipe.
FILE_WIDTH = 110


@dataclass(slots=True)
class ReplayedMarket:
    """One market during the replay."""

    history: History
    event_id: int
    pool_id: int
    market_id: int
    price: float = PRIOR
    price_errors: list[float] = field(default_factory=list)
    #: Sales of less than a kopeck, which the service refuses.
    too_small: int = 0
    #: Stakes less payouts of the trades.
    taken_kopecks: int = 0
    #: Change of each trader's balance.
    changes_kopecks: Counter[str] = field(default_factory=Counter)
    #: Shares held, by trader and side.
    shares: Counter[tuple[str, str]] = field(default_factory=Counter)
    won: str = ""

    def note(self, trade: RecordedTrade, answer: Mapping[str, Any]) -> None:
        """Record the result of a trade."""
        if trade.action == "buy":
            paid, shares = answer["amount_kopecks"], answer["shares"]
        else:
            paid, shares = -answer["payout_kopecks"], -answer["shares"]
        self.taken_kopecks += paid
        self.changes_kopecks[trade.trader] -= paid
        self.shares[trade.trader, trade.side] += shares
        self.price = answer["probability_after"]
        self.compare(trade)

    def compare(self, trade: RecordedTrade) -> None:
        """Record the distance of the price after a trade from the recorded one."""
        self.price_errors.append(abs(self.price - trade.recorded_price))

    def settle(self, won: str) -> None:
        """Record the side that won: 1 kopeck for each of its shares."""
        self.won = won
        for (trader, side), shares in self.shares.items():
            if side == won:
                self.changes_kopecks[trader] += shares

    @property
    def house_kopecks(self) -> int:
        """Result of the house; of a market left open, the worst case."""
        owed_kopecks = {side: sum(n for (_, held), n in self.shares.items() if held == side) for side in ("YES", "NO")}
        return self.taken_kopecks - (owed_kopecks[self.won] if self.won else max(owed_kopecks.values()))

    @property
    def within_bounds(self) -> bool:
        """Whether prices and the house's result are within their bounds."""
        return max(self.price_errors) <= PRICE_ERROR_MAX and self.house_kopecks >= -BOUND_KOPECKS


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The results of all markets."""

    markets: Sequence[ReplayedMarket]
    #: Duration of the trades.
    seconds: float
    #: Other errors, one line each.
    problems: Sequence[str]
    #: What the service's amounts are in.
    currency: Currency = ROUBLES

    @property
    def trades(self) -> int:
        """How many trades were replayed."""
        return sum(len(market.price_errors) for market in self.markets)

    @property
    def within_bounds(self) -> bool:
        """Whether there is no problem and every market is within its bounds."""
        return not self.problems and all(market.within_bounds for market in self.markets)


def show(outcome: ReplayResult, console: Console, *, audit: str) -> None:
    """Print the table of the markets and the summary; `audit` is the text for the audit's result."""
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(Group(_markets(outcome), _summary(outcome, audit)))


def _markets(outcome: ReplayResult) -> RenderableType:
    written = outcome.currency.written
    table = Table(box=box.SIMPLE)
    table.add_column("Market", no_wrap=True)
    table.add_column("Study")
    for heading in ("Trades", "Max. error", "Price", "Won", "House", "Bound", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for market in outcome.markets:
        table.add_row(
            market.history.name,
            market.history.finding.cite,
            str(len(market.price_errors)),
            f"{max(market.price_errors):.1e}",
            f"{market.price:.3f}",
            market.won or "open",
            written(market.house_kopecks) if market.won else f"≥ {written(market.house_kopecks)}",
            written(-BOUND_KOPECKS),
            "ok" if market.within_bounds else "OUTSIDE",
        )
    return table


def _summary(outcome: ReplayResult, audit: str) -> RenderableType:
    errors = [error for market in outcome.markets for error in market.price_errors]
    good = sum(market.within_bounds for market in outcome.markets)
    house = sum(market.house_kopecks for market in outcome.markets)
    bound = BOUND_KOPECKS * len(outcome.markets)
    rate = outcome.trades / outcome.seconds
    written = outcome.currency.written
    table = Table(box=box.SIMPLE, show_header=False)
    table.add_row("Markets within bounds", f"{good} of {len(outcome.markets)}")
    table.add_row("Trades", f"{outcome.trades:,} in {outcome.seconds:.1f} s, {rate:,.0f} a second")
    if too_small := sum(market.too_small for market in outcome.markets):
        table.add_row("", f"{too_small} of them sales of less than a kopeck, refused")
    table.add_row(
        "Price error",
        f"median {statistics.median(errors):.1e}, max. {max(errors):.1e}, allowed {PRICE_ERROR_MAX:.0e}",
    )
    table.add_row("House result", f"{written(house)}, bound {written(-bound)}")
    for problem in outcome.problems:
        table.add_row("Wrong", problem)
    table.add_row("Audit", audit)
    return table
