"""Final results of events elsewhere, for pools that are resolved by them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from foreknow.fetching import BadResponse, Fetcher, FetchFailed
from foreknow.odds.found import UNMATCHED_LENGTH_MAX, names_of
from foreknow.odds.matching import Match, match_pool
from foreknow.odds.rounds import odds_fetcher
from foreknow.odds.source_event import Result
from foreknow.odds.sources import Source
from foreknow.pools.external_events import external_event
from foreknow.pools.store import PoolRow

log = structlog.get_logger("foreknow.odds")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalResult:
    """The final result of an event elsewhere, for one of our pools."""

    #: The address in the source's API where it was read.
    url: str
    #: The winner as the source calls it; No where the outcome of a single-market pool lost, "" without a winner.
    result: str
    #: Index of our outcome that won (single-market pool: 0 YES, 1 NO); None where not exactly one did.
    won_side: int | None


class ExternalResults:
    """Asks the sources for final results."""

    def __init__(self, sources: Mapping[str, Source], *, fetcher: Fetcher | None = None) -> None:
        """Ask `sources`, by name."""
        self._sources = sources
        self._fetcher = fetcher or odds_fetcher()

    async def final_result(self, pool: PoolRow, external_event_url: str) -> ExternalResult | None:
        """Ask the source once; None while there is no final result that means one of the pool's outcomes.

        Also None where the source is not set up, cannot be reached, or sends no event.
        """
        external = external_event(external_event_url)
        if external is None or external.source not in self._sources:
            return None
        source = self._sources[external.source]
        url = source.url(external.id)
        try:
            # Results do not depend on the time of the response.
            event = await asyncio.to_thread(source.read, await self._fetcher.get(url), now_ms=0)
        except (FetchFailed, BadResponse) as failure:
            log.warning("no final result", pool_id=pool.id, url=url, reason=str(failure))
            return None
        match = await asyncio.to_thread(match_pool, names_of(pool), event)
        results = match.results()
        if results is None:
            return None
        won_side = winner(results)
        return ExternalResult(url=url, result=_winners_name(match, won_side), won_side=won_side)

    async def stop(self) -> None:
        """Close the connections."""
        await self._fetcher.close()


def winner(results: Sequence[Result]) -> int | None:
    """Return the index of the one outcome that won, None where none or several did, or one ended otherwise."""
    won = [index for index, result in enumerate(results) if result is Result.WON]
    return won[0] if len(won) == 1 and Result.OTHER not in results else None


def _winners_name(match: Match, won_side: int | None) -> str:
    outcome = None if won_side is None else match.outcomes[won_side]
    return "" if outcome is None else outcome.name[:UNMATCHED_LENGTH_MAX]
