"""Exact comparisons for the cases that floats cannot decide.

Every question about a trade ("do s kopecks cover k shares?") compares sums of integers times e^(m/b) with integer m:

    Σ_m c_m · e^(m/b) ≥ 0 ?

e^(1/b) is transcendental (Hermite 1873, Lindemann 1882), so such a sum is zero only where every c_m is: with equal
exponents merged, either nothing is left (a tie) or the sum is not zero and enough digits show its sign.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from typing import NamedTuple

#: Digits of the first attempt, enough for all but contrived sums.
DIGITS_AT_FIRST = 50


class TradeGroups(NamedTuple):
    """A pool's outcomes in the two groups of a trade, each as terms c·e^(m/b) in the form {m: c}.

    One share or kopeck moves an exponent m by `parts`: b shares times `parts` are this `b` (see `liquidity`).
    """

    b: int
    growing: Mapping[int, int]
    resting: Mapping[int, int]
    parts: int = 1


def covers(groups: TradeGroups, money_kopecks: int, shares: int) -> bool:
    """Return whether `money_kopecks` pay for `shares`: (A + B)·e^(s/b) ≥ A·e^(x/b) + B."""
    b, A, B, parts = groups
    money = parts * money_kopecks
    surplus = sign(b, (A, 1, money), (B, 1, money), (A, -1, parts * shares), (B, -1, 0))
    return surplus >= 0


def pays(groups: TradeGroups, shares: int, payout_kopecks: int) -> bool:
    """Return whether `shares` sell for `payout_kopecks`: A + B ≥ (A·e^(−x/b) + B)·e^(y/b)."""
    b, A, B, parts = groups
    payout = parts * payout_kopecks
    surplus = sign(b, (A, 1, 0), (B, 1, 0), (A, -1, payout - parts * shares), (B, -1, payout))
    return surplus >= 0


def is_worth(groups: TradeGroups, shares: int, value_kopecks: int) -> bool:
    """Return whether `shares` times the price are at least `value_kopecks`: x·A ≥ v·(A + B)."""
    b, A, B, _ = groups
    surplus = sign(b, (A, shares - value_kopecks, 0), (B, -value_kopecks, 0))
    return surplus >= 0


def reaches_price(groups: TradeGroups, level: tuple[int, int], shares: int) -> bool:
    """Return whether `shares` can be bought before the side's odds A : B pass n : m (`level`): n·B ≥ m·A·e^(x/b)."""
    b, A, B, parts = groups
    surplus = sign(b, (B, level[0], 0), (A, -level[1], parts * shares))
    return surplus >= 0


def largest(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the largest k in `low` … `high` with `holds(k)`, which is monotonic and true of `low`."""
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
    context = _context(digits)
    # e^(−5·digits) < 10^(−2·digits): smaller terms are skipped and added to the error bound.
    depth = 5 * digits * b
    total = magnitude = Decimal(0)
    count = skipped = 0
    for exponent, coefficient in terms:
        if top - exponent > depth:
            skipped += abs(coefficient)
            continue
        # `Decimal(int)` is exact; the context rounds results only.
        term = context.multiply(Decimal(coefficient), _power(b, exponent - top, digits))
        total = context.add(total, term)
        magnitude = context.add(magnitude, term.copy_abs())
        count += 1
    # One rounding is relative η = ½·10^(1 − digits). A term: its exponent, at most 5·digits in size, off by η times
    # that; exp correctly rounded, 1; times the coefficient, 1. Each of `count` sums: η times at most the magnitude.
    # Together η·magnitude·(5·digits + count + 2); the bound is more than twice that, which covers second-order terms.
    rounding = context.multiply(magnitude, Decimal(5 * digits + count + 10).scaleb(1 - digits, context))
    return total, context.add(rounding, Decimal(skipped).scaleb(-2 * digits, context))


# The comparisons about one pool share most of their powers.
@functools.lru_cache(maxsize=512)
def _power(b: int, exponent: int, digits: int) -> Decimal:
    """Return e^(exponent/b), rounded twice."""
    context = _context(digits)
    return context.exp(context.divide(Decimal(exponent), Decimal(b)))


def _context(digits: int) -> Context:
    """Return a decimal context independent of the caller's: its digits, exponent limits and traps."""
    return Context(
        prec=digits,
        rounding=ROUND_HALF_EVEN,
        Emin=MIN_EMIN,
        Emax=MAX_EMAX,
        traps=[InvalidOperation, DivisionByZero, Overflow],
    )
