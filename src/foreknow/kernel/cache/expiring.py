"""One value, fetched again when it is too old."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from foreknow.kernel.cache.single_flight import SingleFlight

Value = TypeVar("Value")


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
