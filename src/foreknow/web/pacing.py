"""Pacing: a caller that makes the service work far more than others do waits, so that others do not.

A rate limit counts requests, one of which may cost a thousand times as much as another. What a request cost is known
afterwards; it is taken from the budget of its account (of its address, where no one signed in), which grows at a rate
in milliseconds of work. A caller that has spent it is answered one request at a time, each once the budget is positive
again: later, and refused only where it would have to wait too long. Counted are transactions, compression and the bytes
of the response; budgets are per process, like rate limits.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

from foreknow.kernel.access.callers import Caller, PartnerCaller
from foreknow.kernel.cost import RequestCost
from foreknow.kernel.errors import RateLimited
from foreknow.kernel.rates import Rate
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.rate_limits import Buckets

#: The part of every request's cost that counts for nothing: rate limits bound it.
FREE_S = 0.002
#: What a byte of a response costs: it is copied, and sent by the system.
BYTE_S = 4e-9
#: Longest wait for a turn, and the most requests of one caller that wait; others are refused.
WAIT_MAX_S = 10.0
WAITING_MAX = 32
_MS = 1_000


class _Queue:
    """The requests of a caller whose budget is spent."""

    __slots__ = ("turn", "waiting")

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.waiting = 0


class Pacer:
    """The budgets of a process's callers. Use it from one event loop."""

    def __init__(self, work: Rate, *, timer: Callable[[], float] = time.monotonic) -> None:
        """Allow each caller `work`, in milliseconds; `timer` returns monotonic seconds."""
        self._budgets = Buckets(work, timer=timer)
        self._queues: dict[int | str, _Queue] = {}

    def key(self, caller: Caller | None, address: str) -> int | str | None:
        """Return whose budget a request is taken from; None for those whom an operator chose: partners and staff."""
        if caller is None:
            return rate_limit_key(address)
        if isinstance(caller, PartnerCaller) or caller.is_admin or caller.is_operator or caller.is_stats_viewer:
            return None
        return caller.user_id

    def must_wait(self, key: int | str) -> bool:
        """Whether the budget is spent, or others wait for it."""
        return key in self._queues or self._budgets.owed_s(key) > 0

    @asynccontextmanager
    async def turn(self, key: int | str) -> AsyncIterator[None]:
        """Wait until the budget is positive, and let no other request that waits for it begin within the block.

        `RateLimited` where too many wait, or it would take too long.
        """
        owed_s = self._budgets.owed_s(key)
        queue = self._queues.get(key)
        if owed_s > WAIT_MAX_S or (queue is not None and queue.waiting >= WAITING_MAX):
            raise RateLimited(retry_after_s=max(1, math.ceil(owed_s)))
        queue = queue or self._queues.setdefault(key, _Queue())
        queue.waiting += 1
        try:
            async with AsyncExitStack() as holding:
                with self._refused_late(key):
                    async with asyncio.timeout(WAIT_MAX_S):
                        await holding.enter_async_context(queue.turn)
                        await asyncio.sleep(self._budgets.owed_s(key))
                yield
        finally:
            queue.waiting -= 1
            if not queue.waiting:
                del self._queues[key]

    @contextmanager
    def _refused_late(self, key: int | str) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            raise RateLimited(retry_after_s=max(1, math.ceil(self._budgets.owed_s(key)))) from None

    def charge(self, key: int | str, cost: RequestCost, *, response_bytes: int) -> None:
        """Take from the budget what a request cost."""
        work_s = cost.work_s + BYTE_S * response_bytes - FREE_S
        if work_s > 0:
            self._budgets.charge(key, work_s * _MS)
