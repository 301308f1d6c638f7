"""The steps of a calendar: days, weeks from Monday, months, quarters and years, and when they begin in a time zone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import Literal

from foreknow.kernel.time_zones import day_start_ms
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.shapes.base import EDGES_MAX

StepName = Literal["day", "week", "month", "quarter", "year"]

_YEAR = 12
#: How many months a step has; of the others, days.
_MONTHS: Mapping[str, int] = {"month": 1, "quarter": 3, "year": _YEAR}
_DAYS: Mapping[str, int] = {"day": 1, "week": 7}
_STARTS: Mapping[str, tuple[Callable[[date], bool], str]] = {
    "day": (lambda _: True, "a day"),
    "week": (lambda day: day.weekday() == 0, "a Monday"),
    "month": (lambda day: day.day == 1, "the first day of a month"),
    "quarter": (lambda day: day.day == 1 and day.month % 3 == 1, "the first day of a quarter"),
    "year": (lambda day: day.day == day.month == 1, "the first day of a year"),
}


def step_start(path: str, text: str, step: StepName) -> date:
    """Read a date, such as 2027-01-01, with which a step begins; `BadRequest` names the field `path`."""
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise wrong_field(path, "must be a date, such as 2027-01-01") from error
    begins, description = _STARTS[step]
    if not begins(day):
        raise wrong_field(path, f"must be {description}")
    return day


def step_starts_ms(first: date, last: date, step: StepName, *, zone: str) -> list[int]:
    """Return when all steps from `first` to `last` begin in a zone, both included, Unix milliseconds.

    `BadRequest` where there are none, too many, or one that UTC cannot express.
    """
    if last < first:
        raise wrong_field("last", "must not be before first")
    starts: list[int] = []
    for day in _steps(first, last, step):
        if len(starts) == EDGES_MAX:
            raise wrong_field("last", f"must be at most {EDGES_MAX - 1} steps after first")
        try:
            starts.append(day_start_ms(day, zone))
        except OverflowError as beyond:
            raise wrong_field("last" if starts else "first", "must lie between the years 1 and 9999") from beyond
    return starts


def _steps(first: date, last: date, step: StepName) -> Iterator[date]:
    day = first
    while day <= last:
        yield day
        try:
            day = _next(day, step)
        except (OverflowError, ValueError):
            # Past the year 9999.
            return


def _next(day: date, step: StepName) -> date:
    if step in _DAYS:
        return day + timedelta(days=_DAYS[step])
    years, month = divmod(day.month - 1 + _MONTHS[step], _YEAR)
    return date(day.year + years, month + 1, 1)
