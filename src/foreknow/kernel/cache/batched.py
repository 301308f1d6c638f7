"""One call for all who want some of the same values at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


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
