"""The float sums of w·exp(d/b) over a pool's outcomes, and the odds against one outcome.

With two outcomes the odds are one quotient and no sum is needed. Otherwise outcome i has the term
E_i = w_i·exp((d_i − reference)/b). The reference is the largest d, rounded down to a multiple of 4·b: it follows
from the state alone, so every server computes the same floats, and it rarely changes with a trade, which then costs
one exponential and one sum.
"""

from __future__ import annotations

import functools
from math import exp, fsum, log
from typing import NamedTuple

#: The reference is a multiple of this times b.
REFERENCE_STEP = 4


class Prior(NamedTuple):
    """The constants of a pool."""

    b: int
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
    # - E_j is off by |z_j| + 6, z_j = (d_j − reference)/b: one rounding each for w_j and z_j (which exp turns into
    #   |z_j|), 4 for exp, 1 for ×.
    # - In the mean weighted by the terms of the others, |z| is at most M = 2·ln(n·W) + 4, with W = max w / min w. With
    #   z measured from the largest among them, the mean of |z| is Σ π·ln(w/(π·Σ E)), π the share of each in the sum
    #   Σ E ≥ min w; as the mean of −ln π is at most ln n, that is at most ln(W·n) (Gibbs). Their largest is within 4
    #   of the reference, or, where the sum of all less E_i is taken, at most ln(n·W) below it, as they weigh E_i or
    #   more.
    # - fsum rounds once (1u); taken from a sum of at most twice the rest, it counts 2; the difference 1. w_i and ÷ 2;
    #   the inverse 1.
    # Together M + 12. Likewise |ln odds| ≤ T = M. `bounds` needs 2·M + 12.
    spread = 2.0 * log(len(weights) * (max(weights) / min(weights))) + REFERENCE_STEP
    return Prior(b, weights, tuple(map(float, weights)), 2.0 * spread + 12.0)


class ExpSums:
    """The terms E_i of a pool of three or more outcomes in one state, and their sum."""

    __slots__ = ("_net_shares", "_prior", "reference", "terms", "total")

    terms: list[float]
    total: float

    def __init__(
        self, constants: Prior, net_shares: tuple[int, ...], known: ExpSums | None = None, moved: int = 0
    ) -> None:
        """Compute the terms for d = `net_shares`; `known` is a state that differs only in `moved`."""
        self._prior = constants
        self._net_shares = net_shares
        self.reference = reference = _reference(constants.b, max(net_shares))
        if known is not None and known.reference == reference:
            self.terms = known.terms.copy()
            self.terms[moved] = constants.floats[moved] * exp((net_shares[moved] - reference) / constants.b)
        else:
            self.terms = _exp_terms(constants, net_shares, reference)
        self.total = fsum(self.terms)

    def odds_against(self, outcome: int) -> tuple[int, float]:
        """Return D and ρ: all other outcomes together outweigh this one by ρ·e^(D/b)."""
        own = self.terms[outcome]
        if own + own <= self.total:
            return self.reference - self._net_shares[outcome], (self.total - own) / self._prior.floats[outcome]
        # In the total, a dominant outcome would drown the others: their terms are computed without it.
        others = self._net_shares[:outcome] + self._net_shares[outcome + 1 :]
        reference = _reference(self._prior.b, max(others))
        terms = _exp_terms(self._prior, self._net_shares, reference, without=outcome)
        return reference - self._net_shares[outcome], fsum(terms) / self._prior.floats[outcome]


def _reference(b: int, top: int) -> int:
    return top - top % (REFERENCE_STEP * b)


def _exp_terms(constants: Prior, net_shares: tuple[int, ...], reference: int, without: int = -1) -> list[float]:
    b = constants.b
    return [
        weight * exp((d - reference) / b)
        for outcome, (weight, d) in enumerate(zip(constants.floats, net_shares, strict=True))
        if outcome != without
    ]
