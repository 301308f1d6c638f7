"""Time zones by their IANA names, and the times of day in them."""

from __future__ import annotations

import functools
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta
from importlib import resources
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from foreknow.kernel.clock import EPOCH, MINUTE_MS, SECOND_MS, millis

UTC_NAME = "UTC"
MONTH_NAMES: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
#: The calendar repeats after 400 years, to the weekday.
_CYCLE_YEARS = 400
_CYCLE = timedelta(days=146_097)


class LocalTime(NamedTuple):
    """A moment in a time zone, to the minute."""

    year: int
    month: int
    day: int
    hour: int
    minute: int


@functools.cache
def zone_names() -> frozenset[str]:
    """Return the names of all zones."""
    # The names of the package alone: those of a machine differ, and a name becomes the path of a file.
    return frozenset(resources.files("tzdata").joinpath("zones").read_text(encoding="ascii").split())


@functools.cache
def time_zone(name: str) -> ZoneInfo:
    """Return a zone; `ValueError` for an unknown name."""
    if name not in zone_names():
        raise ValueError("no such time zone")
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as rules:
        return ZoneInfo.from_file(rules, key=name)


def local_time(at_ms: int, zone: str) -> LocalTime:
    """Return a moment (Unix milliseconds) in a zone."""
    moment = EPOCH + timedelta(milliseconds=at_ms)
    cycles = 0
    # A zone can move the ends of the calendar past it; a cycle earlier or later the zone's rules are the same.
    if moment.year == MAXYEAR:
        moment, cycles = moment - _CYCLE, 1
    elif moment.year == MINYEAR:
        moment, cycles = moment + _CYCLE, -1
    local = moment.astimezone(time_zone(zone))
    return LocalTime(local.year + cycles * _CYCLE_YEARS, local.month, local.day, local.hour, local.minute)


def day_start_ms(day: date, zone: str) -> int:
    """Return the first moment of a day in a zone; `OverflowError` where UTC cannot express it."""
    midnight = datetime.combine(day, time(), time_zone(zone))
    start_ms = millis(midnight.astimezone(UTC))
    if local_time(start_ms, zone) == (day.year, day.month, day.day, 0, 0):
        return start_ms
    # The clock leaps over midnight: by its offsets before and after the leap it lies on either side of it.
    earlier_ms, later_ms = millis(midnight.replace(fold=1).astimezone(UTC)), start_ms
    while later_ms - earlier_ms > MINUTE_MS:
        middle_ms = (earlier_ms + later_ms) // (2 * MINUTE_MS) * MINUTE_MS
        if local_time(middle_ms, zone)[:3] < (day.year, day.month, day.day):
            earlier_ms = middle_ms
        else:
            later_ms = middle_ms
    return later_ms


def next_hour_ms(at_ms: int, hour: int, zone: str) -> int:
    """Return the first moment after `at_ms` (Unix milliseconds) at which it is `hour` o'clock in a zone."""
    today = datetime.fromtimestamp(at_ms / SECOND_MS, UTC).astimezone(time_zone(zone)).date()
    return min(moment for day in (0, 1, 2) if (moment := _moment_ms(today + timedelta(day), hour, zone)) > at_ms)


def last_hour_ms(at_ms: int, hour: int, zone: str) -> int:
    """Return the last moment, at most `at_ms`, at which it was `hour` o'clock in a zone."""
    today = datetime.fromtimestamp(at_ms / SECOND_MS, UTC).astimezone(time_zone(zone)).date()
    return max(moment for day in (0, 1, 2) if (moment := _moment_ms(today - timedelta(day), hour, zone)) <= at_ms)


def _moment_ms(day: date, hour: int, zone: str) -> int:
    return round(datetime.combine(day, time(hour), time_zone(zone)).timestamp() * SECOND_MS)
