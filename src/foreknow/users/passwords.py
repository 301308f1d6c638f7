"""Passwords: argon2id, on a few threads of their own, since each hash costs some 20 ms of a core and 19 MiB.

Whoever waits for a thread waits in the line of its household, and households take turns: a hundred connections that
guess passwords from one address hold up each other, and an honest sign-in from another one by a hash or two.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import VerifyMismatchError

from foreknow.kernel.errors import RateLimited
from foreknow.kernel.text import may_be_within, nfc
from foreknow.kernel.threads import background_threads
from foreknow.users.fair_queue import FairQueue
from foreknow.users.schemas import PASSWORD_LENGTH_MAX

Result = TypeVar("Result")
Cost = Literal["normal", "low"]

#: Two hash at once; the other requests wait in line, or sign-ins would take the whole machine from the traders.
THREADS = 2
#: So many may wait, some ten seconds; whoever comes later is told to come again.
WAITING_MAX = 1_000
#: So many of one household: an office that comes to work at once, some two seconds.
HOUSEHOLD_WAITING_MAX = 200
_RETRY_AFTER_S = 10


def hasher(cost: Cost) -> PasswordHasher:
    """Return argon2id with 19 MiB and two passes, the least that OWASP's Password Storage Cheat Sheet recommends.

    `low` is for tests: it protects nothing.
    """
    if cost == "low":
        return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID)
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Callable[[], Any]
    done: asyncio.Future[Any]


class Passwords:
    """Hashes and compares passwords of any length without stopping the event loop.

    `rate_limit_key` is whose turn it takes (`web.addresses.rate_limit_key` of the client's address).
    """

    def __init__(self, cost: Cost, *, limited: bool = True) -> None:
        """Where not `limited`, any number may wait."""
        self._hasher = hasher(cost)
        self._threads = background_threads(THREADS, name="passwords")
        self._turns: FairQueue[_Job] = FairQueue(
            household_max=HOUSEHOLD_WAITING_MAX if limited else sys.maxsize,
            total_max=WAITING_MAX if limited else sys.maxsize,
        )
        self._hashing = 0
        # What a password is compared with where there is no account, so that an answer takes as long as with one.
        self._nobody = self._hasher.hash("nobody's password")

    @property
    def waiting(self) -> int:
        """How many wait in line, without those that are being hashed."""
        return len(self._turns)

    async def hash(self, password: str, *, rate_limit_key: str) -> str:
        """Return what is stored of a password, the same in NFC or not; `RateLimited` where too many wait."""
        return await self._run(lambda: self._hasher.hash(nfc(password)), rate_limit_key)

    async def matches(self, password: str, password_hash: str | None, *, rate_limit_key: str) -> bool:
        """Tell whether it is the password; False, after as much work, where there is no hash. `RateLimited` too.

        One that is too long to be anybody's is tried as nobody's, as it was sent.
        """
        if not may_be_within(password, PASSWORD_LENGTH_MAX):
            await self._run(lambda: self._compare(password, self._nobody), rate_limit_key)
            return False
        equal = await self._run(lambda: self._compare(nfc(password), password_hash or self._nobody), rate_limit_key)
        return equal and password_hash is not None

    def is_outdated(self, password_hash: str) -> bool:
        """Tell whether a hash was made at another cost than is usual now."""
        return self._hasher.check_needs_rehash(password_hash)

    async def stop(self) -> None:
        """Finish what is being hashed; what waits has nobody any more who waits for it."""
        while (job := self._turns.take()) is not None:
            job.done.cancel()
        await asyncio.to_thread(self._threads.shutdown)

    async def _run(self, work: Callable[[], Result], rate_limit_key: str) -> Result:
        job = _Job(work, asyncio.get_running_loop().create_future())
        displaced = self._turns.put(rate_limit_key, job)
        if displaced is job:
            raise RateLimited(retry_after_s=_RETRY_AFTER_S)
        if displaced is not None and not displaced.done.done():
            displaced.done.set_exception(RateLimited(retry_after_s=_RETRY_AFTER_S))
        self._go_on()
        try:
            result: Result = await job.done
        except asyncio.CancelledError:
            # Whoever has hung up is not waited for.
            self._turns.leave(rate_limit_key, job)
            raise
        return result

    def _go_on(self) -> None:
        """Give free threads to those whose turn it is."""
        while self._hashing < THREADS and (job := self._turns.take()) is not None:
            self._hashing += 1
            hashing = asyncio.get_running_loop().run_in_executor(self._threads, job.work)
            hashing.add_done_callback(partial(self._hashed, job))

    def _hashed(self, job: _Job, hashed: asyncio.Future[Any]) -> None:
        self._hashing -= 1
        failure = hashed.exception()
        if not job.done.done():
            if failure is None:
                job.done.set_result(hashed.result())
            else:
                job.done.set_exception(failure)
        self._go_on()

    def _compare(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except VerifyMismatchError:
            return False
