"""An event loop in virtual time, without threads: which of the callbacks that are ready comes next is the seed's."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import random
import time
from collections.abc import Callable, Coroutine, Iterator
from random import Random
from typing import Any, Protocol, TypeVar
from unittest import mock

#: When all simulations begin: the first of January 2026, UTC.
START_S = 1_767_225_600
Result = TypeVar("Result")
#: Longest time that a thread takes to begin.
THREAD_S = 0.002


class Cut(BaseException):
    """The process, or the machine, is gone."""


class Stuck(AssertionError):
    """Nothing is left that could ever happen."""


class Connector(Protocol):
    """A network."""

    async def connect(
        self, loop: SimulatedLoop, factory: Callable[[], Any], address: tuple[str, int]
    ) -> tuple[Any, Any]:
        """Return the transport and the protocol of a connection; `OSError`."""
        ...


class SimulatedLoop(asyncio.BaseEventLoop):
    """Runs what a process does. `run_in_executor` works on the loop itself, a little later."""

    def __init__(self, chance: Random, network: Connector, *, now_s: float = 0.0, steps_max: int | None = None) -> None:
        """Begin at `now_s` of virtual time; after `steps_max` callbacks `Cut` ends it."""
        super().__init__()
        self.chance = chance
        self.steps = 0
        #: Called after each callback.
        self.on_step: Callable[[], None] = lambda: None
        self._network = network
        self._now_s = now_s
        self._steps_max = steps_max
        self._failure: BaseException | None = None
        self.set_exception_handler(self._note_failure)

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._now_s

    def drive(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run until a coroutine has ended; what else was begun goes on the next time. Raises `Cut`."""
        task = self.create_task(work)
        task.add_done_callback(lambda _task: self.stop())
        # What stops may be left over from a task that had just ended as the cut came.
        while not task.done():
            self.run_forever()
        return task.result()

    def leap(self, seconds: float) -> None:
        """Let time pass in which nothing happens."""
        self._now_s += seconds

    def live_on(self) -> None:
        """Let no cut come any more: what was running is to end, whatever that brings about."""
        self._steps_max = None
        self.on_step = lambda: None
        self.chance = Random(0)
        self.set_exception_handler(lambda _loop, _context: None)

    def _note_failure(self, _loop: object, context: dict[str, Any]) -> None:
        """Let a failure that no one waits for end the run."""
        self._failure = self._failure or context.get("exception") or Stuck(context["message"])

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """Run a function as if a thread did, which no two do at once here."""
        del executor
        answer = self.create_future()

        def work() -> None:
            if answer.cancelled():
                return
            try:
                result = func(*args)
            except Exception as failure:  # noqa: BLE001 - raised where it is awaited
                answer.set_exception(failure)
            else:
                answer.set_result(result)

        self.call_later(self.chance.random() * THREAD_S, work)
        return answer

    async def create_connection(self, protocol_factory: Any, host: Any = None, port: Any = None, **_: Any) -> Any:
        """Connect to a peer of the network."""
        return await self._network.connect(self, protocol_factory, (str(host), int(port)))

    def _run_once(self) -> None:
        scheduled: list[Any] = self._scheduled  # type: ignore[attr-defined]
        ready: Any = self._ready  # type: ignore[attr-defined]
        while scheduled and scheduled[0]._cancelled:
            heapq.heappop(scheduled)._scheduled = False
        if not ready:
            if not scheduled:
                raise Stuck("nothing is left to happen")
            self._now_s = max(self._now_s, scheduled[0].when())
        while scheduled and scheduled[0].when() <= self._now_s:
            handle = heapq.heappop(scheduled)
            handle._scheduled = False
            ready.append(handle)
        ready.rotate(-self.chance.randrange(len(ready)))
        handle = ready.popleft()
        if handle._cancelled:
            return
        handle._run()
        self.steps += 1
        self.on_step()
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if self._steps_max is not None and self.steps >= self._steps_max:
            raise Cut

    def _process_events(self, event_list: Any) -> None:
        """There is no selector."""

    def _write_to_self(self) -> None:
        """Nothing sleeps."""

    def _timer_handle_cancelled(self, handle: Any) -> None:
        """Those that were cancelled are left out as their time comes."""


@contextlib.contextmanager
def virtual_time(seed: int, now_s: Callable[[], float]) -> Iterator[None]:
    """Let all of this process read its clocks from `now_s`, and let `random` draw from the seed, for the block.

    What the system gives at random (`os.urandom`: ids of mails) is no seed's.
    """
    state = random.getstate()
    random.seed(seed)

    def at_ns() -> int:
        return round((START_S + now_s()) * 1e9)

    with contextlib.ExitStack() as stack:
        for name, clock in {
            "monotonic": now_s,
            "perf_counter": now_s,
            "thread_time": now_s,
            "time": lambda: START_S + now_s(),
            "time_ns": at_ns,
            "monotonic_ns": at_ns,
        }.items():
            stack.enter_context(mock.patch.object(time, name, clock))
        try:
            yield
        finally:
            random.setstate(state)
