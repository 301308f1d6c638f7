"""Prices of a list from before outcomes were taken out of its Other (docs/lists.md).

Stored prices have one entry for each outcome of then. Compared with later ones, a new outcome had its part of Other's
price, and Other the rest (`filled`); in charts Other is whole there, and the new one 0 (`as_then`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


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
