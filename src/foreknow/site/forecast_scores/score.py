"""What the forecasts of a pool earn against its prices, exactly, from changes alone. Pure.

    (100 / T) · ∫ ln(f(t) / p(t)) dt over the moments that count

f is a forecast's probability of what won, p the market's. All that changes comes once, in the order of time: a `Sweep`
keeps one integral of ln p for all, and each forecaster takes the differences of it. So a forecaster costs nothing while
nothing of theirs changes, and a trade costs as much with one forecaster as with ten thousand. Logarithms are whole
numbers of `UNITS`: sums of them are exact, and who says what the market says gets 0.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from foreknow.kernel.clock import DAY_MS
from foreknow.market.charts import ChartSplit
from foreknow.market.pools.splits import winner_then
from foreknow.site.forecasts.probabilities import after_splits, raised
from foreknow.site.forecasts.reading import Earned

#: Parts of a unit of a logarithm.
UNITS = 2**50
#: Traders of a pool, or forecasters of one that is not traded, before its prices count.
ENOUGH = 5
#: Time after a trade of theirs in which nothing of a person counts.
TRADED_MS = DAY_MS
#: T is no shorter where anything is scored.
T_MIN_MS = DAY_MS


class PoolLife(NamedTuple):
    """When what counts of a pool, Unix milliseconds."""

    #: T: from the publication to what `finish_at` was then.
    begin_ms: int
    end_ms: int
    #: When it could be traded, in order, none of it after T or the first verdict.
    open_spans: Sequence[tuple[int, int]]
    #: Of a pool that is not traded, when the fifth had said what they think, None for never; -1: its trades say it.
    enough_ms: int | None = -1


class Opined(NamedTuple):
    """What a person thought of the outcome that won, from a moment on; `log` None: nothing from then on."""

    at_ms: int
    user_id: int
    log: int | None


def log_of(probability: float) -> int:
    """Return the logarithm of a probability, in `UNITS`."""
    return round(math.log(probability) * UNITS)


def log_price(prices: Sequence[float], winner: int) -> int:
    """Return ln p of the prices of a pool's markets, raised and divided as forecasts are; of one market by side."""
    kept = raised(prices)
    sides = (kept[0], 1 - kept[0]) if len(kept) == 1 else kept
    return log_of(sides[winner])


def standing(
    probabilities: Sequence[float], *, from_ms: int, until_ms: int | None, splits: Sequence[ChartSplit] = ()
) -> list[tuple[int, tuple[float, ...]]]:
    """Return what a forecast said from which moments on while it stood; at a split it goes on by what came of it.

    `probabilities` are as kept, one a market that the pool had then.
    """
    found = [(from_ms, tuple(probabilities))]
    for index, split in enumerate(splits):
        now = found[-1][1]
        if split.outcome_index == len(now) and (until_ms is None or split.at_ms < until_ms):
            found.append((max(split.at_ms, from_ms), after_splits(now, splits[: index + 1])))
    return found


def said(
    user_id: int, stood: Sequence[tuple[int, Sequence[float]]], *, until_ms: int | None, winner: int, other: int | None
) -> list[Opined]:
    """Return what a forecast said of the winner while it stood (`standing`); of one market the other side is NO."""
    found: list[Opined] = []
    for at_ms, now in stood:
        sides = (now[0], 1 - now[0]) if len(now) == 1 else now
        found.append(Opined(at_ms, user_id, log_of(sides[winner_then(winner, len(sides), other)])))
    if until_ms is not None:
        found.append(Opined(until_ms, user_id, None))
    return found


@dataclass(slots=True)
class _Forecaster:
    #: ln f of what they think; None while they say nothing.
    log: int | None = None
    #: Shares by position, those they hold any of.
    held: dict[int, int] = field(default_factory=dict)
    #: Until when a trade of theirs keeps moments from counting.
    free_ms: int = 0
    wakes: bool = False
    #: Where the integrals stood when what counts now began: of the time, and of ln p. None: nothing counts now.
    began: tuple[int, int] | None = None
    counted_ms: int = 0
    earned: int = 0


class Sweep:
    """Goes through the life of a pool. Its methods are called in the order of time."""

    def __init__(self, life: PoolLife, forecasts: Iterable[Opined], *, uncounted: Collection[int] = ()) -> None:
        """`uncounted`: traders who are none of the five, as the house's own."""
        self._life = life
        self._uncounted = uncounted
        self._traders: set[int] = set()
        self._is_enough = False
        self._is_open = False
        self._now_ms = life.begin_ms
        #: ln p now, and over the time that counts, with that time.
        self._log = 0
        self._logs = 0
        self._counted_ms = 0
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._number = 0
        self._forecasters: dict[int, _Forecaster] = {}
        for from_ms, until_ms in life.open_spans:
            self._at(from_ms, lambda: self._set_open(is_open=True))
            self._at(until_ms, lambda: self._set_open(is_open=False))
        if life.enough_ms is not None and life.enough_ms >= 0:
            self._at(life.enough_ms, self._set_enough)
        for one in sorted(forecasts, key=lambda said: said.at_ms):
            self._forecasters.setdefault(one.user_id, _Forecaster())
            self._at(one.at_ms, partial(self._say, one))

    @property
    def is_enough(self) -> bool:
        """Whether there have been five traders, or forecasters where these count."""
        return self._is_enough

    def price(self, at_ms: int, log: int) -> None:
        """Set ln p from a moment on."""
        self._go(at_ms)
        self._log = log

    def trade(self, at_ms: int, user_id: int, changes: Iterable[tuple[int, int]]) -> None:
        """Note a trade or fill: by position, the shares bought, less those sold."""
        if not self._is_enough and self._life.enough_ms == -1 and user_id not in self._uncounted:
            self._traders.add(user_id)
            if len(self._traders) == ENOUGH:
                self._go(at_ms)
                self._set_enough()
        own = self._forecasters.get(user_id)
        if own is None:
            return
        self._go(at_ms)
        own.free_ms = max(own.free_ms, at_ms + TRADED_MS)
        self._hold(own, changes)
        if not own.wakes:
            own.wakes = True
            self._at(own.free_ms, lambda: self._wake(own))

    def turn(self, at_ms: int, user_id: int, position_id: int, shares: int) -> None:
        """Note a position that a split made; no trade."""
        own = self._forecasters.get(user_id)
        if own is not None:
            self._go(at_ms)
            self._hold(own, [(position_id, shares)])

    def earned(self) -> dict[int, Earned]:
        """Return what each forecaster earned, at the end."""
        whole_ms = self._life.end_ms - self._life.begin_ms
        self._go(max(self._now_ms, self._life.end_ms))
        found: dict[int, Earned] = {}
        for user_id, own in self._forecasters.items():
            self._stop(own)
            if own.counted_ms == 0 or whole_ms < T_MIN_MS:
                found[user_id] = Earned()
            else:
                found[user_id] = Earned(100 * own.earned / (UNITS * whole_ms), own.counted_ms / whole_ms)
        return found

    def _go(self, to_ms: int) -> None:
        while self._due and self._due[0][0] <= to_ms:
            at_ms, _, act = heapq.heappop(self._due)
            self._pass(at_ms)
            act()
        self._pass(to_ms)

    def _pass(self, to_ms: int) -> None:
        if to_ms <= self._now_ms:
            return
        if self._is_open and self._is_enough:
            took_ms = to_ms - self._now_ms
            self._counted_ms += took_ms
            self._logs += took_ms * self._log
        self._now_ms = to_ms

    def _at(self, at_ms: int, act: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._due, (at_ms, self._number, act))

    def _set_open(self, *, is_open: bool) -> None:
        self._is_open = is_open

    def _set_enough(self) -> None:
        self._is_enough = True

    def _say(self, one: Opined) -> None:
        own = self._forecasters[one.user_id]
        self._stop(own)
        own.log = one.log
        self._start(own)

    def _hold(self, own: _Forecaster, changes: Iterable[tuple[int, int]]) -> None:
        self._stop(own)
        for position_id, shares in changes:
            left = own.held.pop(position_id, 0) + shares
            if left:
                own.held[position_id] = left
        self._start(own)

    def _wake(self, own: _Forecaster) -> None:
        if own.free_ms > self._now_ms:
            self._at(own.free_ms, lambda: self._wake(own))
            return
        own.wakes = False
        self._stop(own)
        self._start(own)

    def _start(self, own: _Forecaster) -> None:
        if own.log is not None and not own.held and own.free_ms <= self._now_ms:
            own.began = self._counted_ms, self._logs

    def _stop(self, own: _Forecaster) -> None:
        if own.began is None:
            return
        assert own.log is not None
        began_ms, began_logs = own.began
        counted_ms = self._counted_ms - began_ms
        own.counted_ms += counted_ms
        own.earned += counted_ms * own.log - (self._logs - began_logs)
        own.began = None
