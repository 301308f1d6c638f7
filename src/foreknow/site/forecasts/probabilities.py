"""Probabilities of a forecast: raised from 0, and followed through the splits of a list. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from foreknow.market.charts import ChartSplit

#: The least sum of what outcomes are raised to: two of 0.001, n of 0.002 / n.
_FLOORS = 0.002


def raised(probabilities: Sequence[float]) -> tuple[float, ...]:
    """Return probabilities, one a market, raised to their floor and divided by their sum; of one market YES alone."""
    if len(probabilities) == 1:
        # The same in a third of the time: scores ask once a trade.
        yes, no = max(probabilities[0], _FLOORS / 2), max(1 - probabilities[0], _FLOORS / 2)
        return (yes / (yes + no),)
    floor = _FLOORS / len(probabilities)
    found = [max(probability, floor) for probability in probabilities]
    total = math.fsum(found)
    return tuple([probability / total for probability in found])


def after_splits(probabilities: Sequence[float], splits: Sequence[ChartSplit]) -> tuple[float, ...]:
    """Return what came of a standing forecast: at each split since, the new outcome got its part of Other's.

    `splits` are all of the list, oldest first; how many it has seen says how many probabilities there are.
    """
    found = tuple(probabilities)
    for split in splits:
        if split.outcome_index == len(found):
            other = splits[0].outcome_index - 1
            parts = [*found, found[other] * split.share]
            parts[other] *= 1 - split.share
            found = raised(parts)
    return found
