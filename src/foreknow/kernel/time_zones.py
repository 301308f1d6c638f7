"""Time zones by their IANA names, and the times of day in them."""

from __future__ import annotations

import functools
from datetime import UTC, date, datetime, time, timedelta
from importlib import resources
from zoneinfo import ZoneInfo

from foreknow.kernel.clock import SECOND_MS

UTC_NAME = "UTC"


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
