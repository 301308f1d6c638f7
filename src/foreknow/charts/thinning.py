"""Series that grow without end and keep at most `KEPT_MAX` points, thinned evenly.

Points are numbered 0, 1, 2, …; stored are those whose ordinal is a multiple of the stride, a power of two that doubles
whenever the stored points would pass the bound. So a new point writes at most one row, the first point always stays,
the kept ones are evenly spaced, and the half that a doubled stride no longer wants is deleted once in as many points
as there are already. Nothing is ever scanned but the at most `KEPT_MAX` rows of one series.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

#: With the newest point (which need not be a multiple of the stride) and the present one, a chart has at most 1,000.
KEPT_MAX = 998


def stride(newest_ordinal: int) -> int:
    """Return the least power of two of which 0 … `newest_ordinal` holds at most `KEPT_MAX` multiples."""
    step = 1
    while newest_ordinal // step >= KEPT_MAX:
        step *= 2
    return step


class ThinnedSeries:
    """A table of such series: columns `key` (whose series), `ordinal`, and whatever a point holds."""

    def __init__(self, table: sa.Table, key: str) -> None:
        """Thin the rows of `table`, one series for each value of its column `key`."""
        self._key = key
        self._insert = table.insert()
        self._delete = table.delete().where(
            table.c[key] == sa.bindparam("series"), table.c.ordinal % sa.bindparam("stride") != 0
        )

    def append(self, tx: sa.Connection, new: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
        """Append to each series its new points, rows with consecutive `ordinal`s that follow its newest one.

        At most one statement deletes and one inserts, however many series there are.
        """
        rows: list[Mapping[str, Any]] = []
        doomed: list[dict[str, int]] = []
        for key, points in new.items():
            step = stride(points[-1]["ordinal"])
            before = points[0]["ordinal"] - 1
            if before > 0 and stride(before) != step:
                doomed.append({"series": key, "stride": step})
            rows += [point for point in points if point["ordinal"] % step == 0]
        if doomed:
            tx.execute(self._delete, doomed)
        if rows:
            tx.execute(self._insert, rows)
