"""Passwords: argon2id, on a few threads of their own, since each hash costs some 20 ms of a core and 19 MiB."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import VerifyMismatchError

from foreknow.kernel.errors import RateLimited
from foreknow.kernel.text import may_be_within, nfc
from foreknow.users.schemas import PASSWORD_LENGTH_MAX

Result = TypeVar("Result")
Cost = Literal["normal", "low"]

#: Two hash at once; the other requests wait in line, or sign-ins would take the whole machine from the traders.
THREADS = 2
#: So many may wait, some ten seconds; whoever comes later is told to come again.
WAITING_MAX = 1_000
_RETRY_AFTER_S = 10


def hasher(cost: Cost) -> PasswordHasher:
    """Return argon2id with 19 MiB and two passes, the least that OWASP's Password Storage Cheat Sheet recommends.

    `low` is for tests: it protects nothing.
    """
    if cost == "low":
        return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID)
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)


class Passwords:
    """Hashes and compares passwords of any length without stopping the event loop."""

    def __init__(self, cost: Cost, *, limited: bool = True) -> None:
        """Where not `limited`, any number may wait."""
        self._hasher = hasher(cost)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="passwords")
        self._limited = limited
        self._waiting = 0
        # What a password is compared with where there is no account, so that an answer takes as long as with one.
        self._nobody = self._hasher.hash("nobody's password")

    async def hash(self, password: str) -> str:
        """Return what is stored of a password, the same in NFC or not; `RateLimited` where too many wait."""
        return await self._run(lambda: self._hasher.hash(nfc(password)))

    async def matches(self, password: str, password_hash: str | None) -> bool:
        """Tell whether it is the password; False, after as much work, where there is no hash. `RateLimited` too.

        One that is too long to be anybody's is tried as nobody's, as it was sent.
        """
        if not may_be_within(password, PASSWORD_LENGTH_MAX):
            await self._run(lambda: self._compare(password, self._nobody))
            return False
        equal = await self._run(lambda: self._compare(nfc(password), password_hash or self._nobody))
        return equal and password_hash is not None

    def is_outdated(self, password_hash: str) -> bool:
        """Tell whether a hash was made at another cost than is usual now."""
        return self._hasher.check_needs_rehash(password_hash)

    async def stop(self) -> None:
        """Finish what is being hashed."""
        await asyncio.to_thread(self._threads.shutdown)

    async def _run(self, work: Callable[[], Result]) -> Result:
        if self._limited and self._waiting >= WAITING_MAX:
            raise RateLimited(retry_after_s=_RETRY_AFTER_S)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    def _compare(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except VerifyMismatchError:
            return False
