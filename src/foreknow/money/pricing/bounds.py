"""Prices in floats, with a proven bound on every error.

Each function returns the floors `(low, high)` of both ends of an interval that contains the true value. They differ
only where the value is closer to a whole number than floats can resolve; then `exact` decides. A bound that is too
wide costs time, never a kopeck.

The two groups of a trade (see the package's docstring) are given by their odds B/A = ρ·e^(D/b), split into the
integer `net_shares` D and the float `odds` ρ. Whole parts (money, shares, D) are added as integers; the floats carry
only a remainder of the size of b. No formula below subtracts two rounded numbers that could be close.

A pool with added liquidity (`liquidity`) is one whose b, money, shares and D are counted in N-ths; only a value needs
no such scale. All numbers stay below 2⁹²⁰, so nothing overflows.

Errors are counted in u = 2⁻⁵³, the relative error of one rounding (+, −, ×, ÷, the float of an integer, and Python's
integer ÷ integer, which rounds once whatever the size). `exp`, `expm1`, `log` and `log1p` of the C library are
assumed to be within 4u (two units in the last place; usual ones stay below one). Terms of second order in u, and the
rounding of the interval's ends, are covered by rounding each bound up. Further:

- `error_ulps` N: ρ is off by at most N·u, relatively. It also bounds the size of ρ: |ln ρ| ≤ T with N ≥ 2·T + 12.
  `Lmsr` and `exp_sums` provide it.
- g = D/b rounded is off by |g|·u, so exp(g) by (|g| + 4)·u, relatively.
- log1p of a positive number has at most the relative error of the number, plus its own 4u.
- Underflow to 0 or to a subnormal number happens only below 10⁻³⁰⁰, to numbers that are then added to something of
  ordinary size or floored: neither changes.
- (∗) For y ≥ 0 and k = c·e^(−y) with |ln c| ≤ T: k·y/(1 + k) ≤ min(1, k)·y ≤ T + 1 and log1p(k) ≤ T + 1.
"""

from __future__ import annotations

from math import ceil, exp, expm1, floor, log, log1p

UNIT = 2.0**-53
#: Multiples of b above which ln(1 + ρ·e^g) is computed as g + …, with g·b = D exact.
STEEP = 32.0


def shares_bought(b: int, money: int, net_shares: int, odds: float, error_ulps: float) -> tuple[int, int]:
    """Bound the shares that `money` ≥ 1 kopecks buy: x = s + b·ln(1 + ρ·e^g·t), t = 1 − e^(−s/b)."""
    steep = net_shares / b
    part = -expm1(-money / b)  # t: 1u for s/b (expm1 does not amplify it) + 4u = 5u
    if steep <= STEEP:
        # Product: ρ N, exp |g| + 4, t 5, two roundings; log1p 4; b and × 2: together N + |g| + 17.
        rest = b * log1p(odds * exp(steep) * part)
        error = rest * (error_ulps + abs(steep) + 20.0) * UNIT
        return money + floor(rest - error), money + floor(rest + error)
    # x = s + D + b·(ln z + ln(1 + e^(−g)/z)), z = ρ·t. Absolute errors, with L = |ln z|:
    #   ln z: N + 6 for z, 4L. k = e^(−g)/z: N + 6 for z, g + 4 for exp, 1 for ÷, so with (∗, here T = L)
    #   log1p(k): N + 11 + (L + 1) + 4·(L + 1). The sum (≤ 2L + 1), b and ×: 3·(2L + 1).
    # Together 2·N + 25 + 15·L.
    multiple = odds * part
    size = log(multiple)
    rest = b * (size + log1p(exp(-steep) / multiple))
    error = b * (2.0 * error_ulps + 32.0 + 18.0 * abs(size)) * UNIT
    whole = money + net_shares
    return whole + floor(rest - error), whole + floor(rest + error)


def sale_payout_kopecks(b: int, shares: int, net_shares: int, odds: float, error_ulps: float) -> tuple[int, int]:
    """Bound the kopecks that `shares` ≥ 1 sell for: y = b·ln((1 + ρ·e^g) / (e^(−x/b) + ρ·e^g))."""
    steep = net_shares / b
    part = -expm1(-shares / b)  # t = 1 − e^(−x/b): 5u
    ahead = net_shares + shares
    if ahead <= 0:
        # Almost all is paid: y = x − b·ln(1 + t·ρ·e^h / (1 + ρ·e^g)), g < h = (D+x)/b ≤ 0.
        # Numerator: t 5, ρ N, exp |h| + 4, two roundings; denominator: N + 5 + |g|·ρ·e^g, which is T + 1 by (∗), and 1;
        # ÷ 1; log1p 4; b and × 2. Together 2·N + T + |h| + 25. What is missing is positive: at most x − 1 is paid.
        left = ahead / b
        short = b * log1p(part * odds * exp(left) / (1.0 + odds * exp(steep)))
        error = short * (3.0 * error_ulps - left + 30.0) * UNIT
        return shares - max(1, ceil(short + error)), shares - max(1, ceil(short - error))
    if steep < -STEEP:
        # The sale lowers the price from nearly 1: y = −D + b·(ln(1 + ρ·e^g) − ln ρ − ln(1 + e^(−h)/ρ)).
        # Absolute errors: ln ρ: N + 4T. log1p(ρ·e^g): N + 5 + (T + 1) + 4·(T + 1) by (∗). log1p(e^(−h)/ρ): the same.
        # Two differences of at most 3T + 2, b and ×: 4·(3T + 2). Together 3·N + 28 + 26·T < 16·N.
        rest = b * (log1p(odds * exp(steep)) - log(odds) - log1p(exp(-ahead / b) / odds))
        error = b * 18.0 * error_ulps * UNIT
        return floor(rest - error) - net_shares, floor(rest + error) - net_shares
    # y = b·ln(1 + t / (e^(−x/b) + ρ·e^g)), for g > 0 with both halves of the fraction times e^(−g).
    # Numerator: t 5, and g + 5 more for e^(−g). The sum has two terms. The first is off by x/b + 4, or x/b + g + 9 for
    # g > 0, but is only k/(1 + k) of the sum, k = e^(−h)/ρ, h = (D + x)/b > 0: as x/b = h − g, this brings |g| + T + 10
    # into it at most (∗). The second is off by N + |g| + 5, or by N for g > 0. Adding 1; ÷ 1; log1p 4; b and × 2.
    # Together at most N + T + |g| + 28.
    if steep > 0:
        shrink = exp(-steep)
        rest = b * log1p(part * shrink / (exp(-shares / b) * shrink + odds))
    else:
        rest = b * log1p(part / (exp(-shares / b) + odds * exp(steep)))
    error = rest * (2.0 * error_ulps + abs(steep) + 32.0) * UNIT
    return floor(rest - error), floor(rest + error)


def value_kopecks(b: int, shares: int, net_shares: int, odds: float, error_ulps: float) -> tuple[int, int]:
    """Bound the value of `shares` ≥ 1: v = x·A/(A + B)."""
    steep = net_shares / b
    # k, the odds B/A = ρ·e^g or A/B, whichever does not overflow: N, |g| + 4, 1. k/(1 + k): that, that and 1, ÷ 1; x
    # and × 2. Together at most 2·N + 2·|g| + 14. It is positive: where it is B's part of x, at most x − 1 is A's.
    if steep <= 0:
        ratio = odds * exp(steep)
        part = shares * (ratio / (1.0 + ratio))
        error = part * (2.0 * error_ulps - 2.0 * steep + 20.0) * UNIT
        return shares - max(1, ceil(part + error)), shares - max(1, ceil(part - error))
    ratio = exp(-steep) / odds
    part = shares * (ratio / (1.0 + ratio))
    error = part * (2.0 * error_ulps + 2.0 * steep + 20.0) * UNIT
    return floor(part - error), floor(part + error)


def shares_to_price(b: int, net_shares: int, odds: float, level: tuple[int, int], error_ulps: float) -> tuple[int, int]:
    """Bound the shares that move the side from its price to odds of n : m (`level`): D + b·ln(ρ·n/m)."""
    # Absolute errors, with L = |ln …|: ρ N, n/m 1, × 1; log 4L; b and × 2L.
    rest = b * log(odds * (level[0] / level[1]))
    error = (b * (error_ulps + 5.0) + 8.0 * abs(rest)) * UNIT
    return net_shares + floor(rest - error), net_shares + floor(rest + error)


def subsidy_kopecks(added_b: int, b: int, net_shares: int, odds: float, error_ulps: float) -> tuple[int, int]:
    """Bound added_b·ln(1/r) for the price r = A/(A + B): added_b·ln(1 + ρ·e^g), D and b in one unit of their own."""
    steep = net_shares / b
    if steep <= STEEP:
        # ρ N, exp |g| + 4, × 1; log1p 4; added_b and × 2. Together N + |g| + 11.
        rest = added_b * log1p(odds * exp(steep))
        error = rest * (error_ulps + abs(steep) + 16.0) * UNIT
        return floor(rest - error), floor(rest + error)
    # added_b·(g + ln ρ + ln(1 + e^(−g)/ρ)), the first in integers. Absolute errors as in `shares_bought`, z = ρ being
    # N off: added_b·(2·N + 13 + 15·L). The fraction, below 1, is rounded once, and so is the sum.
    whole, part = divmod(added_b * net_shares, b)
    size = log(odds)
    rest = added_b * (size + log1p(exp(-steep) / odds)) + part / b
    error = (added_b * (2.0 * error_ulps + 32.0 + 18.0 * abs(size)) + 4.0) * UNIT
    return whole + floor(rest - error), whole + floor(rest + error)


def log_multiple(b: int, numerator: int, denominator: int) -> tuple[int, int]:
    """Bound b·ln(numerator/denominator) of positive integers."""
    return shares_to_price(b, 0, 1.0, (numerator, denominator), 0.0)
