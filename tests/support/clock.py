"""A clock that tests can move."""

from __future__ import annotations

import time
from typing import Self

from foreknow.kernel.clock import DAY_MS


class ShiftableClock:
    """Tells the machine's time in Unix milliseconds, shifted by what `advance` was given; or stands still.

    Never the time of `use_test_clock`: a test of that in this process would move the clocks of all shared services.
    """

    def __init__(self) -> None:
        """Start without a shift."""
        self._shift_ms = 0
        self._stopped_at_ms: int | None = None

    def __call__(self) -> int:
        """Return the time in Unix milliseconds."""
        if self._stopped_at_ms is not None:
            return self._stopped_at_ms
        return time.time_ns() // 1_000_000 + self._shift_ms

    def advance(self, ms: int) -> None:
        """Let `ms` milliseconds pass at once; workers notice when the test waits for them (`tests.support.waiting`)."""
        if self._stopped_at_ms is None:
            self._shift_ms += ms
        else:
            self._stopped_at_ms += ms

    def stop_at(self, at_ms: int) -> None:
        """Stand still at a moment from now on, until it is called again."""
        self._stopped_at_ms = at_ms

    @classmethod
    def standing(cls) -> Self:
        """Return one that stands still at this moment, for tests to which a second more or less matters."""
        made = cls()
        made.stop_at(made())
        return made

    def to_midweek(self) -> None:
        """Go on to noon of a Thursday, for tests of one day or one week."""
        # As the first of 1970 was.
        self.advance((DAY_MS // 2 - self()) % (7 * DAY_MS))

    def go_on(self) -> None:
        """Go on from the moment at which it stands."""
        if self._stopped_at_ms is not None:
            self._shift_ms = self._stopped_at_ms - time.time_ns() // 1_000_000
            self._stopped_at_ms = None
