"""Comparisons that decide prices: sums of whole numbers times powers of e, and the largest number that one holds for.

A *group* is a sum Σ c·e^(k/b), as weights c by exponents k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal, localcontext

#: Digits of the first attempt at a sign; each further one has twice as many.
DIGITS = 40


def times(group: Mapping[int, int], factor: int) -> dict[int, int]:
    """Return a group with all weights multiplied."""
    return {exponent: factor * weight for exponent, weight in group.items()}


def added(*groups: tuple[Mapping[int, int], int]) -> dict[int, int]:
    """Add groups of weights by exponent, each moved by a number."""
    sums: dict[int, int] = {}
    for group, moved in groups:
        for exponent, weight in group.items():
            sums[exponent + moved] = sums.get(exponent + moved, 0) + weight
    return sums


def sign(b: int, terms: Mapping[int, int]) -> int:
    """Return the sign of Σ c·e^(k/b) over the terms, k: c."""
    left = {exponent: weight for exponent, weight in terms.items() if weight}
    if not left:
        return 0
    top, digits = max(left), DIGITS
    while True:
        with localcontext(Context(prec=digits)):
            values = [weight * (Decimal(exponent - top) / b).exp() for exponent, weight in left.items()]
            total = sum(values, Decimal(0))
            # Each term is off by a few units in its last place, its exponent's rounding included.
            bound = sum(map(abs, values), Decimal(0)) * Decimal(10) ** (8 - digits)
        if abs(total) > bound:
            return 1 if total > 0 else -1
        digits *= 2


def largest(estimate: int, holds: Callable[[int], bool]) -> int:
    """Return the largest whole number from 0 on that `holds`, as all smaller ones do, searched from an estimate."""
    low, high, step = max(0, estimate), max(0, estimate) + 1, 1
    while low > 0 and not holds(low):
        low, high, step = max(0, low - step), low, 2 * step
    while holds(high):
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
