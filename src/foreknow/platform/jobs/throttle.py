"""When to work: soon after a wake-up, at a bounded rate, and at intervals without any."""

from __future__ import annotations

import asyncio
import contextlib


class Throttle:
    """Wakes one worker."""

    def __init__(self, *, pace_s: float, poll_s: float) -> None:
        """Wake the worker after `wake`, at least `pace_s` after the last time, and after `poll_s` without any."""
        self._pace_s = pace_s
        self._poll_s = poll_s
        self._wake_up = asyncio.Event()
        #: Ends a pause between two wake-ups.
        self._at_once = asyncio.Event()
        #: Not before; in seconds of the event loop's clock.
        self._next_s = float("-inf")

    def wake(self) -> None:
        """Wake the worker. Never blocks; any number of calls wakes once."""
        self._wake_up.set()

    def wake_now(self) -> None:
        """Wake the worker, whenever it was last woken. Never blocks."""
        self._wake_up.set()
        self._at_once.set()

    def rest(self, seconds: float) -> None:
        """Wake the worker no earlier than `seconds` from now."""
        self._next_s = max(self._next_s, asyncio.get_running_loop().time() + seconds)

    async def wait(self) -> None:
        """Return when it is time to work."""
        loop = asyncio.get_running_loop()
        await _happens(self._wake_up, within_s=self._poll_s)
        early_s = self._next_s - loop.time()
        if early_s > 0:
            await _happens(self._at_once, within_s=early_s)
        # Only now: the work that follows finds whatever a wake-up during the pause was about.
        self._wake_up.clear()
        self._at_once.clear()
        self._next_s = loop.time() + self._pace_s


async def _happens(event: asyncio.Event, *, within_s: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            await event.wait()
