"""Whole kopecks from fractions: fees, settlements, average prices, priors and the house's loss bound."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

from foreknow.money.pricing import bounds, exact


@functools.lru_cache(maxsize=4096)
def exact_fraction(x: float) -> Fraction:
    """Return the shortest decimal that reads as the double `x`: 0.07 is 7/100. `ValueError` for NaN and infinities."""
    return Fraction(repr(float(x)))


def prior_weights(probabilities: Sequence[float]) -> tuple[int, ...]:
    """Return integer weights in exactly the ratios of the `probabilities`, each read as its shortest decimal.

    A single probability p is a yes/no question: its weights are those of p and of the implicit other outcome, 1 − p.
    Several need not sum to 1. Raises `ValueError` where a weight would not be positive.
    """
    fractions = [exact_fraction(probability) for probability in probabilities]
    if len(fractions) == 1:
        fractions.append(1 - fractions[0])
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    weights = [fraction.numerator * (scale // fraction.denominator) for fraction in fractions]
    if not weights or min(weights) <= 0:
        raise ValueError("every outcome needs a probability above 0")
    common = math.gcd(*weights)
    return tuple(weight // common for weight in weights)


def loss_bound_kopecks(*, b: int, weights: tuple[int, ...]) -> int:
    """Return ceil(b · ln(Σ w / min w)), the most the house can lose on a pool (Hanson 2003).

    `weights` are those of all outcomes, the implicit one of a single-market pool included (`prior_weights`).
    """
    return log_bound_kopecks(b, sum(weights), min(weights))


def log_bound_kopecks(b: int, whole: int, part: int) -> int:
    """Return ceil(b · ln(whole / part)) of integers, `part` the smaller."""
    low, high = bounds.log_multiple(b, whole, part)
    groups = exact.TradeGroups(b, {0: part}, {0: whole})
    # e^(k/b) is irrational for every k ≠ 0, so the bound is never a whole number: the ceiling is the floor plus one.
    return exact.largest(low, high, functools.partial(exact.reaches_price, groups, (1, 1))) + 1


def fee_kopecks(*, stake_kopecks: int, margin: float) -> int:
    """Return ceil(stake · margin), the margin read as its shortest decimal."""
    if not margin:
        return 0
    rate = exact_fraction(margin)
    return -(-stake_kopecks * rate.numerator // rate.denominator)


def fee_on_top_kopecks(*, cost_kopecks: int, margin: float) -> int:
    """Return ceil(cost · margin / (1 − margin)): the fee of the least stake of which `cost_kopecks` are left."""
    if not margin:
        return 0
    rate = exact_fraction(margin)
    return -(-cost_kopecks * rate.numerator // (rate.denominator - rate.numerator))


def settlement_kopecks(*, shares: int, payout: Fraction) -> int:
    """Return floor(shares · payout) for a payout of 0 … 1 kopeck a share."""
    return shares * payout.numerator // payout.denominator


def average_price_bps(*, money_kopecks: int, shares: int) -> int:
    """Return round(10000 · money / shares), halves to even: basis points a share."""
    whole, rest = divmod(10_000 * money_kopecks, shares)
    above_half = 2 * rest - shares
    return whole + 1 if above_half > 0 or (above_half == 0 and whole % 2) else whole
