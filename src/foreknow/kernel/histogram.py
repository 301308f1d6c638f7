"""Counting how values are distributed, cheaply enough for every request."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

#: Upper bounds for durations, in seconds.
DURATIONS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Histogram:
    """How many values fell under each bound (inclusive) and over the one before, and their sum. For one thread."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        """Start with nothing; `bounds` grow, and what is over the last is counted too."""
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value
