"""Password hashing with argon2id, on a few threads: a hash takes some 20 ms of a core and 19 MiB.

Jobs wait in a fair queue by network: a hundred connections that guess passwords from one address delay each other, and
a sign-in from another address by a hash or two.
"""

from __future__ import annotations

import asyncio
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import VerifyMismatchError

from foreknow.kernel.errors import RateLimited
from foreknow.kernel.text import may_be_within, nfc
from foreknow.kernel.threads import background_threads
from foreknow.people.users.schemas import PASSWORD_LENGTH_MAX

Result = TypeVar("Result")
Cost = Literal["normal", "low"]

#: Concurrent hashes; more would take the machine from the traders.
THREADS = 2
#: Jobs waiting in all, some 10 s of work; further requests get a 429.
WAITING_MAX = 1_000
#: Jobs waiting from one network, some 2 s of work: an office that signs in at the same time.
NETWORK_WAITING_MAX = 200
_RETRY_AFTER_S = 10


def hasher(cost: Cost) -> PasswordHasher:
    """Return argon2id with 19 MiB and two passes, the minimum of OWASP's Password Storage Cheat Sheet.

    `low` is for tests and not secure.
    """
    if cost == "low":
        return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID)
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Callable[[], Any]
    done: asyncio.Future[Any]


class Passwords:
    """Hashes and compares passwords of any length without blocking the event loop.

    `rate_limit_key` of the client's address (`web.client_ip`) is the key in the fair queue.
    """

    def __init__(self, cost: Cost, *, limited: bool = True) -> None:
        """`limited` False removes the queue's limits."""
        self._hasher = hasher(cost)
        self._threads = background_threads(THREADS, name="passwords")
        self._queue: FairQueue[_Job] = FairQueue(
            per_key_max=NETWORK_WAITING_MAX if limited else sys.maxsize,
            total_max=WAITING_MAX if limited else sys.maxsize,
        )
        self._running = 0
        # Compared with where there is no account, to take the same time.
        self._dummy_hash = self._hasher.hash("the password of no account")

    @property
    def waiting(self) -> int:
        """Number of queued jobs, without the running ones."""
        return len(self._queue)

    async def hash(self, password: str, *, rate_limit_key: str) -> str:
        """Return the hash of a password, which is normalised to NFC first; `RateLimited` if too many jobs wait."""
        return await self._run(lambda: self._hasher.hash(nfc(password)), rate_limit_key)

    async def matches(self, password: str, password_hash: str | None, *, rate_limit_key: str) -> bool:
        """Return whether the password matches; False, after as much work, without a hash. `RateLimited` as `hash`.

        A password over the length limit is compared without normalising it, which could take long.
        """
        if not may_be_within(password, PASSWORD_LENGTH_MAX):
            await self._run(lambda: self._compare(password, self._dummy_hash), rate_limit_key)
            return False
        equal = await self._run(lambda: self._compare(nfc(password), password_hash or self._dummy_hash), rate_limit_key)
        return equal and password_hash is not None

    def is_outdated(self, password_hash: str) -> bool:
        """Return whether a hash has other cost parameters than the current ones."""
        return self._hasher.check_needs_rehash(password_hash)

    async def stop(self) -> None:
        """Finish running jobs and cancel queued ones, whose requests are over."""
        while (job := self._queue.take()) is not None:
            job.done.cancel()
        await asyncio.to_thread(self._threads.shutdown)

    async def _run(self, work: Callable[[], Result], rate_limit_key: str) -> Result:
        job = _Job(work, asyncio.get_running_loop().create_future())
        dropped = self._queue.put(rate_limit_key, job)
        if dropped is job:
            raise RateLimited(retry_after_s=_RETRY_AFTER_S)
        if dropped is not None and not dropped.done.done():
            dropped.done.set_exception(RateLimited(retry_after_s=_RETRY_AFTER_S))
        self._start_jobs()
        try:
            result: Result = await job.done
        except asyncio.CancelledError:
            # The client has disconnected.
            self._queue.discard(rate_limit_key, job)
            raise
        return result

    def _start_jobs(self) -> None:
        """Start queued jobs on free threads."""
        while self._running < THREADS and (job := self._queue.take()) is not None:
            self._running += 1
            running = asyncio.get_running_loop().run_in_executor(self._threads, job.work)
            running.add_done_callback(partial(self._finish, job))

    def _finish(self, job: _Job, finished: asyncio.Future[Any]) -> None:
        self._running -= 1
        failure = finished.exception()
        if not job.done.done():
            if failure is None:
                job.done.set_result(finished.result())
            else:
                job.done.set_exception(failure)
        self._start_jobs()

    def _compare(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except VerifyMismatchError:
            return False


Item = TypeVar("Item")


class FairQueue(Generic[Item]):
    """A bounded queue: round robin over keys, first in first out within a key.

    A full queue drops the newest item of the longest key in favour of a key with fewer items (longest queue drop, as
    in fair queueing of packets), so that one key cannot keep the others out.
    """

    def __init__(self, *, per_key_max: int, total_max: int) -> None:
        """Hold at most `per_key_max` items per key and `total_max` in all."""
        self._per_key_max = per_key_max
        self._total_max = total_max
        #: Never empty; in the order of their turns.
        self._queues: OrderedDict[str, deque[Item]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        """Return the number of items."""
        return self._size

    def put(self, key: str, item: Item) -> Item | None:
        """Add an item. Return the item dropped for it: another one, itself, or None."""
        waiting = len(self._queues.get(key, ()))
        if waiting >= self._per_key_max:
            return item
        dropped: Item | None = None
        if self._size >= self._total_max:
            # Some 30 µs in a full queue of 1,000 keys.
            longest = max(self._queues, key=lambda other: len(self._queues[other]))
            if len(self._queues[longest]) <= waiting + 1:
                return item
            # It has at least two items, so its queue does not become empty.
            dropped = self._queues[longest].pop()
            self._size -= 1
        self._queues.setdefault(key, deque()).append(item)
        self._size += 1
        return dropped

    def take(self) -> Item | None:
        """Remove the next item and move its key to the end; None if empty."""
        if not self._queues:
            return None
        key, queue = next(iter(self._queues.items()))
        item = queue.popleft()
        self._size -= 1
        if queue:
            self._queues.move_to_end(key)
        else:
            del self._queues[key]
        return item

    def discard(self, key: str, item: Item) -> None:
        """Remove an item if it is still there."""
        queue = self._queues.get(key)
        if queue is None or item not in queue:
            return
        queue.remove(item)
        self._size -= 1
        if not queue:
            del self._queues[key]
