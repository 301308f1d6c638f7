"""A pool's shape: as stored, as responses show it, and the quantiles of its prices."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, TypeGuard

import msgspec

from foreknow.market.pools.price_intervals import json_number
from foreknow.market.pools.rule_view import rule_of, strike_of
from foreknow.market.pools.rules.base import CACHED_MAX
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.shapes.base import MARKET_NAME_MAX
from foreknow.market.pools.shapes.date import DateShape
from foreknow.market.pools.shapes.family import Shape, pool_shape
from foreknow.market.pools.shapes.number import NumberShape
from foreknow.market.pools.store import PoolRow


def shape_of(pool: PoolRow) -> Shape | None:
    """Return a pool's shape, with the edges of its price rule once they are known; None for a plain pool."""
    if pool.shape is None:
        return None
    shape = _shape(msgspec.json.encode(pool.shape))
    return replace(shape, edges=_rule_edges(pool)) if _takes_edges(shape) else shape


def shown_shape(pool: PoolRow) -> dict[str, Any] | None:
    """Return a pool's shape as sent, with the edges of its price rule, null before they are known."""
    shape = shape_of(pool)
    if pool.shape is None or not isinstance(shape, NumberShape) or pool.shape.get("edges") is not None:
        return pool.shape
    return {**pool.shape, "edges": None if shape.edges is None else [json_number(edge) for edge in shape.edges]}


def set_name(pool: PoolRow, outcomes: Sequence[int]) -> str:
    """Return what some of a pool's outcomes, ascending, are called together.

    Neighbouring ranges of a number or date are one range, others their names in a row.
    """
    names = [pool.markets[outcome].name for outcome in outcomes]
    is_row = len(outcomes) > 1 and outcomes[-1] - outcomes[0] == len(outcomes) - 1
    if is_row and len(outcomes) < len(pool.markets):
        shape = shape_of(pool)
        if isinstance(shape, NumberShape | DateShape) and shape.market_count is not None:
            return shape.range_names().of(outcomes[0], outcomes[-1])
    return ", ".join(names)[:MARKET_NAME_MAX]


def quantiles_of(pool: PoolRow, probabilities: Sequence[float]) -> tuple[float, ...] | None:
    """Return the quantiles at these prices: numbers, or dates as Unix seconds.

    None of a pool without an axis, and before its edges are known.
    """
    axis = axis_of(pool)
    return None if axis is None else axis.quantiles(probabilities)


def axis_of(pool: PoolRow) -> Axis | None:
    """Return the axis of a number or a date; None of any other pool, and before its edges are known."""
    shape = shape_of(pool)
    if not isinstance(shape, NumberShape | DateShape) or shape.market_count is None:
        return None
    return Axis(shape.axis(), is_log=shape.log)


def _takes_edges(shape: Shape) -> TypeGuard[NumberShape]:
    return isinstance(shape, NumberShape) and shape.edges is None


def _rule_edges(pool: PoolRow) -> tuple[Decimal, ...] | None:
    rule, strike = rule_of(pool), strike_of(pool)
    assert isinstance(rule, PriceRule)
    if rule.needs_strike and strike is None:
        return None
    # A shape beside a rule takes intervals that ascend alone (`events.drafts`): where one ends the next begins.
    return tuple(interval.high for interval in rule.at(strike)[:-1] if interval.high is not None)


@functools.lru_cache(maxsize=CACHED_MAX)
def _shape(sent: bytes) -> Shape:
    shape = pool_shape("shape", msgspec.json.decode(sent))
    assert shape is not None
    return shape


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
