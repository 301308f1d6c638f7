"""One call for all who want its result at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SingleFlight(Generic[Key, Value]):
    """Shares the calls under way, by key. Use it from one event loop."""

    def __init__(self, name: str) -> None:
        """The calls' tasks are named `name`."""
        self._name = name
        self._under_way: dict[Key, asyncio.Task[Value]] = {}

    async def run(self, key: Key, call: Callable[[], Awaitable[Value]], *, keep: Callable[[Value], None]) -> Value:
        """Return what `call` returns, or the call under way for `key`; raises what it raises.

        `keep` is called with the result, unless the key was forgotten meanwhile: the result may then be from before
        the change. A caller that is cancelled leaves the call to the others.
        """
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._call(key, call, keep), name=self._name)
        return await asyncio.shield(task)

    def forget(self) -> None:
        """Share no call under way with later callers, since what it reads has changed."""
        self._under_way.clear()

    async def drain(self) -> None:
        """Return when no call is under way."""
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _call(self, key: Key, call: Callable[[], Awaitable[Value]], keep: Callable[[Value], None]) -> Value:
        task = asyncio.current_task()
        try:
            value = await call()
            if self._under_way.get(key) is task:
                keep(value)
            return value
        finally:
            if self._under_way.get(key) is task:
                del self._under_way[key]
