"""What prices are, from mpmath: other formulas than the product's, and digits to spare instead of proven bounds.

All formulas are sums and products of positive terms (no difference of rounded numbers), worked out with 60 digits.
Amounts stay below 10¹⁷, so a value is known to about 40 places after the point. Where it is that close to a whole
number, it may be that number (a tie): this is settled by arithmetic modulo a large prime, then by 150 or 600 digits,
and only where two terms differ by more than those can show (say e^(−10¹³)), by dropping what cancels.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from foreknow.money.pricing import Side
from tests.money.pricing.cases import Pool

DIGITS = 60
#: Closer to a whole number than this, a value counts as undecided.
CLOSE = mpmath.mpf(10) ** -30
#: A difference that is a smaller part of what it is taken from has lost too many digits.
FEW = 1e-6
PRIME = 2**127 - 1
POINTS = (3**50, 5**41)

#: Σ coefficient · e^exponent, as (coefficient, exponent).
Terms = list[tuple[int, Fraction]]
#: For a whole number k, terms (times a factor, their exponents shifted by a number of b-ths) whose sum is ≥ 0 where the
#: value is ≥ k.
Surplus = Callable[[int], list[tuple[Terms, int, int]]]


@functools.cache
def context(digits: int) -> Any:
    """Return an mpmath context with this precision; creating one takes longer than a hundred prices."""
    mp = mpmath.MPContext()
    mp.dps = digits
    return mp


class Reference:
    """Reference prices of one pool; counts the ties."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.ties = 0
        self.mp = context(DIGITS)
        self.b = pool.last_b
        self.exponents = pool.exponents()
        top = max(self.exponents)
        self.terms = [
            weight * self.mp.exp(self._number(exponent - top))
            for weight, exponent in zip(pool.weights, self.exponents, strict=True)
        ]

    def probability(self, outcome: int, side: Side) -> Any:
        growing, resting = self._groups(outcome, side)
        return growing / (growing + resting)

    def shares_bought(self, outcome: int, side: Side, money: int) -> int:
        mp, b = self.mp, self.b
        growing, resting = self._groups(outcome, side)
        shares = b * mp.log(1 + (growing + resting) / growing * self._expm1(money))
        A, B = self._exponents(outcome, side)
        return self._floor(shares, lambda k: [(A, 1, money), (B, 1, money), (A, -1, k), (B, -1, 0)])

    def cost_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """The ceiling of what `shares` cost."""
        mp, b = self.mp, self.b
        growing, resting = self._groups(outcome, side)
        cost = b * mp.log(1 + growing / (growing + resting) * self._expm1(shares))
        A, B = self._exponents(outcome, side)
        return -self._floor(-cost, lambda k: [(A, 1, 0), (B, 1, 0), (A, -1, shares + k), (B, -1, k)])

    def sale_payout_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        mp, b = self.mp, self.b
        growing, resting = self._groups(outcome, side)
        payout = b * mp.log((growing + resting) / (growing * mp.exp(mp.mpf(-shares) / b) + resting))
        A, B = self._exponents(outcome, side)
        return self._floor(payout, lambda k: [(A, 1, 0), (B, 1, 0), (A, -1, k - shares), (B, -1, k)])

    def set_shares_bought(self, outcomes: frozenset[int], given: frozenset[int] | None, money: int) -> int:
        """The shares of each of a set for `money`, which comes back where none of `given` wins."""
        mp, b = self.mp, self.b
        everything = frozenset(range(len(self.terms)))
        given = everything if given is None else given
        own, whole = (mp.fsum(self.terms[outcome] for outcome in sorted(group)) for group in (outcomes, given))
        shares = b * mp.log(1 + whole / own * self._expm1(money))
        A, B, rest = map(self._pairs, (outcomes, given - outcomes, everything - given))
        everywhere = self._pairs(everything)
        return self._floor(shares, lambda k: [(everywhere, 1, money), (A, -1, k), (B, -1, 0), (rest, -1, money)])

    def bundle_payout_kopecks(self, changes: dict[int, int]) -> int:
        """The floor of what a change of YES shares by outcome brings, negative where it costs."""
        mp, b = self.mp, self.b
        powers = {shares: mp.exp(mp.mpf(shares) / b) for shares in {0, *changes.values()}}
        left = [term * powers[changes.get(outcome, 0)] for outcome, term in enumerate(self.terms)]
        payout = -b * mp.log(mp.fsum(left) / mp.fsum(self.terms))
        now = self._pairs(frozenset(range(len(self.terms))))
        return self._floor(
            payout,
            lambda k: [(now, 1, 0), *(([pair], -1, k + changes.get(outcome, 0)) for outcome, pair in enumerate(now))],
        )

    def value_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        A, B = self._exponents(outcome, side)
        value = shares * self.probability(outcome, side)
        return self._floor(value, lambda k: [(A, shares - k, 0), (B, -k, 0)])

    def shares_to_price(self, outcome: int, side: Side, percent: int) -> int:
        """The floor of the shares that bring the side to `percent`; negative below its price."""
        growing, resting = self._groups(outcome, side)
        shares = self.b * self.mp.log(resting * percent / (growing * (100 - percent)))
        A, B = self._exponents(outcome, side)
        return self._floor(shares, lambda k: [(B, percent, 0), (A, percent - 100, k)])

    def subsidy_kopecks(self, b: int) -> int:
        """ceil((b − b now)·ln(1/min p)); never a whole number."""
        added_b = b - self.b
        subsidy = added_b * self.mp.log(self.mp.fsum(self.terms) / min(self.terms))
        outcomes = list(zip(self.pool.weights, self.exponents, strict=True))
        least = outcomes[self.terms.index(min(self.terms))]
        return 1 + self._floor(subsidy, lambda k: [(outcomes, 1, 0), ([least], -1, k)], shift_of=added_b)

    def _expm1(self, amount: int) -> Any:
        """e^(amount/b) − 1; the plain difference, which is faster, where it leaves digits enough."""
        x = self.mp.mpf(amount) / self.b
        return self.mp.exp(x) - 1 if x > FEW else self.mp.expm1(x)

    def _number(self, fraction: Fraction) -> Any:
        return self.mp.mpf(fraction.numerator) / fraction.denominator

    def _groups(self, outcome: int, side: Side) -> tuple[Any, Any]:
        own = self.terms[outcome]
        others = self.mp.fsum(self.terms[:outcome] + self.terms[outcome + 1 :])
        return (own, others) if side is Side.YES else (others, own)

    def _pairs(self, outcomes: frozenset[int]) -> Terms:
        return [(self.pool.weights[outcome], self.exponents[outcome]) for outcome in sorted(outcomes)]

    def _exponents(self, outcome: int, side: Side) -> tuple[Terms, Terms]:
        pairs = list(zip(self.pool.weights, self.exponents, strict=True))
        own, others = [pairs.pop(outcome)], pairs
        return (own, others) if side is Side.YES else (others, own)

    def _floor(self, value: Any, surplus: Surplus, shift_of: int = 0) -> int:
        nearest = int(self.mp.nint(value))
        if abs(value - nearest) > CLOSE:
            return int(self.mp.floor(value))
        terms = [
            (c * factor, m + Fraction(shift, shift_of or self.b))
            for group, factor, shift in surplus(nearest)
            for c, m in group
        ]
        if is_zero(terms):
            self.ties += 1
            return nearest
        return nearest if is_positive(terms) else nearest - 1


def is_zero(terms: Terms) -> bool:
    """Return whether Σ c·t^m is zero for every t, from its values at two points of a field of 2¹²⁷ − 1 elements."""
    parts = math.lcm(*(m.denominator for _, m in terms))
    whole: Counter[int] = Counter()
    for c, m in terms:
        whole[m.numerator * (parts // m.denominator)] += c
    left = [(c, m) for m, c in whole.items() if c]
    return all(not sum(c * pow(point, m, PRIME) for c, m in left) % PRIME for point in POINTS)


def is_positive(terms: Terms) -> bool:
    left = without_cancelled(terms)
    for digits, kept in ((150, terms), (600, terms), (600, left), (5000, left)):
        mp = context(digits)
        top = max(m for _, m in kept)
        powers = {m: mp.exp(mp.mpf((m - top).numerator) / (m - top).denominator) for m in {m for _, m in kept}}
        parts = [c * powers[m] for c, m in kept]
        total, size = mp.fsum(parts), mp.fsum(abs(part) for part in parts)
        if abs(total) > size * mp.mpf(10) ** (40 - digits):
            return bool(total > 0)
    raise AssertionError("not even 5,000 digits tell")


def without_cancelled(terms: Terms) -> Terms:
    sums: Counter[Fraction] = Counter()
    for c, m in terms:
        sums[m] += c
    return [(c, m) for m, c in sums.items() if c]


def loss_bound_kopecks(b: int, shares: list[Fraction]) -> int:
    """ceil(b·ln(1/p)) for the least of the probabilities p, which sum to 1; never a whole number."""
    mp = context(DIGITS)
    least = min(shares) / sum(shares)
    return int(mp.ceil(b * (mp.log(least.denominator) - mp.log(least.numerator))))
