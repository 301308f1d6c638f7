"""Days, weeks from Monday and months, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from foreknow.kernel.clock import DAY_MS, SECOND_MS
from foreknow.kernel.grant_settings import AllowancePeriod

WEEK_DAYS = 7
#: 1970-01-01 was a Thursday.
_MONDAY = 3


class PeriodBounds(NamedTuple):
    """A period from its first millisecond to that of the next; Unix milliseconds."""

    start_ms: int
    end_ms: int


def period_of(every: AllowancePeriod, at_ms: int) -> PeriodBounds:
    """Return the period in which a moment lies."""
    day = at_ms // DAY_MS
    if every == "day":
        return PeriodBounds(day * DAY_MS, (day + 1) * DAY_MS)
    if every == "week":
        monday = day - (day + _MONDAY) % WEEK_DAYS
        return PeriodBounds(monday * DAY_MS, (monday + WEEK_DAYS) * DAY_MS)
    date = datetime.fromtimestamp(at_ms // SECOND_MS, UTC)
    next_month = (date.year + 1, 1) if date.month == 12 else (date.year, date.month + 1)
    return PeriodBounds(_first_ms(date.year, date.month), _first_ms(*next_month))


def _first_ms(year: int, month: int) -> int:
    return int(datetime(year, month, 1, tzinfo=UTC).timestamp()) * SECOND_MS
