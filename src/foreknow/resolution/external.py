"""What the worker needs to know of an event elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from foreknow.pools.store import PoolRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalResult:
    """The final result of an event elsewhere, for one of our pools."""

    #: Where it was read.
    url: str
    #: As the source calls it.
    result: str
    #: Index of our outcome that won (single-market pool: 0 YES, 1 NO); None where not exactly one did.
    won_side: int | None


class ExternalResults(Protocol):
    """Asks the sources of external events."""

    async def final_result(self, pool: PoolRow, external_event_url: str) -> ExternalResult | None:
        """Ask the source once; None while there is no final result that means one of the pool's outcomes.

        Also None where the source cannot be reached, or answers nonsense.
        """
        ...


class NoExternalResults:
    """Asks nothing, where no source is set."""

    async def final_result(self, pool: PoolRow, external_event_url: str) -> ExternalResult | None:
        """Return None."""
        return None
