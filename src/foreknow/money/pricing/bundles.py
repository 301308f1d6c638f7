"""Bundles: YES shares of several outcomes bought or sold as one piece, at one exact price.

Each is a way from one state to another, priced by the difference of their C: all bundles that lead from one state to
the same other cost the same.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from foreknow.money.pricing import bounds
from foreknow.money.pricing.lmsr import Lmsr
from foreknow.money.pricing.sides import Side

#: Below, products may have lost digits to underflow.
_LEAST_WHOLE: Final = 1e-200


class Bundle(NamedTuple):
    """One piece: what is bought or sold, for how much, and the market maker after it."""

    #: Of each outcome that it trades, in the order of outcomes; over 0.
    shares: dict[int, int]
    #: What it costs before a fee, or pays.
    kopecks: int
    after: Lmsr


def staked(lmsr: Lmsr, kopecks: int, *, outcomes: Collection[int], given: Collection[int] | None = None) -> Bundle:
    """Return the purchase of the most shares of a set of `outcomes`; empty if the `kopecks` buy none.

    With `given`, a larger set that is not all, they come back unless one of it wins: as many shares of each other
    outcome are bought.
    """
    shares = lmsr.set_shares_bought(outcomes, kopecks, given)
    if shares < 1:
        return Bundle({}, kopecks, lmsr)
    others = () if given is None else [outcome for outcome in range(len(lmsr.q_yes)) if outcome not in given]
    bundle = dict.fromkeys(outcomes, shares) | dict.fromkeys(others, kopecks)
    bundle = dict(sorted(bundle.items()))
    return Bundle(bundle, kopecks, _traded(lmsr, bundle, 1))


def bought(lmsr: Lmsr, shares: Mapping[int, int]) -> Bundle:
    """Return the purchase of these shares by outcome for the fewest whole kopecks that cover them."""
    after = _traded(lmsr, shares, 1)
    return Bundle(dict(sorted(shares.items())), lmsr.cost_kopecks_to(after), after)


def sold(lmsr: Lmsr, shares: Mapping[int, int]) -> Bundle:
    """Return the sale of these shares by outcome for the whole kopecks that they are worth to the market maker."""
    after = _traded(lmsr, shares, -1)
    return Bundle(dict(sorted(shares.items())), lmsr.payout_kopecks_to(after), after)


def split_kopecks(kopecks: int, shares: Sequence[int], probabilities: Sequence[float]) -> list[int]:
    """Return each leg's part of an amount, by shares · probability, or by shares where all of that is 0.

    The first k legs get the floor of theirs together. The doubles count as the fractions that they are.
    """
    reached = _reached(kopecks, shares, probabilities) or _reached_exactly(kopecks, shares, probabilities)
    return [after - before for before, after in itertools.pairwise([0, *reached])]


def _reached(kopecks: int, shares: Sequence[int], probabilities: Sequence[float]) -> list[int] | None:
    """Return what the first k legs get together, by floats; None where these cannot decide."""
    through = list(itertools.accumulate(map(operator.mul, shares, probabilities)))
    whole = through.pop()
    if whole < _LEAST_WHOLE:
        return None
    # Of a product: the shares as a double 1, × 1; of a sum one a leg; both again for the whole; ÷ 1; kopecks 1, × 1.
    error = kopecks * (2 * len(shares) + 8) * bounds.UNIT
    reached: list[int] = []
    for part in through:
        about = kopecks * (part / whole)
        least = math.floor(about - error)
        if least != math.floor(about + error):
            return None
        reached.append(least)
    return [*reached, kopecks]


def _reached_exactly(kopecks: int, shares: Sequence[int], probabilities: Sequence[float]) -> list[int]:
    ratios = [probability.as_integer_ratio() for probability in probabilities]
    # Denominators of doubles are powers of two: the largest is a multiple of each.
    unit = max(denominator for _, denominator in ratios)
    worth = [
        count * numerator * (unit // denominator)
        for count, (numerator, denominator) in zip(shares, ratios, strict=True)
    ]
    if not any(worth):
        worth = list(shares)
    whole = sum(worth)
    return [kopecks * through // whole for through in itertools.accumulate(worth)]


def _traded(lmsr: Lmsr, shares: Mapping[int, int], sign: int) -> Lmsr:
    return lmsr.traded_together([(outcome, Side.YES, sign * count) for outcome, count in shares.items()])
