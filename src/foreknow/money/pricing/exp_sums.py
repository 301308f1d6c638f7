"""The float sums of w·exp(d/b) over a pool's outcomes, the odds against one of them, and the weight of several.

With two outcomes the odds against one are a quotient and no sum is needed. Otherwise outcome i has the term
E_i = w_i·exp((g_i − reference)/B), where g and B are d and b in the pool's units (`liquidity`). The reference is the
largest g, rounded down to a multiple of 4·B: it follows from the state alone, so every server computes the same floats,
and it rarely changes with a trade, which then costs one exponential and one sum. Added liquidity multiplies g, B and
reference by one number, or divides them: the floats stay the same.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from math import exp, fsum, log
from typing import NamedTuple

from foreknow.money.pricing.liquidity import Addition, scale

#: The reference is a multiple of this times B.
REFERENCE_STEP = 4
#: Below, exp(z) loses digits, as doubles do under 2⁻¹⁰²².
STEEPEST = -700.0


class Prior(NamedTuple):
    """The constants of a pool."""

    #: The liquidity parameter now and at first.
    b: int
    first_b: int
    additions: tuple[Addition, ...]
    #: N: exponents, shares and money are counted in 1/`parts`. 1 without additions.
    parts: int
    #: B = N·b; b without additions.
    scaled_b: int
    #: o_i of every outcome: g_i = N·d_i + o_i. Empty without additions, where g is d.
    offsets: tuple[int, ...]
    #: One positive integer per outcome.
    weights: tuple[int, ...]
    #: The weights as floats, each rounded once.
    floats: tuple[float, ...]
    #: Bound on the relative error of all odds in units of 2⁻⁵³ (see `bounds`).
    error_ulps: float


@functools.lru_cache(maxsize=4096)
def prior(b: int, weights: tuple[int, ...]) -> Prior:
    """Return the constants of a pool with liquidity `b` and these weights.

    Raises `ValueError` if b or a weight is not positive, or there are fewer than two outcomes.
    """
    if b <= 0 or len(weights) < 2 or min(weights) <= 0:
        raise ValueError("a pool needs a positive b and two or more positive weights")
    # Odds are (Σ_others E)/w_i, or the inverse. In units of u = 2⁻⁵³, relatively:
    # - E_j is off by |z_j| + 6, z_j = (g_j − reference)/B: one rounding each for w_j and z_j (which exp turns into
    #   |z_j|; a quotient of integers of any size is rounded once), 4 for exp, 1 for ×.
    # - In the mean weighted by the terms of the others, |z| is at most M = 2·ln(n·W) + 4, with W = max w / min w. With
    #   z measured from the largest among them, the mean of |z| is Σ π·ln(w/(π·Σ E)), π the share of each in the sum
    #   Σ E ≥ min w; as the mean of −ln π is at most ln n, that is at most ln(W·n) (Gibbs). Their largest is within 4
    #   of the reference, or, where the sum of all less E_i is taken, at most ln(n·W) below it, as they weigh E_i or
    #   more.
    # - fsum rounds once (1u); taken from a sum of at most twice the rest, it counts 2; the difference 1. w_i and ÷ 2;
    #   the inverse 1.
    # Together M + 12. Likewise |ln odds| ≤ T = M. `bounds` needs 2·M + 12.
    # Odds of one group against another (`ExpSums.weight`) are a quotient of two sums, each with the reference of its
    # own largest g: the mean of |z| is at most ln(n·W) + 4, so a sum is off by that and 7, their quotient by
    # 2·ln(n·W) + 23; and |ln odds| ≤ ln(n·W) + 4. 2·M + 15 = 4·ln(n·W) + 23 is enough for both.
    spread = 2.0 * log(len(weights) * (max(weights) / min(weights))) + REFERENCE_STEP
    return Prior(b, b, (), 1, b, (), weights, tuple(map(float, weights)), 2.0 * spread + 15.0)


# Fewer entries: one holds up to 20 additions of 100 markets.
@functools.lru_cache(maxsize=256)
def prior_with_additions(first_b: int, weights: tuple[int, ...], additions: tuple[Addition, ...]) -> Prior:
    """Return the constants of a pool whose liquidity was `first_b` and was raised by these additions.

    Raises `ValueError` as `prior` and `scale` do, and if an addition has another number of markets.
    """
    constants = prior(first_b, weights)
    units = scale(first_b, additions)
    # The implicit outcome of a single market has sold no shares.
    offsets = (*units.offsets, 0) if len(units.offsets) == 1 else units.offsets
    if len(offsets) != len(weights):
        raise ValueError("an addition needs the shares of every market")
    return constants._replace(
        b=additions[-1].b, additions=additions, parts=units.parts, scaled_b=units.b, offsets=offsets
    )


class ExpSums:
    """The terms E_i of a pool of three or more outcomes in one state, and their sum."""

    __slots__ = ("_exponents", "_prior", "reference", "terms", "total")

    terms: list[float]
    total: float

    def __init__(
        self,
        constants: Prior,
        exponents: tuple[int, ...],
        known: ExpSums | None = None,
        moved: Iterable[int] = (),
    ) -> None:
        """Compute the terms for g = `exponents`; `known` is a state that differs only in the outcomes `moved`."""
        self._prior = constants
        self._exponents = exponents
        self.reference = reference = _reference(constants.scaled_b, max(exponents))
        if known is not None and known.reference == reference:
            self.terms = known.terms.copy()
            for outcome in moved:
                shifted = exponents[outcome] - reference
                self.terms[outcome] = constants.floats[outcome] * exp(shifted / constants.scaled_b)
        else:
            self.terms = _exp_terms(constants, exponents, reference)
        self.total = fsum(self.terms)

    def share(self, outcome: int) -> float:
        """Return this outcome's part of the total, its probability, however small."""
        z = (self._exponents[outcome] - self.reference) / self._prior.scaled_b
        if z >= STEEPEST:
            return self.terms[outcome] / self.total
        # Weights may be large, and what they are multiplied with too small to have all digits.
        return exp(z + log(self._prior.floats[outcome]) - log(self.total))

    def shares(self) -> tuple[float, ...]:
        """Return each outcome's part of the total."""
        if (min(self._exponents) - self.reference) / self._prior.scaled_b >= STEEPEST:
            total = self.total
            return tuple([term / total for term in self.terms])
        return tuple(map(self.share, range(len(self.terms))))

    def odds_against(self, outcome: int) -> tuple[int, float]:
        """Return D and ρ: all other outcomes together outweigh this one by ρ·e^(D/b)."""
        own = self.terms[outcome]
        if own + own <= self.total:
            return self.reference - self._exponents[outcome], (self.total - own) / self._prior.floats[outcome]
        # In the total, a dominant outcome would drown the others: their terms are computed without it.
        others = [other for other in range(len(self.terms)) if other != outcome]
        reference, weight = self.weight(others)
        return reference - self._exponents[outcome], weight / self._prior.floats[outcome]

    def weight(self, outcomes: Sequence[int]) -> tuple[int, float]:
        """Return R and S: these outcomes, one or more, weigh S·e^(R/b) together."""
        if len(outcomes) == len(self.terms):
            return self.reference, self.total
        exponents = [self._exponents[outcome] for outcome in outcomes]
        reference = _reference(self._prior.scaled_b, max(exponents))
        if reference == self.reference:
            return reference, fsum([self.terms[outcome] for outcome in outcomes])
        floats, b = self._prior.floats, self._prior.scaled_b
        terms = [floats[outcome] * exp((g - reference) / b) for outcome, g in zip(outcomes, exponents, strict=True)]
        return reference, fsum(terms)


def _reference(b: int, top: int) -> int:
    return top - top % (REFERENCE_STEP * b)


def _exp_terms(constants: Prior, exponents: tuple[int, ...], reference: int) -> list[float]:
    b = constants.scaled_b
    return [weight * exp((g - reference) / b) for weight, g in zip(constants.floats, exponents, strict=True)]
