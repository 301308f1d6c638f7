"""Turns at uploading: one image at a time for an account, eight at a time in a process.

A body of up to 64 KiB has been received before its turn, and waits for the account's other small ones. A larger one is
received only in its turn and rejected without one, since the upload under way may take any time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from foreknow.kernel.errors import RateLimited

#: Number of large bodies received and drawn at once: some 40 MiB.
LARGE_MAX = 8
#: Number of small ones that may wait for the others of their accounts: some 4 MiB.
SMALL_MAX = 64
_RETRY_AFTER_S = 5


class Uploads:
    """Gives out the turns of one process."""

    def __init__(self) -> None:
        """Begin without uploads."""
        self._large: set[int] = set()
        #: By account: its small uploads take turns at the lock; the number counts them.
        self._small: dict[int, tuple[asyncio.Lock, int]] = {}
        self._small_count = 0

    @contextlib.asynccontextmanager
    async def turn(self, user_id: int, *, is_large: bool) -> AsyncIterator[None]:
        """Let an account upload one image, and no other meanwhile; `RateLimited`."""
        if user_id in self._large or len(self._large) >= LARGE_MAX:
            raise RateLimited(retry_after_s=_RETRY_AFTER_S)
        if is_large:
            if user_id in self._small:
                raise RateLimited(retry_after_s=_RETRY_AFTER_S)
            self._large.add(user_id)
            try:
                yield
            finally:
                self._large.remove(user_id)
            return
        if self._small_count >= SMALL_MAX:
            raise RateLimited(retry_after_s=_RETRY_AFTER_S)
        lock = self._enter(user_id)
        try:
            async with lock:
                yield
        finally:
            self._leave(user_id)

    def _enter(self, user_id: int) -> asyncio.Lock:
        lock, count = self._small.get(user_id) or (asyncio.Lock(), 0)
        self._small[user_id] = (lock, count + 1)
        self._small_count += 1
        return lock

    def _leave(self, user_id: int) -> None:
        lock, count = self._small[user_id]
        self._small_count -= 1
        if count > 1:
            self._small[user_id] = (lock, count - 1)
        else:
            del self._small[user_id]
