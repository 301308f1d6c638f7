"""A pool's prices at a moment: what the charts are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentPrices:
    """A pool's newest prices: one YES probability a market, and when they came about.

    `since_ms` (Unix milliseconds) is the time of the newest trade, or of the publication where there was none.
    """

    probabilities: Sequence[float]
    since_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolTrades:
    """One batch's trades of one pool, in their order.

    `before` is how the pool stood when the batch locked it. `points` holds (Unix milliseconds, probabilities after it)
    of each trade; the trades' ordinals in their pool are `first_ordinal` (1 for a pool's very first), +1, …
    """

    pool_id: int
    first_ordinal: int
    before: CurrentPrices
    points: Sequence[tuple[int, Sequence[float]]]
