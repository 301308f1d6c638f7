"""One fetch for all who want its result at the same time: of one value, of many, and of one that is kept for a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
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


class ExpiringValue(Generic[Value]):
    """Keeps a value for a time; a slow fetch is shared by all who wait for it."""

    def __init__(
        self, name: str, fetch: Callable[[], Awaitable[Value]], *, for_s: float, timer: Callable[[], float]
    ) -> None:
        """Keep what `fetch` returns for `for_s` seconds of `timer`; a failure is not kept."""
        self._fetch = fetch
        self._for_s = for_s
        self._timer = timer
        self._flight: SingleFlight[None, Value] = SingleFlight(name)
        self._kept: tuple[Value, float] | None = None

    async def get(self) -> Value:
        """Return the value, fetched if it is missing or too old; raises what `fetch` raises."""
        if self._kept is not None and self._timer() < self._kept[1]:
            return self._kept[0]
        return await self.refresh()

    async def refresh(self) -> Value:
        """Fetch the value, or wait for the fetch under way."""
        return await self._flight.run(None, self._fetch, keep=self._keep)

    def _keep(self, value: Value) -> None:
        self._kept = (value, self._timer() + self._for_s)


class BatchedSingleFlight(Generic[Key, Value]):
    """Like `SingleFlight`, for many keys: overlapping batches fetch each key once. Use it from one event loop."""

    def __init__(self, name: str) -> None:
        """The calls' tasks are named `name`."""
        self._name = name
        self._under_way: dict[Key, asyncio.Task[Mapping[Key, Value]]] = {}

    async def run(
        self,
        keys: Collection[Key],
        call: Callable[[Sequence[Key]], Awaitable[Mapping[Key, Value]]],
        *,
        keep: Callable[[Key, Value], None],
    ) -> dict[Key, Value]:
        """Return the values of `keys`, without those that do not exist; raises what a call raises.

        `call` is given the keys that no call under way fetches. `keep` is called with each value, unless it was
        forgotten meanwhile. A caller that is cancelled leaves the calls to the others.
        """
        missing = [key for key in keys if key not in self._under_way]
        if missing:
            task = asyncio.create_task(self._call(missing, call, keep), name=self._name)
            self._under_way.update(dict.fromkeys(missing, task))
        calls = {key: self._under_way[key] for key in keys}
        await asyncio.gather(*map(asyncio.shield, dict.fromkeys(calls.values())))
        # Each key from its own call: another may have fetched it, too, before it was forgotten.
        return {key: call.result()[key] for key, call in calls.items() if key in call.result()}

    def forget(self, keys: Iterable[Key]) -> None:
        """Share no call under way for these keys with later callers, since what it reads has changed."""
        for key in keys:
            self._under_way.pop(key, None)

    def forget_all(self) -> None:
        """Share no call under way with later callers."""
        self._under_way.clear()

    async def _call(
        self,
        keys: Sequence[Key],
        call: Callable[[Sequence[Key]], Awaitable[Mapping[Key, Value]]],
        keep: Callable[[Key, Value], None],
    ) -> Mapping[Key, Value]:
        task = asyncio.current_task()
        try:
            values = await call(keys)
            for key, value in values.items():
                if self._under_way.get(key) is task:
                    keep(key, value)
            return values
        finally:
            for key in keys:
                if self._under_way.get(key) is task:
                    del self._under_way[key]
