"""Rates between any two currencies: as stored, inverted, or across a common third."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from foreknow.market.assets.store import RateRow


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """What one unit of a currency is worth in another, and since when (the older of two rates multiplied)."""

    rate: float
    updated_at_ms: int


def pair_of(source: str, target: str) -> tuple[tuple[str, str], bool]:
    """Return a pair in the order in which it is stored, and whether its rate is then inverted."""
    return ((source, target), False) if source < target else ((target, source), True)


def find_rate(rows: Iterable[RateRow], *, source: str, target: str) -> ExchangeRate | None:
    """Return the rate of two different currencies from the pairs in which either stands.

    A rate means the shortest decimal that reads as the same double; rates multiply and divide exactly and are rounded
    once. None where the rows do not give it, or where it is too large or too small for a double.
    """
    source_to: dict[str, tuple[Fraction, int]] = {}
    to_target: dict[str, tuple[Fraction, int]] = {}
    for row in rows:
        for from_code, to_code, upside_down in (
            (row.low_code, row.high_code, row.inverted),
            (row.high_code, row.low_code, not row.inverted),
        ):
            stored = Fraction(repr(row.rate))
            worth = 1 / stored if upside_down else stored
            if from_code == source:
                source_to[to_code] = worth, row.updated_at_ms
            if to_code == target:
                to_target[from_code] = worth, row.updated_at_ms
    if target in source_to:
        return _rounded(*source_to[target])
    # Of several common bases the first by code counts.
    base = min(source_to.keys() & to_target.keys(), default=None)
    if base is None:
        return None
    (first, first_at_ms), (second, second_at_ms) = source_to[base], to_target[base]
    return _rounded(first * second, min(first_at_ms, second_at_ms))


def _rounded(exact: Fraction, updated_at_ms: int) -> ExchangeRate | None:
    try:
        rate = float(exact)
    except OverflowError:
        return None
    return ExchangeRate(rate, updated_at_ms) if rate > 0 else None
