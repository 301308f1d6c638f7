"""A coroutine that is begun without a task returns at once, or goes on in a task as if it had begun there."""

from __future__ import annotations

import asyncio

import pytest

from foreknow.web.handling import Begun, begin


async def test_what_waits_for_nothing_is_returned() -> None:
    async def answer() -> int:
        return 7

    assert begin(answer()) == 7


async def test_what_is_raised_before_it_waits_is_raised_at_once() -> None:
    async def fail() -> int:
        raise KeyError("gone")

    with pytest.raises(KeyError):
        begin(fail())


async def test_what_waits_goes_on_in_a_task() -> None:
    later: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def add() -> int:
        found = await later
        await asyncio.sleep(0)
        async with asyncio.timeout(5):
            return found + await asyncio.sleep(0.001, result=1)

    rest = begin(add())
    assert isinstance(rest, Begun)
    task = asyncio.ensure_future(rest)
    asyncio.get_running_loop().call_soon(later.set_result, 6)

    assert await task == 7


async def test_what_it_waits_for_may_fail() -> None:
    later: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def look() -> int:
        try:
            return await later
        except KeyError:
            return 0

    rest = begin(look())
    assert isinstance(rest, Begun)
    later.set_exception(KeyError("gone"))

    assert await rest == 0


async def test_its_task_can_be_cancelled() -> None:
    seen: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            seen.append("ended")

    rest = begin(wait())
    assert isinstance(rest, Begun)
    task = asyncio.ensure_future(rest)
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["ended"]
