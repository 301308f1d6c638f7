"""Series that grow without end and store at most `STORED_POINTS_MAX` evenly spaced points.

Stored are points 0, 1, 2, … whose ordinal is a multiple of the stride, a power of two that doubles when the limit
would be exceeded. So a new point writes at most one row, the first point always stays, and doubling the stride
deletes half of the rows of one series.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from foreknow.platform.db.changes import Delete, Sink, apply, insert_rows
from foreknow.platform.db.metadata import Int64

Point = TypeVar("Point")

#: Most stored points: with the newest (which need not be a multiple of the stride) and the current one, 1,000.
STORED_POINTS_MAX = 998


def stride(newest_ordinal: int) -> int:
    """Return the least power of two with at most `STORED_POINTS_MAX` multiples in 0 … `newest_ordinal`."""
    step = 1
    while newest_ordinal // step >= STORED_POINTS_MAX:
        step *= 2
    return step


@dataclass(frozen=True, slots=True)
class NewPoints(Generic[Point]):
    """Points to append to a series; the first has the ordinal `first`."""

    first: int
    points: Sequence[Point]

    @property
    def newest(self) -> int:
        """The ordinal of the last point."""
        return self.first + len(self.points) - 1


class DownsampledSeries(Generic[Point]):
    """A table of series with the columns `key` (the series' owner), `ordinal`, and `values` (a point's data)."""

    def __init__(
        self, table: sa.Table, key: str, values: tuple[str, ...], row: Callable[[Point], tuple[Any, ...]]
    ) -> None:
        """`row` converts a point to its `values`."""
        self._table = table
        self._names = (key, "ordinal", *values)
        self._row = row
        self._thin = Delete(
            table,
            {"series": Int64, "stride": Int64},
            f"old.{key} = given.series AND old.ordinal % given.stride <> 0",
        )

    def append(self, into: Sink, new: Mapping[int, NewPoints[Point]]) -> None:
        """Append new points to each series; points that are not stored cost nothing."""
        rows: list[tuple[Any, ...]] = []
        thinned: list[tuple[int, int]] = []
        for key, added in new.items():
            step = stride(added.newest)
            before = added.first - 1
            if before > 0 and stride(before) != step:
                thinned.append((key, step))
            stored = range(-(-added.first // step) * step, added.newest + 1, step)
            rows += [(key, ordinal, *self._row(added.points[ordinal - added.first])) for ordinal in stored]
        if thinned:
            apply(into, self._thin, thinned)
        insert_rows(into, self._table, self._names, rows)
