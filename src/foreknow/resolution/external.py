"""What the worker needs to know of an event elsewhere."""

from __future__ import annotations

from typing import Any, Protocol

from foreknow.pools.store import PoolRow


class ExternalResult(Protocol):
    """The final result of an event elsewhere, for one of our pools."""

    @property
    def won_side(self) -> int | None:
        """Index of our outcome that won (single-market pool: 0 YES, 1 NO); None where not exactly one did."""

    @property
    def evidence(self) -> dict[str, Any]:
        """`{url, result, fetched_at}`, as responses show it."""


class ExternalResults(Protocol):
    """Asks the sources of external events."""

    async def fetch(self, url: str, pool: PoolRow, *, at_ms: int) -> ExternalResult | None:
        """Ask at `at_ms` for a pool's final result; `url` is its event's `external_event_url`.

        None while there is none. Raises `FetchFailed`, `BadResponse`.
        """
