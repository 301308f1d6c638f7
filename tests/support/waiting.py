"""Waiting for what the service does by itself, without waiting for its polls, paces and rests.

A test that waits lets the workers look at once: those of the services that the test has used, or of its own event loop.
"""

from __future__ import annotations

import asyncio
import inspect
import time
import weakref
from collections.abc import Callable, Collection, Iterator
from typing import Any, Protocol

from foreknow.platform.jobs.worker import Worker

#: How long to wait for what takes a moment on a machine that has nothing else to do.
WAIT_S = 240.0
#: The first pause between two looks at a condition, and the longest.
FIRST_S, LONGEST_S = 0.002, 0.25
#: The pause from which on workers look: what a commit has woken them for is done sooner.
WORK_S = 0.01
#: Longest wait for workers that look: one may wait for what the test does next.
TURN_S = 0.1


class Used(Protocol):
    """A running service."""

    def uses(self) -> int:
        """Count what tests have asked of it."""
        ...

    def let_work(self, workers: Collection[str], *, limit_s: float) -> None:
        """Let workers, by default all, look; return when they have done what is due, or after a limit."""
        ...


#: The services of this process, and what had been asked of each before the running test.
_RUNNING: weakref.WeakKeyDictionary[Used, int] = weakref.WeakKeyDictionary()


def register(service: Used) -> None:
    """Let the workers of a service look when a test that uses it waits."""
    _RUNNING[service] = service.uses() - 1


def begin_test() -> None:
    """Take it that the test which begins has used no service yet."""
    for service in list(_RUNNING):
        _RUNNING[service] = service.uses()


def wait_until(condition: Callable[[], Any], *, workers: Collection[str] = ()) -> None:
    """Return once `condition()` holds; `workers` are those by whose work it comes to hold, by default any."""
    for pause_s in _pauses():
        if condition():
            return
        if pause_s > WORK_S:
            let_work(workers, limit_s=TURN_S)
        time.sleep(pause_s)


def let_work(workers: Collection[str] = (), *, limit_s: float = WAIT_S) -> None:
    """Let workers of the services that the test has used look, and return when they have done what is due.

    Those that wait for what the test does next are given up after `limit_s`.
    """
    for service, before in list(_RUNNING.items()):
        if service.uses() > before:
            service.let_work(workers, limit_s=limit_s)


async def happens(condition: Callable[[], Any]) -> None:
    """Return once `condition()` holds, awaited where it can be, by what workers of this event loop do."""
    for pause_s in _pauses():
        holds = condition()
        if await holds if inspect.isawaitable(holds) else holds:
            return
        await work(limit_s=TURN_S)
        await asyncio.sleep(pause_s)


async def work(names: Collection[str] = (), *, limit_s: float = WAIT_S) -> None:
    """Do for the workers of this event loop what `let_work` does for those of services."""
    workers = list(running_workers(names))
    for worker in workers:
        worker.wake_now()
    until_s = time.monotonic() + limit_s
    while any(map(_has_work, workers)) and time.monotonic() < until_s:  # noqa: ASYNC110 - workers do not notify
        await asyncio.sleep(FIRST_S)


def running_workers(names: Collection[str] = ()) -> Iterator[Worker]:
    """Yield the workers of this event loop, by default of every name."""
    for task in asyncio.all_tasks():
        frame = getattr(task.get_coro(), "cr_frame", None)
        worker = frame.f_locals.get("self") if frame is not None else None
        if isinstance(worker, Worker) and (not names or task.get_name() in names):
            yield worker


def _pauses() -> Iterator[float]:
    """Yield growing pauses, as long as it is worth to wait."""
    deadline_s, pause_s = time.monotonic() + WAIT_S, FIRST_S
    while time.monotonic() < deadline_s:
        yield pause_s
        pause_s = min(2 * pause_s, LONGEST_S)
    raise AssertionError("it did not happen in time")


def _has_work(worker: Worker) -> bool:
    return worker._is_working or worker._throttle._wake_up.is_set()
