"""The score of a forecaster, straight from the contract's definition, in thirty digits, without the service's code."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from mpmath import mp, mpf

DAY_MS = 86_400_000
DIGITS = 30


@dataclass(frozen=True, kw_only=True)
class Stood:
    """A forecast as it is kept: of one market YES alone."""

    user: int
    probabilities: Sequence[float]
    from_ms: int
    until_ms: int | None


@dataclass(frozen=True, kw_only=True)
class Split:
    """An outcome, the last one then, that was taken out of Other."""

    at_ms: int
    outcome: int
    percent: int


@dataclass(frozen=True, kw_only=True)
class Trade:
    """A trade or fill; of a turned position too, which is none."""

    at_ms: int
    user: int
    position: int
    shares: int
    is_turn: bool = False


@dataclass(kw_only=True)
class Life:
    """All that a pool's scores depend on."""

    winner: int
    published_ms: int
    live_ms: int | None = None
    finish_ms: int | None = None
    first_finish_ms: int | None = None
    #: Of all verdicts, the first one first.
    decided_ms: Sequence[int] = ()
    pauses: list[tuple[int, int | None]] = field(default_factory=list)
    #: The YES prices of its markets, from a moment on; as many as it had then.
    prices: list[tuple[int, tuple[float, ...]]] = field(default_factory=list)
    trades: list[Trade] = field(default_factory=list)
    forecasts: list[Stood] = field(default_factory=list)
    splits: list[Split] = field(default_factory=list)
    other: int | None = None
    #: The house's own trader.
    house: int = -1
    trading: bool = True

    @property
    def whole_ms(self) -> int:
        """T."""
        end_ms = self.published_ms + 90 * DAY_MS if self.first_finish_ms is None else self.first_finish_ms
        return end_ms - self.published_ms

    def earned(self, user: int) -> tuple[mpf, mpf] | tuple[None, None]:
        """Return score and coverage, looking at each stretch in which nothing changes."""
        mp.dps = DIGITS
        total, counted = mpf(0), 0
        for from_ms, to_ms in self._stretches(user):
            # Nothing changes inside: any moment of it stands for all.
            at_ms = mpf(from_ms + to_ms) / 2
            stood = self._stood(user, at_ms)
            if stood is None or not self._counts(user, at_ms):
                continue
            f, p = self._forecast(stood, at_ms), self._price(at_ms)
            total += (to_ms - from_ms) * (mp.log(f) - mp.log(p))
            counted += to_ms - from_ms
        if not counted or self.whole_ms < DAY_MS:
            return None, None
        return 100 * total / self.whole_ms, mpf(counted) / self.whole_ms

    def _stretches(self, user: int) -> list[tuple[int, int]]:
        until_ms = self.published_ms + self.whole_ms
        moments = {self.published_ms, until_ms, *self.decided_ms, *(at_ms for at_ms, _ in self.prices)}
        moments |= {one for one in (self.live_ms, self.finish_ms) if one is not None}
        moments |= {one for pause in self.pauses for one in pause if one is not None}
        moments |= {one.at_ms for one in self.splits}
        for one in self.forecasts:
            moments |= {one.from_ms} | ({one.until_ms} if one.until_ms is not None and one.user == user else set())
        for trade in self.trades:
            moments |= {trade.at_ms} | ({trade.at_ms + DAY_MS} if trade.user == user else set())
        inside = sorted(one for one in moments if self.published_ms <= one <= until_ms)
        return list(itertools.pairwise(inside))

    def _stood(self, user: int, at_ms: mpf) -> Stood | None:
        for one in self.forecasts:
            if one.user == user and one.from_ms <= at_ms and (one.until_ms is None or at_ms < one.until_ms):
                return one
        return None

    def _counts(self, user: int, at_ms: mpf) -> bool:
        own = [trade for trade in self.trades if trade.user == user and trade.at_ms <= at_ms]
        held: dict[int, int] = {}
        for trade in own:
            held[trade.position] = held.get(trade.position, 0) + trade.shares
        return (
            at_ms < self.decided_ms[0]
            and (self.live_ms is None or at_ms >= self.live_ms)
            and (self.finish_ms is None or at_ms < self.finish_ms)
            and not any(from_ms <= at_ms and (to_ms is None or at_ms < to_ms) for from_ms, to_ms in self.pauses)
            and self._is_enough(at_ms)
            and not any(held.values())
            and not any(not trade.is_turn and at_ms - trade.at_ms < DAY_MS for trade in own)
        )

    def _is_enough(self, at_ms: mpf) -> bool:
        if not self.trading:
            return len({one.user for one in self.forecasts if one.from_ms <= at_ms}) >= 5
        traders = {one.user for one in self.trades if one.at_ms <= at_ms and not one.is_turn}
        return len(traders - {self.house}) >= 5

    def _price(self, at_ms: mpf) -> mpf:
        now = [values for from_ms, values in self.prices if from_ms <= at_ms][-1]
        return self._of_winner(raised(_sides(now)))

    def _forecast(self, one: Stood, at_ms: mpf) -> mpf:
        now = [mpf(value) for value in _sides(one.probabilities)]
        for split in self.splits:
            if split.outcome >= len(now) and split.at_ms <= at_ms:
                assert self.other is not None
                whole, share = now[self.other], mpf(split.percent) / 100
                now[self.other] = (1 - share) * whole
                now = raised([*now, share * whole])
        return self._of_winner(now)

    def _of_winner(self, values: Sequence[mpf]) -> mpf:
        if self.winner < len(values):
            return values[self.winner]
        # Both f and p of what came of Other later are the same parts of Other's.
        assert self.other is not None
        return values[self.other]


def raised(values: Sequence[float | mpf]) -> list[mpf]:
    """Return probabilities of all outcomes, none under 0.002 / n, summing to 1."""
    floor = mpf(2) / (1000 * len(values))
    found = [max(mpf(one), floor) for one in values]
    return [one / mp.fsum(found) for one in found]


def _sides(values: Sequence[float]) -> list[mpf]:
    return [mpf(values[0]), 1 - mpf(values[0])] if len(values) == 1 else [mpf(one) for one in values]
