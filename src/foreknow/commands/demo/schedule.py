"""Lets the steps of the demo's past happen in the order of their times, on a service whose time they set."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from foreknow.kernel.clock import HOUR_MS

#: A step begins only where the oldest under way is due less than this before it: so late is each dated at most, and
#: two steps that are so far apart are never taken in the other order.
LATE_MS_MAX = HOUR_MS
#: Whose steps: a market's, a person's.
Actor = tuple[str, ...]


class TestTime:
    """The file that is the time of a service (FOREKNOW_TEST_CLOCK)."""

    __test__ = False

    def __init__(self, path: Path, now_ms: int) -> None:
        """Begin at `now_ms` (Unix milliseconds)."""
        self.path = path
        self.now_ms = now_ms
        self.set(now_ms)

    def set(self, now_ms: int) -> None:
        """Let it be `now_ms`."""
        self.now_ms = now_ms
        beside = self.path.with_suffix(".new")
        beside.write_text(str(now_ms))
        beside.replace(self.path)


class Schedule:
    """The steps of many actors, which wait for each other. From `begin` on, time never goes back."""

    def __init__(self, steps: Mapping[Actor, Sequence[int]], time: TestTime) -> None:
        """Each actor takes as many steps as it has times (Unix milliseconds, ascending), or the others wait forever."""
        self._order = sorted((at_ms, actor) for actor, times in steps.items() for at_ms in times)
        self._time = time
        self._next = 0
        #: Places in the order of the steps under way.
        self._under_way: set[int] = set()
        self._waiting: dict[Actor, asyncio.Future[int]] = {}
        self._has_begun = False

    def begin(self) -> None:
        """Let the first steps be taken."""
        self._has_begun = True
        self._release()

    def is_late(self, at_ms: int) -> bool:
        """Return whether a step of that time is none of now: it was taken, or missed, before a past went on."""
        return self._time.now_ms - at_ms > LATE_MS_MAX

    @asynccontextmanager
    async def step(self, actor: Actor) -> AsyncIterator[None]:
        """Wait until it is time for an actor's next step, which is taken inside of the block."""
        ready = self._waiting[actor] = asyncio.get_running_loop().create_future()
        self._release()
        place = await ready
        try:
            yield
        finally:
            self._under_way.remove(place)
            self._release()

    def _release(self) -> None:
        while self._has_begun and self._next < len(self._order):
            at_ms, actor = self._order[self._next]
            oldest_ms, _ = self._order[min(self._under_way, default=self._next)]
            if at_ms - oldest_ms >= LATE_MS_MAX:
                return
            ready = self._waiting.pop(actor, None)
            if ready is None:
                return
            self._under_way.add(self._next)
            if at_ms > self._time.now_ms:
                self._time.set(at_ms)
            if not ready.done():
                ready.set_result(self._next)
            self._next += 1
