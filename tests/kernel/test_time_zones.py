"""Times of day in time zones."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from foreknow.kernel.clock import millis
from foreknow.kernel.time_zones import day_start_ms, last_hour_ms, local_time, next_hour_ms, time_zone


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000)


@pytest.mark.parametrize(
    ("zone", "now", "last", "following"),
    [
        ("UTC", "2026-03-01T07:59", "2026-02-28T08:00", "2026-03-01T08:00"),
        ("UTC", "2026-03-01T08:00", "2026-03-01T08:00", "2026-03-02T08:00"),
        ("Europe/Moscow", "2026-03-01T04:59", "2026-02-28T05:00", "2026-03-01T05:00"),
        # Summer time begins in between: the day has 23 hours.
        ("Europe/Berlin", "2026-03-28T12:00", "2026-03-28T07:00", "2026-03-29T06:00"),
        ("Pacific/Kiritimati", "2026-03-01T17:00", "2026-02-28T18:00", "2026-03-01T18:00"),
        ("Pacific/Niue", "2026-03-01T20:00", "2026-03-01T19:00", "2026-03-02T19:00"),
        # Samoa left a day out.
        ("Pacific/Apia", "2011-12-29T19:00", "2011-12-29T18:00", "2011-12-30T18:00"),
    ],
)
def test_eight_oclock_is_the_zones(zone: str, now: str, last: str, following: str) -> None:
    assert (last_hour_ms(at(now), 8, zone), next_hour_ms(at(now), 8, zone)) == (at(last), at(following))


@pytest.mark.parametrize("name", ["", "Mars/Phobos", "../../etc/passwd", "utc", "Europe/Berlin\n"])
def test_only_known_zones_are_read(name: str) -> None:
    with pytest.raises(ValueError, match="no such time zone"):
        time_zone(name)


@pytest.mark.parametrize(
    ("day", "zone", "start"),
    [
        (date(2027, 1, 1), "UTC", "2027-01-01T00:00"),
        (date(2027, 1, 1), "Asia/Tokyo", "2026-12-31T15:00"),
        # Midnight twice: the first.
        (date(2026, 11, 1), "America/Havana", "2026-11-01T04:00"),
        # From midnight to one.
        (date(2018, 11, 4), "America/Sao_Paulo", "2018-11-04T03:00"),
        # From half past eleven to half past twelve.
        (date(1919, 3, 31), "America/Toronto", "1919-03-31T04:30"),
        (date(9999, 12, 31), "America/New_York", "9999-12-31T05:00"),
    ],
)
def test_a_day_begins_at_its_first_moment(day: date, zone: str, start: str) -> None:
    start_ms = day_start_ms(day, zone)
    assert start_ms == millis(datetime.fromisoformat(f"{start}+00:00"))
    assert local_time(start_ms, zone)[:3] == (day.year, day.month, day.day)


def test_a_day_that_begins_before_the_calendar_has_no_moment() -> None:
    with pytest.raises(OverflowError):
        day_start_ms(date(1, 1, 1), "Asia/Tokyo")
