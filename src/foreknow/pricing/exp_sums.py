"""The float sums of a pool: what every outcome weighs, and the odds against one outcome.

A pool of two outcomes needs no sum, its odds are one quotient. For more, outcome i has the mass
E_i = w_i·exp((d_i − reference)/b). The reference is the largest d, rounded down to a multiple of 4·b: so it follows
from the state alone (every server computes the same floats) and yet hardly ever changes with a trade, which then costs
one exponential and one sum.
"""

from __future__ import annotations

import functools
from math import exp, fsum, log
from typing import NamedTuple

#: The reference is a multiple of this many b.
REFERENCE_STEP = 4


class Prior(NamedTuple):
    """What never changes in a pool."""

    b: int
    #: One positive integer an outcome.
    weights: tuple[int, ...]
    #: The same as floats, each rounded once.
    floats: tuple[float, ...]
    #: The bound on the relative error of all odds, in units of 2⁻⁵³, as `bounds` wants it.
    error_ulps: float


@functools.lru_cache(maxsize=4096)
def prior(b: int, weights: tuple[int, ...]) -> Prior:
    """Return the constants of a pool with liquidity `b` and these weights.

    Raises `ValueError` where b or a weight is not positive, or where there are fewer than two outcomes.
    """
    if b <= 0 or len(weights) < 2 or min(weights) <= 0:
        raise ValueError("a pool needs a positive b and two or more positive weights")
    # Odds are (Σ_others E)/w_i, or the inverse. In units of u = 2⁻⁵³, relatively:
    # - E_j is off by |z_j| + 6, z_j = (d_j − reference)/b: one rounding each for w_j and z_j (which exp turns into
    #   |z_j|), 4 for exp, 1 for ×.
    # - In the mean over the masses of the others, |z| is at most M = 2·ln(n·W) + 4, with W = max w / min w. For with
    #   z measured from the largest among them, the mean of |z| is Σ π·ln(w/(π·Σ E)), π the share of each in the sum
    #   Σ E ≥ min w; as the mean of −ln π is at most ln n, that is at most ln(W·n) (Gibbs). Their largest is within 4
    #   of the reference, or, where the sum of all less E_i is taken, at most ln(n·W) below it, as they weigh E_i or
    #   more.
    # - fsum rounds once (1u); taken from a sum of at most twice the rest, it counts 2; the difference 1. w_i and ÷ 2;
    #   the inverse 1.
    # Together M + 12. For |ln odds| the same reasons give T = M. So 2·M + 12 is what `bounds` asks for.
    spread = 2.0 * log(len(weights) * (max(weights) / min(weights))) + REFERENCE_STEP
    return Prior(b, weights, tuple(map(float, weights)), 2.0 * spread + 12.0)


class ExpSums:
    """The masses of a pool of three or more outcomes at one moment."""

    __slots__ = ("_gaps", "_prior", "masses", "reference", "total")

    masses: list[float]
    total: float

    def __init__(self, constants: Prior, gaps: tuple[int, ...], known: ExpSums | None = None, moved: int = 0) -> None:
        """Weigh the outcomes with d = `gaps`; `known` are those of a state that differs in the outcome `moved` only."""
        self._prior = constants
        self._gaps = gaps
        self.reference = reference = _reference(constants.b, max(gaps))
        if known is not None and known.reference == reference:
            self.masses = known.masses.copy()
            self.masses[moved] = constants.floats[moved] * exp((gaps[moved] - reference) / constants.b)
        else:
            self.masses = _weigh(constants, gaps, reference)
        self.total = fsum(self.masses)

    def odds_against(self, outcome: int) -> tuple[int, float]:
        """Return D and ρ: all other outcomes together outweigh this one by ρ·e^(D/b)."""
        own = self.masses[outcome]
        if own + own <= self.total:
            return self.reference - self._gaps[outcome], (self.total - own) / self._prior.floats[outcome]
        # One that outweighs all the rest would drown them in the sum: the others are weighed without it.
        others = self._gaps[:outcome] + self._gaps[outcome + 1 :]
        reference = _reference(self._prior.b, max(others))
        masses = _weigh(self._prior, self._gaps, reference, without=outcome)
        return reference - self._gaps[outcome], fsum(masses) / self._prior.floats[outcome]


def _reference(b: int, top: int) -> int:
    return top - top % (REFERENCE_STEP * b)


def _weigh(constants: Prior, gaps: tuple[int, ...], reference: int, without: int = -1) -> list[float]:
    b = constants.b
    return [
        weight * exp((net_shares - reference) / b)
        for outcome, (weight, net_shares) in enumerate(zip(constants.floats, gaps, strict=True))
        if outcome != without
    ]
