"""The periods of traders' sums: weeks (from Monday) and months of UTC, and all time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from foreknow.kernel.clock import DAY_MS, SECOND_MS

Period = Literal["week", "month", "all"]
PERIODS: tuple[Period, ...] = ("week", "month", "all")
#: 1970-01-01 was a Thursday.
_DAYS_AFTER_MONDAY = 3


def number_of(period: Period, at_ms: int) -> int:
    """Return the number of the period that a moment is in; a later period's is higher."""
    if period == "week":
        return (at_ms // DAY_MS + _DAYS_AFTER_MONDAY) // 7
    if period == "month":
        moment = datetime.fromtimestamp(at_ms // SECOND_MS, UTC)
        return moment.year * 12 + moment.month
    return 0
