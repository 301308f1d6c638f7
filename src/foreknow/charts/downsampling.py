"""Series that grow without end and keep at most `KEPT_MAX` points, thinned evenly.

Points are numbered 0, 1, 2, …; stored are those whose ordinal is a multiple of the stride, a power of two that doubles
whenever the stored points would pass the bound. So a new point writes at most one row, the first point always stays,
the kept ones are evenly spaced, and the half that a doubled stride no longer wants is deleted once in as many points
as there are already. Nothing is ever scanned but the at most `KEPT_MAX` rows of one series.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from foreknow.db.bulk import insert_rows
from foreknow.db.transactions import WriteTx

Point = TypeVar("Point")

#: With the newest point (which need not be a multiple of the stride) and the present one, a chart has at most 1,000.
KEPT_MAX = 998


def stride(newest_ordinal: int) -> int:
    """Return the least power of two of which 0 … `newest_ordinal` holds at most `KEPT_MAX` multiples."""
    step = 1
    while newest_ordinal // step >= KEPT_MAX:
        step *= 2
    return step


@dataclass(frozen=True, slots=True)
class NewPoints(Generic[Point]):
    """Points that follow a series' newest one; the first of them has the ordinal `first`."""

    first: int
    points: Sequence[Point]

    @property
    def newest(self) -> int:
        """The ordinal of the last of them."""
        return self.first + len(self.points) - 1


class DownsampledSeries(Generic[Point]):
    """A table of such series: columns `key` (whose series), `ordinal`, and `values`, what a point holds."""

    def __init__(
        self, table: sa.Table, key: str, values: tuple[str, ...], row: Callable[[Point], tuple[Any, ...]]
    ) -> None:
        """Thin the rows of `table`, one series for each value of its column `key`; `row` gives a point's `values`."""
        self._table = table
        self._names = (key, "ordinal", *values)
        self._row = row
        self._delete = table.delete().where(
            table.c[key] == sa.bindparam("series"), table.c.ordinal % sa.bindparam("stride") != 0
        )

    def append(self, tx: WriteTx, new: Mapping[int, NewPoints[Point]]) -> None:
        """Append to each series its new points; of those that are not kept, nothing is computed."""
        rows: list[tuple[Any, ...]] = []
        doomed: list[dict[str, int]] = []
        for key, added in new.items():
            step = stride(added.newest)
            before = added.first - 1
            if before > 0 and stride(before) != step:
                doomed.append({"series": key, "stride": step})
            kept = range(-(-added.first // step) * step, added.newest + 1, step)
            rows += [(key, ordinal, *self._row(added.points[ordinal - added.first])) for ordinal in kept]
        if doomed:
            tx.execute(self._delete, doomed)
        insert_rows(tx, self._table, self._names, rows)
