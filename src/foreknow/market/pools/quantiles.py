"""Quantiles of a number or a date from the prices of its ranges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: The 10th, 25th, 50th, 75th and 90th percentile.
LEVELS: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True)
class Axis:
    """The edges between a pool's ranges, the first and the last of which are open."""

    edges: Sequence[float]
    #: Within a range the logarithm counts.
    is_log: bool

    def quantiles(self, probabilities: Sequence[float]) -> tuple[float, ...]:
        """Return the `LEVELS` at these prices.

        Each lies in the first range whose cumulative probability reaches it, linearly there (with `is_log` by the
        logarithm); in an open range it is the edge.
        """
        reached = list(itertools.accumulate(probabilities))
        return tuple(self._quantile(level, probabilities, reached) for level in LEVELS)

    def _quantile(self, level: float, probabilities: Sequence[float], reached: Sequence[float]) -> float:
        edges = self.edges
        index = next((index for index, total in enumerate(reached) if total >= level), len(edges))
        if index in {0, len(edges)}:
            return edges[0 if index == 0 else -1]
        low, high = edges[index - 1], edges[index]
        # Rounded once: a range may have little probability.
        lacking = math.fsum([level, *(-probability for probability in probabilities[:index])])
        part = min(1.0, max(0.0, lacking / probabilities[index]))
        # A price rule's edges that are relative may turn out not to be above 0.
        if self.is_log and low > 0:
            return min(high, low * math.exp(part * math.log(high / low)))
        return low + part * (high - low)
