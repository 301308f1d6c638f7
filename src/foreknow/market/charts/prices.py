"""A pool's prices: the input of the charts; and those of a list from before outcomes were taken out of its Other.

Stored prices have one entry for each outcome of then (docs/lists.md). Compared with later ones, a new outcome had its
part of Other's price, and Other the rest (`filled`); in charts Other is whole there, and the new one 0 (`as_then`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentPrices:
    """A pool's current YES probabilities, one per market.

    `since_ms` (Unix milliseconds): the newest trade, or the publication if there is none.
    """

    probabilities: Sequence[float]
    since_ms: int
    #: Of a list: the outcomes that were taken out of its Other, oldest first.
    splits: Sequence[ChartSplit] = ()


@dataclass(frozen=True, slots=True)
class PoolPoint:
    """The YES probabilities of all markets at `at_ms` (Unix milliseconds)."""

    at_ms: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolTrades:
    """One batch's trades of one pool, in order.

    `before` is the pool's state when locked. `points` holds (Unix milliseconds, probabilities after it) of each trade,
    numbered in the pool from `first_ordinal` (1 for its first trade).
    """

    pool_id: int
    first_ordinal: int
    before: CurrentPrices
    points: Sequence[tuple[int, Sequence[float]]]


class ChartSplit(NamedTuple):
    """An outcome that was taken out of Other: when, which, how much of it, and its first price."""

    at_ms: int
    outcome_index: int
    share: float
    probability: float


def filled(values: Sequence[float], splits: Sequence[ChartSplit]) -> tuple[float, ...]:
    """Return prices of then with an entry for each outcome that came since; `splits` are all, oldest first."""
    if not splits or len(values) > splits[-1].outcome_index:
        return tuple(values)
    other = splits[0].outcome_index - 1
    found = list(values)
    for split in splits:
        if split.outcome_index == len(found):
            found.append(found[other] * split.share)
            found[other] *= 1 - split.share
    return tuple(found)


def as_then(values: Sequence[float], splits: Sequence[ChartSplit], *, at_ms: int) -> tuple[float, ...]:
    """Return prices as the outcomes stood at `at_ms`: what was taken out of Other later is part of it, and itself 0."""
    if not splits:
        return tuple(values)
    other = splits[0].outcome_index - 1
    found = list(filled(values, splits))
    for split in reversed(splits):
        if split.at_ms > at_ms:
            found[other] += found[split.outcome_index]
            found[split.outcome_index] = 0.0
    return tuple(found)
