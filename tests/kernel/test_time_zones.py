"""Times of day in time zones."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from foreknow.kernel.time_zones import last_hour_ms, next_hour_ms, time_zone


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
