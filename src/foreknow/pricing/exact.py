"""Decisions that floats cannot make: is a price at least this whole number? Exact, and always decidable.

Every question about a trade ("do s kopecks cover k shares?") compares sums of integers times e^(m/b) with integer m:

    Σ_m c_m · e^(m/b) ≥ 0 ?

e^(1/b) is transcendental (Hermite 1873, Lindemann 1882), so such a sum is zero only where every c_m is: once equal
exponents are added up, either nothing is left, which is a tie, or the sum is not zero and enough digits show its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from typing import NamedTuple

#: Digits of the first attempt; they settle all but contrived sums.
DIGITS_AT_FIRST = 50


class TradeGroups(NamedTuple):
    """One pool cut in two for one outcome and side: the terms c·e^(m/b), as {m: c}, that grow and that rest."""

    b: int
    growing: Mapping[int, int]
    resting: Mapping[int, int]


def covers(split: TradeGroups, money_kopecks: int, shares: int) -> bool:
    """Whether `money_kopecks` pay for `shares`: (A + B)·e^(s/b) ≥ A·e^(x/b) + B."""
    b, A, B = split
    surplus = sign(b, (A, 1, money_kopecks), (B, 1, money_kopecks), (A, -1, shares), (B, -1, 0))
    return surplus >= 0


def pays(split: TradeGroups, shares: int, payout_kopecks: int) -> bool:
    """Whether `shares` sell for `payout_kopecks`: A + B ≥ (A·e^(−x/b) + B)·e^(y/b)."""
    b, A, B = split
    surplus = sign(b, (A, 1, 0), (B, 1, 0), (A, -1, payout_kopecks - shares), (B, -1, payout_kopecks))
    return surplus >= 0


def is_worth(split: TradeGroups, shares: int, value_kopecks: int) -> bool:
    """Whether `shares` times the price are `value_kopecks` or more: x·A ≥ v·(A + B)."""
    b, A, B = split
    surplus = sign(b, (A, shares - value_kopecks, 0), (B, -value_kopecks, 0))
    return surplus >= 0


def reaches_price(split: TradeGroups, level: tuple[int, int], shares: int) -> bool:
    """Whether `shares` can be bought before the side's odds A : B pass n : m (`level`): n·B ≥ m·A·e^(x/b)."""
    b, A, B = split
    surplus = sign(b, (B, level[0], 0), (A, -level[1], shares))
    return surplus >= 0


def largest(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the largest k in `low` … `high` for which `holds(k)`, which is known of `low` and monotonous."""
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def sign(b: int, *parts: tuple[Mapping[int, int], int, int]) -> int:
    """Return the sign (−1, 0, 1) of the sum over `parts` (terms, factor, shift) of Σ factor · c · e^((m + shift)/b)."""
    merged: dict[int, int] = {}
    for terms, factor, shift in parts:
        for exponent, coefficient in terms.items():
            merged[exponent + shift] = merged.get(exponent + shift, 0) + factor * coefficient
    merged = {exponent: coefficient for exponent, coefficient in merged.items() if coefficient}
    if not merged:
        return 0
    digits = DIGITS_AT_FIRST
    while True:
        total, error = _evaluate(b, merged.items(), max(merged), digits)
        if total.copy_abs() > error:  # not `abs`, which rounds in the caller's context
            return 1 if total > 0 else -1
        digits *= 2


def _evaluate(b: int, terms: Iterable[tuple[int, int]], top: int, digits: int) -> tuple[Decimal, Decimal]:
    """Return Σ c·e^((m − top)/b) computed with `digits` digits, and a bound on its error."""
    # A context of our own: the caller's digits, limits of exponents and traps are its own affair.
    context = Context(
        prec=digits,
        rounding=ROUND_HALF_EVEN,
        Emin=MIN_EMIN,
        Emax=MAX_EMAX,
        traps=[InvalidOperation, DivisionByZero, Overflow],
    )
    divisor = Decimal(b)
    # e^(−5·digits) < 10^(−2·digits): whatever is further down is not computed, only counted.
    depth = 5 * digits * b
    total = magnitude = Decimal(0)
    count = skipped = 0
    for exponent, coefficient in terms:
        if top - exponent > depth:
            skipped += abs(coefficient)
            continue
        # `Decimal(int)` is exact; the context rounds results only.
        power = context.exp(context.divide(Decimal(exponent - top), divisor))
        term = context.multiply(Decimal(coefficient), power)
        total = context.add(total, term)
        magnitude = context.add(magnitude, term.copy_abs())
        count += 1
    # One rounding is relative η = ½·10^(1 − digits). A term: its exponent, at most 5·digits in size, off by η times
    # that; exp correctly rounded, 1; times the coefficient, 1. Each of `count` sums: η times at most the magnitude.
    # Together η·magnitude·(5·digits + count + 2); the bound takes more than twice that, for everything of second order.
    rounding = context.multiply(magnitude, Decimal(5 * digits + count + 10).scaleb(1 - digits, context))
    return total, context.add(rounding, Decimal(skipped).scaleb(-2 * digits, context))
