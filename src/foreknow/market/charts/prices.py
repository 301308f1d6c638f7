"""A pool's prices: the input of the charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foreknow.market.charts.splits import ChartSplit


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
