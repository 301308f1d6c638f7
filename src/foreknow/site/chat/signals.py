"""Wakes one stream of server-sent events."""

from __future__ import annotations

import asyncio
import contextlib


class Signal:
    """What a stream waits for: news, or its end."""

    def __init__(self) -> None:
        """Start without news."""
        self.is_over = False
        self._wake_up = asyncio.Event()

    def wake(self) -> None:
        """Let the stream go on: there is news."""
        self._wake_up.set()

    def end(self) -> None:
        """The stream has to end: its reader has gone, is signed out, or the server stops."""
        self.is_over = True
        self._wake_up.set()

    async def wait(self, timeout_s: float) -> bool:
        """Return True after a wake-up since the last call, False after `timeout_s` without any."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._wake_up.wait()
        is_woken = self._wake_up.is_set()
        self._wake_up.clear()
        return is_woken
