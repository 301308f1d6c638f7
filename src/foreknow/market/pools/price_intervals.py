"""Intervals of numbers, exactly: a number is the shortest decimal that reads as the same double."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal

#: Exact for the product and the sum of any two doubles.
EXACT = Context(prec=2_000, rounding=ROUND_HALF_EVEN)
#: Integers up to this size are doubles.
_WHOLE_MAX = 2**53


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from `low` to `high`; None for an open end."""

    low: Decimal | None
    low_included: bool
    high: Decimal | None
    high_included: bool

    def holds(self, number: Decimal) -> bool:
        """Return whether a number lies inside."""
        above = self.low is None or number > self.low or (self.low_included and number == self.low)
        below = self.high is None or number < self.high or (self.high_included and number == self.high)
        return above and below

    @property
    def is_empty(self) -> bool:
        """Whether no number lies inside."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and not (self.low_included and self.high_included))

    def as_json(self) -> dict[str, int | float]:
        """Return the interval as a rule spells it."""
        bounds = (
            ("from" if self.low_included else "above", self.low),
            ("to" if self.high_included else "below", self.high),
        )
        return {key: json_number(number) for key, number in bounds if number is not None}


def from_below(interval: Interval) -> tuple[bool, Decimal, bool]:
    """Order intervals by where they begin: without a lower bound first, of equal ones the included first."""
    return interval.low is not None, interval.low or Decimal(0), not interval.low_included


def partition_error(intervals: Sequence[Interval]) -> tuple[int, str] | None:
    """Return the index of an interval and what is wrong with it, unless together they hold every number exactly once.

    None of them is empty.
    """
    upwards = sorted(range(len(intervals)), key=lambda index: from_below(intervals[index]))
    if intervals[upwards[0]].low is not None:
        return upwards[0], "is the lowest and must have no lower bound"
    for index, after in itertools.pairwise(upwards):
        lower, upper = intervals[index], intervals[after]
        # Only the first has no lower bound, and only the last may have no upper one.
        if lower.high is None or upper.low is None or lower.high > upper.low:
            return after, f"overlaps with outcomes[{index}]"
        if lower.high < upper.low:
            return after, f"leaves a gap after outcomes[{index}]"
        if lower.high_included and upper.low_included:
            return after, f"holds a number that outcomes[{index}] holds, too"
        if not lower.high_included and not upper.low_included:
            return after, f"leaves out a number, like outcomes[{index}]"
    if intervals[upwards[-1]].high is not None:
        return upwards[-1], "is the highest and must have no upper bound"
    return None


def shortest_decimal(number: float) -> Decimal:
    """Return the shortest decimal that reads as the same double; an integer exactly; never −0."""
    return Decimal(repr(number)) if number else Decimal(0)


def rounded(number: Decimal, decimals: int) -> Decimal:
    """Round to this many decimals, halves to even."""
    return number.quantize(Decimal(1).scaleb(-decimals), context=EXACT)


def plain_text(number: Decimal, *, is_grouped: bool = False) -> str:
    """Return the shortest text of a number, without an exponent; with commas between thousands where it is grouped."""
    text = f"{number:,f}" if is_grouped else f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def json_number(number: Decimal) -> int | float:
    """Return a number as responses show it: whole ones without a point."""
    return int(number) if number == number.to_integral_value() and abs(number) <= _WHOLE_MAX else float(number)
