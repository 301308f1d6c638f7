"""What a crowd thinks: medians and means of forecasts, by weights that double with each half-life. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from foreknow.kernel.clock import DAY_MS

#: Fewer that weigh something are no crowd.
CROWD_MIN = 3
#: T of a pool without an end at publication.
_ENDLESS_MS = 90 * DAY_MS
#: How near the half a sum of weights is taken for it.
_NEAR_HALF = 1e-12


class Opinion(NamedTuple):
    """A forecast that weighs something: when it was last said, and its probabilities, one a market."""

    created_at_ms: int
    probabilities: Sequence[float]


def planned_ms(published_at_ms: int, end_ms: int | None) -> int:
    """Return T: what a pool was to last from its publication. `end_ms`: its `finish_at` then; None for none."""
    return _ENDLESS_MS if end_ms is None else end_ms - published_at_ms


def half_life_ms(published_at_ms: int, end_ms: int | None) -> float:
    """Return H: a day, or a third of T (`planned_ms`), the larger one."""
    return max(float(DAY_MS), planned_ms(published_at_ms, end_ms) / 3)


def crowd_of(opinions: Sequence[Opinion], half_life_ms: float, *, is_ordered: bool) -> tuple[float, ...] | None:
    """Return what the authors of opinions think together, one probability a market; None where they are too few.

    `is_ordered`: the outcomes are ranges of a number or a date.
    """
    if len(opinions) < CROWD_MIN:
        return None
    # Only the ratios count: the newest weighs 1.
    newest_ms = max(opinion.created_at_ms for opinion in opinions)
    weights = [math.exp2((opinion.created_at_ms - newest_ms) / half_life_ms) for opinion in opinions]
    columns = list(zip(*(opinion.probabilities for opinion in opinions), strict=True))
    if len(columns) == 1:
        return (weighted_median(columns[0], weights),)
    if is_ordered:
        return _by_range(opinions, weights)
    total = math.fsum(weights)
    return tuple(math.fsum(map(_product, column, weights)) / total for column in columns)


def weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return the least value at which the weights of values up to it reach half of all; at half, the mean of it and
    the next.
    """
    half = math.fsum(weights) / 2
    near = 2 * half * _NEAR_HALF
    order = sorted(range(len(values)), key=values.__getitem__)
    reached = 0.0
    for place, index in enumerate(order):
        reached += weights[index]
        if reached >= half - near:
            value = values[index]
            # The last one reaches all of it.
            return value if reached > half + near else (value + values[order[place + 1]]) / 2
    raise AssertionError("the weights do not sum up")


def _by_range(opinions: Sequence[Opinion], weights: Sequence[float]) -> tuple[float, ...]:
    """Return the differences of the medians of how likely the number is to be in a range or below it."""
    sums = [0.0] * len(opinions)
    before, found = 0.0, list[float]()
    for index in range(len(opinions[0].probabilities) - 1):
        for place, opinion in enumerate(opinions):
            sums[place] += opinion.probabilities[index]
        median = weighted_median(sums, weights)
        found.append(max(0.0, median - before))
        before = max(before, median)
    return (*found, max(0.0, 1 - before))


def _product(value: float, weight: float) -> float:
    return value * weight
