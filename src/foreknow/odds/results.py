"""Final results of events elsewhere, for pools that are resolved by them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from foreknow.fetching import Fetcher
from foreknow.kernel.clock import iso
from foreknow.odds.found import UNMATCHED_LENGTH_MAX, names_of
from foreknow.odds.matching import Match, match_pool
from foreknow.odds.rounds import odds_fetcher
from foreknow.odds.source_event import Result
from foreknow.odds.sources import Source
from foreknow.pools.external_events import external_event
from foreknow.pools.store import PoolRow


class ExternalResult(NamedTuple):
    """A final result: the pool's `won_side`, None where the event ended without a single winner; and its evidence.

    `evidence` is `{url, result, fetched_at}`: the address asked, the name of the winner as the source writes it (no: in
    a single-market pool the outcome did not happen; "" without a winner), and when it was asked.
    """

    won_side: int | None
    evidence: dict[str, Any]


class ExternalResults:
    """Asks the sources for final results."""

    def __init__(self, sources: Mapping[str, Source], *, fetcher: Fetcher | None = None) -> None:
        """Ask `sources`, by name."""
        self._sources = sources
        self._fetcher = fetcher or odds_fetcher()

    async def fetch(self, url: str, pool: PoolRow, *, at_ms: int) -> ExternalResult | None:
        """Ask for the final result of a pool at `at_ms` (Unix milliseconds); `url` is its event's external_event_url.

        None while there is none, or where the source is not set up. Raises `FetchFailed`, `BadResponse`.
        """
        external = external_event(url)
        if external is None or external.source not in self._sources:
            return None
        source = self._sources[external.source]
        asked = source.url(external.id)
        body = await self._fetcher.get(asked)
        event = await asyncio.to_thread(source.read, body, now_ms=at_ms)
        match = await asyncio.to_thread(match_pool, names_of(pool), event)
        results = match.results()
        if results is None:
            return None
        won_side = winner(results)
        name = "" if won_side is None else _name(match, won_side)
        return ExternalResult(won_side, {"url": asked, "result": name, "fetched_at": iso(at_ms)})

    async def stop(self) -> None:
        """Close the connections."""
        await self._fetcher.close()


def winner(results: Sequence[Result]) -> int | None:
    """Return the index of the one outcome that won, None where none or several did, or one ended otherwise."""
    won = [index for index, result in enumerate(results) if result is Result.WON]
    return won[0] if len(won) == 1 and Result.OTHER not in results else None


def _name(match: Match, won_side: int) -> str:
    outcome = match.outcomes[won_side]
    assert outcome is not None
    return outcome.name[:UNMATCHED_LENGTH_MAX]
