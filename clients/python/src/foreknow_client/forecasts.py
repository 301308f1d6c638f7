"""Forecasts without asking the service: a whole one from a thought about one outcome, and what it would score.

A forecast f of a pool scores (100 / T) · ∫ ln(f(t) / p(t)) dt against the market's prices p, of the outcome that won,
over the moments that count. Both are floored before: a probability of 0 would lose without a bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from foreknow_client.models import Pool

#: The least probability of one of two outcomes; of n > 2 it is twice this, divided by n.
LEAST = 0.001


def kept(probabilities: Sequence[float]) -> tuple[float, ...]:
    """Return a forecast as the service keeps it and gives it back: each raised to the least, divided by their sum.

    Of a single market, whose forecast is the probability of YES alone, NO is raised too.
    """
    whole = _both_sides(probabilities)
    least = LEAST if len(whole) == 2 else 2 * LEAST / len(whole)
    raised = [max(one, least) for one in whole]
    return tuple(one / math.fsum(raised) for one in raised)[: len(probabilities)]


def of_outcome(pool: Pool, outcome_index: int, probability: float) -> list[float]:
    """Return a forecast that gives an outcome this probability, and leaves the others in the ratios of their prices.

    `ValueError` for what is no probability, or an outcome that the pool has not.
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"{probability} is no probability: it is a number of 0 … 1")
    prices = [market.yes_probability for market in pool.markets]
    if not 0 <= outcome_index < len(prices):
        raise ValueError(f"{pool.name} has no outcome {outcome_index}; it has {len(prices)}, from 0")
    if len(prices) == 1:
        return [probability]
    others = math.fsum(prices) - prices[outcome_index]
    left = 1 - probability
    said = [price * left / others if others > 0 else left / (len(prices) - 1) for price in prices]
    said[outcome_index] = probability
    return said


def score(said: Sequence[float], market: Sequence[float], winner: int) -> float:
    """Return what a forecast scores that stands for the whole time while prices stay at `market`; 0 for a copy.

    `winner` is the outcome's index; of a single market 0 is YES, 1 is NO.
    """
    return 100 * math.log(_both_sides(kept(said))[winner] / _both_sides(kept(market))[winner])


def _both_sides(probabilities: Sequence[float]) -> list[float]:
    return [*probabilities, 1 - probabilities[0]] if len(probabilities) == 1 else list(probabilities)
