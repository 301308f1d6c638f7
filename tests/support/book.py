"""An independent book of a pool, from the contract's formulas alone (decisions.md, "Pricing"), with 80 digits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import mpmath

MP = mpmath.mp.clone()
MP.dps = 80
#: Two numbers that differ by less are equal: what the contract calls a tie.
TIE = MP.mpf(10) ** -40


class Book:
    """Shares outstanding of a pool, and what trades on it cost; money in kopecks, everything whole."""

    def __init__(self, *, b: int, probabilities: Sequence[float], margin: float = 0.0) -> None:
        """Begin with nothing sold; one probability means a yes/no question."""
        priors = [Fraction(repr(p)) for p in probabilities]
        if len(priors) == 1:
            priors.append(1 - priors[0])
        self.b = b
        self._priors = [MP.mpf(p.numerator) / p.denominator for p in priors]
        self._margin = Fraction(repr(margin))
        self._d = [0] * len(priors)

    def probability(self, outcome: int) -> float:
        """Return the YES probability of an outcome."""
        return float(self._p(outcome))

    def fee_kopecks(self, stake_kopecks: int) -> int:
        """Return the fee in a stake: rounded up."""
        return math.ceil(stake_kopecks * self._margin)

    def buy(self, outcome: int, side: str, stake_kopecks: int) -> int:
        """Spend a stake, fee included; return the shares."""
        s = MP.mpf(stake_kopecks - self.fee_kopecks(stake_kopecks))
        shares = floor(self.b * MP.log1p(MP.expm1(s / self.b) / self._r(outcome, side)))
        self._add(outcome, side, shares)
        return shares

    def value(self, outcome: int, side: str, shares: int) -> int:
        """Return what a sale of the shares would pay."""
        return floor(-self.b * MP.log1p(self._r(outcome, side) * MP.expm1(-MP.mpf(shares) / self.b)))

    def sell(self, outcome: int, side: str, shares: int) -> int:
        """Sell; return the payout."""
        payout = self.value(outcome, side, shares)
        self._add(outcome, side, -shares)
        return payout

    def worth(self, outcome: int, side: str, shares: int) -> int:
        """Return the present value of a position: shares times probability, rounded down."""
        return floor(shares * self._r(outcome, side))

    def _p(self, outcome: int) -> mpmath.mpf:
        weights = [prior * MP.exp(MP.mpf(d) / self.b) for prior, d in zip(self._priors, self._d, strict=True)]
        return weights[outcome] / MP.fsum(weights)

    def _r(self, outcome: int, side: str) -> mpmath.mpf:
        p = self._p(outcome)
        return p if side.upper() == "YES" else 1 - p

    def _add(self, outcome: int, side: str, shares: int) -> None:
        self._d[outcome] += shares if side.upper() == "YES" else -shares


def bps(money_kopecks: int, shares: int) -> int:
    """Return the average price in basis points, halves to even."""
    return round(Fraction(10_000 * money_kopecks, shares))


def floor(number: mpmath.mpf) -> int:
    near = int(MP.nint(number))
    return near if abs(number - near) < TIE else int(MP.floor(number))
