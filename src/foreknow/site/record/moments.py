"""The moments whose probabilities count of a final pool, and what they are compared with."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.market import charts
from foreknow.market.pools.splits import outcomes_at, winner_then
from foreknow.market.pools.store import PoolRow

Horizon = Literal["mid", "1h", "1d", "7d", "30d"]
HORIZONS: tuple[Horizon, ...] = get_args(Horizon)
#: How long before the end of trading; `mid` is halfway from the publication to it.
_BEFORE_END_MS: Mapping[Horizon, int] = {"1h": HOUR_MS, "1d": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS}
#: Where bins but the first begin.
BOUNDS = tuple(index / 10 for index in range(1, 10))
BINS = len(BOUNDS) + 1


@dataclass(frozen=True, slots=True)
class RecordMoment:
    """A horizon of a pool with one winner: when it was, what its markets had at first, and which of them won."""

    horizon: Horizon
    at_ms: int
    first: Sequence[float]
    won: Sequence[bool]


def moments_of(pool: PoolRow) -> list[RecordMoment]:
    """Return the moments of a finally resolved pool that it was old enough for; none where it has no one winner.

    A list is as it then stood: what came later is Other's, its winner too.
    """
    decision = pool.decision
    if decision is None or decision.resolution.winner is None or pool.published_at_ms is None:
        return []
    begin_ms = pool.published_at_ms
    end_ms = min(one for one in (pool.first_decided_at_ms, pool.finish_at_ms) if one is not None)
    splits = [split.charted for split in pool.splits]
    first = charts.filled(pool.liquidity_steps()[0].probabilities, splits)
    found: list[RecordMoment] = []
    for horizon in HORIZONS:
        at_ms = (begin_ms + end_ms) // 2 if horizon == "mid" else end_ms - _BEFORE_END_MS[horizon]
        if at_ms >= begin_ms or horizon == "mid":
            outcomes = outcomes_at(pool.splits, len(pool.markets), at_ms=at_ms)
            winner = winner_then(decision.resolution.winner, outcomes, pool.other_index)
            then = charts.as_then(first, splits, at_ms=at_ms)[:outcomes]
            found.append(RecordMoment(horizon, at_ms, then, [index == winner for index in range(outcomes)]))
    return found


def bin_of(probability: float) -> int:
    """Return the number of a probability's bin, from 0."""
    return bisect_right(BOUNDS, probability)
