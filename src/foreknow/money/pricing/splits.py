"""Splits: an outcome is taken out of another, at no price of any other (docs/pricing.md, "Lists that grow").

The outcome that is split, Other, gives a share λ = `percent`/100 of its weight to a new one, which also gets the shares
that were sold of it, now and at each addition of liquidity: w·exp(g/B) of both together is what Other's was. So the
pool is the one of all outcomes from the start, in which every purchase of Other bought as many of both, and all proofs
of `lmsr` hold for it as they are. The new outcome always comes last in the order of outcomes.

Shares that are written before a split have fewer entries, one an outcome of then: `filled_in` adds the others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from foreknow.money.pricing.amounts import log_bound_kopecks
from foreknow.money.pricing.liquidity import Addition
from foreknow.money.pricing.lmsr import Lmsr

#: Least and most of Other that a split may take, in hundredths.
PERCENT_MIN: Final = 1
PERCENT_MAX: Final = 99


class SplitTerms(NamedTuple):
    """A split that was made: the liquidity parameter then, and how much of Other the new outcome got, in hundredths."""

    b: int
    percent: int


def split_weights(weights: Sequence[int], *, other: int, percent: int) -> tuple[int, ...]:
    """Return the weights after a split of the outcome `other`, in lowest terms; the new one's is the last.

    Raises `ValueError` for a share that is none of `PERCENT_MIN` … `PERCENT_MAX`.
    """
    if not PERCENT_MIN <= percent <= PERCENT_MAX:
        raise ValueError(f"a split takes {PERCENT_MIN} to {PERCENT_MAX} hundredths")
    own = weights[other]
    after = [100 * weight for weight in weights]
    after[other] = own * (100 - percent)
    after.append(own * percent)
    common = math.gcd(*after)
    return tuple(weight // common for weight in after)


def filled_in(quantities: Sequence[int], *, other: int, outcomes: int) -> tuple[int, ...]:
    """Return shares of each outcome of then as one entry for each of `outcomes`: what came of `other` since has its."""
    return (*quantities, *[quantities[other]] * (outcomes - len(quantities)))


def split(lmsr: Lmsr, *, other: int, percent: int) -> Lmsr:
    """Return the market maker after a split of the outcome `other`, of which no NO was ever sold."""
    outcomes = len(lmsr.q_yes) + 1
    additions = [
        Addition(
            addition.b,
            filled_in(addition.q_yes, other=other, outcomes=outcomes),
            filled_in(addition.q_no, other=other, outcomes=outcomes),
        )
        for addition in lmsr.additions
    ]
    return Lmsr.of(
        b=lmsr.first_b,
        weights=split_weights(lmsr.weights, other=other, percent=percent),
        q_yes=filled_in(lmsr.q_yes, other=other, outcomes=outcomes),
        q_no=filled_in(lmsr.q_no, other=other, outcomes=outcomes),
        additions=tuple(additions),
    )


def other_bound_kopecks(lmsr: Lmsr, *, other: int, counts: Sequence[int], splits: Sequence[SplitTerms]) -> int:
    """Return c, the most the house can lose if `other` wins, each part of it rounded up.

    `counts`: how many outcomes there were at first, then at each addition of liquidity.
    """
    steps = [lmsr.first_b, *(addition.b for addition in lmsr.additions)]
    bound = log_bound_kopecks(lmsr.first_b, sum(lmsr.weights), _weight_then(lmsr, other, counts[0])[other])
    for index, (before, after) in enumerate(itertools.pairwise(steps)):
        assert before < after
        addition, outcomes = lmsr.additions[index], counts[index + 1]
        then = Lmsr.of(
            b=lmsr.first_b,
            weights=_weight_then(lmsr, other, outcomes),
            q_yes=addition.q_yes[:outcomes],
            q_no=addition.q_no[:outcomes],
            additions=tuple(
                Addition(one.b, one.q_yes[:outcomes], one.q_no[:outcomes]) for one in lmsr.additions[:index]
            ),
        )
        bound += then.subsidy_kopecks(after, outcome=other)
    return bound + sum(log_bound_kopecks(one.b, 100, 100 - one.percent) for one in splits)


def split_subsidy_kopecks(*, other_bound_kopecks: int, b: int, percent: int, paid_kopecks: int) -> int:
    """Return what the house pays for a split: what its worst loss then is over all that it has paid, 0 if it is not."""
    return max(0, other_bound_kopecks + log_bound_kopecks(b, 100, min(percent, 100 - percent)) - paid_kopecks)


def _weight_then(lmsr: Lmsr, other: int, outcomes: int) -> tuple[int, ...]:
    """Return the weights of the first `outcomes`: what came of `other` since was part of it."""
    weights = list(lmsr.weights[:outcomes])
    weights[other] += sum(lmsr.weights[outcomes:])
    return tuple(weights)
