"""Time: Unix milliseconds inside, ISO 8601 in UTC with `Z` and milliseconds in requests and responses."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

#: Returns the time in Unix milliseconds. Injected, so that tests can set it.
Clock = Callable[[], int]

SECOND_MS = 1000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FileClock:
    """Reads the time from a file, for tests of whole processes."""

    #: How often the file is read.
    EVERY_S = 0.01

    def __init__(self, path: Path) -> None:
        """Read Unix milliseconds as decimal text from `path`; `OSError` or `ValueError` if it holds none."""
        self._path = path
        self._lock = threading.Lock()
        self._now_ms = int(path.read_text())
        self._due_s = time.monotonic() + self.EVERY_S

    def __call__(self) -> int:
        """Return the file's time in Unix milliseconds; the last one known while the file cannot be read."""
        # Of two threads that read at once, the slower one must not bring an older time back.
        with self._lock:
            if time.monotonic() >= self._due_s:
                with contextlib.suppress(OSError, ValueError):
                    self._now_ms = int(self._path.read_text())
                self._due_s = time.monotonic() + self.EVERY_S
            return self._now_ms


class _Machine:
    """The time of this process: the machine's, or a test's file."""

    test_clock: Clock | None = None


def system_clock() -> int:
    """Return the machine's time in Unix milliseconds, or that of the file of `use_test_clock`."""
    if _Machine.test_clock is not None:
        return _Machine.test_clock()
    return time.time_ns() // 1_000_000


def use_test_clock(path: Path) -> None:
    """Let this process read all its time, the database's too, from a file (see `FileClock`)."""
    _Machine.test_clock = FileClock(path)


def is_test_clock_used() -> bool:
    """Return whether the time comes from a file."""
    return _Machine.test_clock is not None


def iso(at_ms: int) -> str:
    """Format a time in the API's format: `2026-01-31T12:00:00.000Z`."""
    minute, rest_ms = divmod(at_ms, MINUTE_MS)
    second, millisecond = divmod(rest_ms, SECOND_MS)
    return f"{_minute(minute)}{_TWO_DIGITS[second]}.{_THREE_DIGITS[millisecond]}Z"


# Cached, because a chart has a thousand times, many in one minute.
@functools.lru_cache(maxsize=4096)
def _minute(minute: int) -> str:
    """Format minutes since 1970 up to the seconds: `2026-01-31T12:00:`."""
    moment = EPOCH + timedelta(minutes=minute)
    return moment.replace(tzinfo=None).isoformat(timespec="minutes") + ":"


_TWO_DIGITS = tuple(f"{number:02}" for number in range(60))
_THREE_DIGITS = tuple(f"{number:03}" for number in range(1000))


def iso_or_none(at_ms: int | None) -> str | None:
    """Format an optional time."""
    return None if at_ms is None else iso(at_ms)


def millis(moment: datetime) -> int:
    """Return an aware datetime as Unix milliseconds, rounded down."""
    return (moment - EPOCH) // timedelta(milliseconds=1)
