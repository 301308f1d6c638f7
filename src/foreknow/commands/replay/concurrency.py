"""Run one function for many items, or many things, concurrently; wait for what others do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable
from typing import Any, TypeVar

from foreknow.commands.replay.errors import ReplayFailed

Item = TypeVar("Item")
Result = TypeVar("Result")
#: Longest wait for what a service does in the background.
WAIT_S = 60.0


async def map_concurrently(
    work: Callable[[Item], Awaitable[Result]], items: Collection[Item], *, at_once: int
) -> list[Result]:
    """Return `work(item)` for all items in order, `at_once` of them at a time; the first failure ends the rest."""
    free = asyncio.Semaphore(at_once)

    async def run(item: Item) -> Result:
        async with free:
            return await work(item)

    return await all_of([run(item) for item in items])


async def all_of(running: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Return the results of coroutines that run at the same time; the first failure ends the rest."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in running]
    except ExceptionGroup as failures:
        known = failures.subgroup(ReplayFailed)
        raise (known or failures).exceptions[0] from None
    return [task.result() for task in tasks]


async def until(condition: Callable[[], Awaitable[bool]], what: str) -> None:
    """Return once a condition holds; `ReplayFailed` names `what` was waited for in vain."""
    until_s = time.monotonic() + WAIT_S
    while not await condition():
        if time.monotonic() > until_s:
            raise ReplayFailed(f"{what} does not go on")
        await asyncio.sleep(0.05)
