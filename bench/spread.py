"""Figures of several rounds: their median with the least and the most, as cells of a table."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

#: Widths of a table's columns; the first has the figures' names.
WIDTHS = (36, 26, 26, 20)


@dataclass(frozen=True, slots=True)
class Spread:
    """One figure's values, one for each round."""

    values: Sequence[float]

    @classmethod
    def of_ratios(cls, these: Sequence[float], those: Sequence[float]) -> Spread:
        """Compare round by round: the two of one round were measured beside each other."""
        return cls([this / that if that else float("nan") for this, that in zip(these, those, strict=True)])

    @property
    def median(self) -> float:
        """The middle value, or the mean of both middle ones."""
        return statistics.median(self.values)

    def __str__(self) -> str:
        """Print 0.59 (0.58–0.61), or 9,310 (9,025–9,502)."""
        middle, least, most = (_short(value) for value in (self.median, min(self.values), max(self.values)))
        return f"{middle} ({least}–{most})"


def row(*cells: object) -> str:
    """Return a line of the table."""
    first, *others = (str(cell) for cell in cells)
    return "".join(
        [first.ljust(WIDTHS[0]), *(cell.rjust(width) for cell, width in zip(others, WIDTHS[1:], strict=True))]
    )


def _short(value: float) -> str:
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}"
