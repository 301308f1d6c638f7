"""The loop of a background task, and when it works: soon after a wake-up, at a bounded rate, at intervals anyway."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.errors import Unavailable


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


log = structlog.get_logger("foreknow.jobs")

#: Longest rest after work.
REST_MAX_S = 1.0
#: Longest wait before the first call: workers that begin together would poll together ever after, each on a connection
#: of its own.
SPREAD_S = 0.1


class Worker:
    """Calls a function when woken and every `poll_s` seconds, and survives whatever it raises."""

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[object]],
        *,
        poll_s: float,
        pace_s: float = 0.0,
        rest_share: float = 0.0,
        stop_s: float = 0.0,
    ) -> None:
        """`work` is called again at once while it returns something true: there may be more to do.

        Calls that follow wake-ups begin at least `pace_s` apart, and work of a second is followed by `rest_share`
        seconds of rest, at most `REST_MAX_S`. A call under way has `stop_s` to end when the worker stops; then it is
        cancelled.
        """
        self._name = name
        self._work = work
        self._throttle = Throttle(pace_s=pace_s, poll_s=poll_s)
        self._rest_share = rest_share
        self._stop_s = stop_s
        self._is_stopping = False
        self._is_working = False
        self._task: asyncio.Task[None] | None = None
        #: The failure logged last, until a call succeeds: an outage is logged once, not at every poll.
        self._failure: str | None = None

    def start(self) -> None:
        """Begin, with a first call within `SPREAD_S`."""
        self._task = asyncio.create_task(self._run(), name=self._name)
        self.wake()

    async def stop(self) -> None:
        """Begin no more calls; return when none is under way."""
        self._is_stopping = True
        self.wake()
        if self._task is None:
            return
        if self._is_working and self._stop_s:
            await asyncio.wait({self._task}, timeout=self._stop_s)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def wake(self) -> None:
        """Call `work` soon. Never blocks; any number of wake-ups is one."""
        self._throttle.wake()

    def wake_now(self) -> None:
        """Call `work` now, whatever its pace; for a clock that leaps. Never blocks."""
        self._throttle.wake_now()

    async def _run(self) -> None:
        await asyncio.sleep(random.uniform(0, SPREAD_S))  # noqa: S311 - nothing to guess
        while not self._is_stopping:
            await self._throttle.wait()
            began_s = asyncio.get_running_loop().time()
            self._is_working = True
            try:
                await self._work_through()
            except Exception as failure:  # noqa: BLE001 - no failure of one call may end the worker
                self._log(failure)
            else:
                self._recover()
            finally:
                self._is_working = False
            took_s = asyncio.get_running_loop().time() - began_s
            self._throttle.rest(min(took_s * self._rest_share, REST_MAX_S))

    async def _work_through(self) -> None:
        while not self._is_stopping and await self._work():
            pass

    def _log(self, failure: Exception) -> None:
        reason = repr(failure)
        if reason == self._failure:
            return
        self._failure = reason
        # The database being away is expected, and its traceback says nothing.
        traceback = None if isinstance(failure, (Unavailable, SQLAlchemyError)) else failure
        write = log.warning if traceback is None else log.error
        write("worker failed", worker=self._name, reason=reason, exc_info=traceback)

    def _recover(self) -> None:
        if self._failure is not None:
            self._failure = None
            log.info("worker recovered", worker=self._name)


class Background:
    """What works in the background between `start` and `stop`."""

    def __init__(self, *workers: Worker) -> None:
        """Work by `workers`."""
        self._workers = workers

    def start(self) -> None:
        """Begin to work."""
        for worker in self._workers:
            worker.start()

    async def stop(self) -> None:
        """Begin nothing more; return when nothing is under way. A row left half done is due when its lease ends."""
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    def wake(self) -> None:
        """There is something to do. Never blocks; any number of calls is one."""
        for worker in self._workers:
            worker.wake()
