"""The prices of a pool through its life, made again from its trades, additions of liquidity and splits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foreknow.market import charts
from foreknow.market.pools.liquidity import PastTrades
from foreknow.market.pools.past import PastPrior
from foreknow.market.pools.splits import outcomes_at
from foreknow.market.pools.store import PoolRow
from foreknow.money.pricing import Lmsr, Side


class PastPrices:
    """A pool's prices from its publication on. An outcome that came of Other is part of it until then."""

    def __init__(self, pool: PoolRow, priors: Sequence[PastPrior] = ()) -> None:
        """Begin at the publication; `priors` are those that it had before the last ones."""
        self._pool = pool
        self._splits = [split.charted for split in pool.splits]
        outcomes = len(pool.markets) - len(pool.splits)
        self._q_yes, self._q_no = [0] * outcomes, [0] * outcomes
        self._trades = 0
        #: The numbers of trades after which the liquidity was raised or an outcome was taken out of Other.
        steps = [*(step.trades for step in pool.liquidity_steps()[1:]), *(split.trades for split in pool.splits)]
        self._steps = sorted(steps)
        self._next_step = 0
        self._maker = self._begun()
        #: What it had before its last priors, and until when.
        self._priors = [(prior.until_ms, _prior_prices(prior.weights, outcomes)) for prior in priors]
        self._values = self._maker.probabilities()

    def changes_besides_trades(self) -> list[int]:
        """Return from which moments on its prices were others though nothing was traded.

        At a split they stay, but what they are raised to is another.
        """
        assert self._pool.published_at_ms is not None
        return [
            self._pool.published_at_ms,
            *(until_ms for until_ms, _ in self._priors),
            *(split.at_ms for split in self._splits),
        ]

    def trade(self, changes: Iterable[tuple[int, Side, int]]) -> None:
        """Go on by a trade: by market, what was bought of a side, less what was sold. No step may lie before it."""
        self._trades += 1
        bought: list[tuple[int, Side, int]] = []
        for outcome, side, shares in changes:
            (self._q_yes if side is Side.YES else self._q_no)[outcome] += shares
            bought.append((outcome, side, shares))
            if outcome == self._pool.other_index:
                # What came of it later was bought with it.
                later = range(len(self._q_yes), len(self._pool.markets))
                bought += [(one, side, shares) for one in later]
        self._maker = self._maker.traded_together(bought)

    def step(self) -> None:
        """Pass the additions and splits that came after the last trade."""
        while self._next_step < len(self._steps) and self._steps[self._next_step] <= self._trades:
            self._next_step += 1
            outcomes = len(self._pool.markets) - sum(split.trades > self._trades for split in self._pool.splits)
            for _ in range(len(self._q_yes), outcomes):
                assert self._pool.other_index is not None
                self._q_yes.append(self._q_yes[self._pool.other_index])
                self._q_no.append(self._q_no[self._pool.other_index])
            self._maker = self._begun()

    def note(self) -> None:
        """Let the prices after the trades so far be those of now."""
        self._values = self._maker.probabilities()

    def at(self, at_ms: int) -> tuple[float, ...]:
        """Return the prices of now as its outcomes stood at a moment, one a market of then."""
        if not self._splits and not self._priors:
            return self._values
        values = next((prices for until_ms, prices in self._priors if at_ms < until_ms), self._values)
        outcomes = outcomes_at(self._pool.splits, len(self._pool.markets), at_ms=at_ms)
        return charts.as_then(values, self._splits, at_ms=at_ms)[:outcomes]

    def _begun(self) -> Lmsr:
        then = PastTrades(q_yes=tuple(self._q_yes), q_no=tuple(self._q_no), trades=self._trades)
        return self._pool.lmsr_at(then)


def _prior_prices(weights: tuple[int, ...], markets: int) -> tuple[float, ...]:
    nothing = (0,) * markets
    # They do not depend on b.
    return Lmsr.of(b=1, weights=weights, q_yes=nothing, q_no=nothing).probabilities()
