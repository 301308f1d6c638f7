"""Histograms for the metrics, cheap enough for every request."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

#: Upper bounds for durations, in seconds.
DURATIONS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Histogram:
    """Number of values per bucket (upper bounds are inclusive), and their sum. Not thread-safe."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        """Start empty; `bounds` are ascending, and a last bucket counts the values over them."""
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value
