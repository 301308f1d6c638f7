"""What waits for a prompt future is called when it is announced, or cancelled, in its own context."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

from foreknow.kernel.prompt_future import PromptFuture

_WHO: ContextVar[str] = ContextVar("who", default="no one")


async def test_it_is_acted_upon_when_it_is_announced() -> None:
    seen: list[tuple[int, str]] = []
    future: PromptFuture[int] = PromptFuture(loop=asyncio.get_running_loop())
    _WHO.set("the request")
    future.then(lambda done: seen.append((done.result(), _WHO.get())))
    _WHO.set("the desk")

    future.set_result(7)
    future.announce()
    future.announce()

    assert seen == [(7, "the request")]


async def test_it_can_be_awaited_too() -> None:
    future: PromptFuture[int] = PromptFuture(loop=asyncio.get_running_loop())
    future.set_result(7)
    future.announce()

    assert await future == 7


async def test_who_waits_hears_of_a_cancelled_one_once() -> None:
    seen: list[bool] = []
    future: PromptFuture[int] = PromptFuture(loop=asyncio.get_running_loop())
    future.then(lambda done: seen.append(done.cancelled()))

    assert future.cancel()
    assert not future.cancel()
    await asyncio.sleep(0)

    assert seen == [True]
