"""Final results of events elsewhere, for pools that are resolved by them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foreknow.kernel.clock import iso
from foreknow.market.pools.external_events import external_event
from foreknow.market.pools.store import PoolRow
from foreknow.platform.fetching import Fetcher
from foreknow.trading.odds.following import UNMATCHED_LENGTH_MAX, names_of
from foreknow.trading.odds.matching import Match, match_pool
from foreknow.trading.odds.rounds import odds_fetcher
from foreknow.trading.odds.sources import Source
from foreknow.trading.odds.sources.base import OutcomeResult


@dataclass(frozen=True, slots=True)
class FetchedResult:
    """The final result of an event elsewhere, for one of our pools."""

    #: Index of our outcome that won (single-market pool: 0 YES, 1 NO); None where not exactly one did.
    won_side: int | None
    #: `{url, result, fetched_at}`: the address in the source's API, the winner as the source calls it (No where the
    #: outcome of a single-market pool lost, "" without a winner), and when the request began.
    evidence: dict[str, Any]


class ResultFetcher:
    """Asks the sources for final results."""

    def __init__(self, sources: Mapping[str, Source], *, fetcher: Fetcher | None = None) -> None:
        """Ask `sources`, by name."""
        self._sources = sources
        self._fetcher = fetcher or odds_fetcher()

    @property
    def sources(self) -> Collection[str]:
        """The names of the sources that it asks."""
        return self._sources.keys()

    async def fetch(self, url: str, pool: PoolRow, *, at_ms: int) -> FetchedResult | None:
        """Ask at `at_ms` for a pool's final result; `url` is its event's external_event_url.

        None while there is none for the pool's outcomes, and where the source is not set up. Raises `FetchFailed`,
        `BadResponse`.
        """
        external = external_event(url)
        if external is None or external.source not in self._sources:
            return None
        source = self._sources[external.source]
        api_url = source.url(external.id)
        event = await asyncio.to_thread(source.read, await self._fetcher.get(api_url), now_ms=at_ms)
        match = await asyncio.to_thread(match_pool, names_of(pool), event)
        results = match.results() or _list_results(pool, match)
        if results is None:
            return None
        won_side = winner(results)
        if pool.splits and won_side == pool.other_index:
            # Which of those that were not taken out of it, a person knows.
            won_side = None
        evidence = {"url": api_url, "result": _winners_name(match, won_side), "fetched_at": iso(at_ms)}
        return FetchedResult(won_side, evidence)

    async def stop(self) -> None:
        """Close the connections."""
        await self._fetcher.close()


def _list_results(pool: PoolRow, match: Match) -> tuple[OutcomeResult, ...] | None:
    """Return the results of a list whose Other stands for none there; None while a named outcome has none."""
    if pool.other_index is None:
        return None
    results = [None if one is None else one.result for one in match.outcomes]
    named = [result for index, result in enumerate(results) if index != pool.other_index]
    if match.outcomes[pool.other_index] is not None or None in named:
        return None
    # If none of them won, no one of ours did: one that is not in the list.
    return tuple(OutcomeResult.LOST if result is None else result for result in results)


def winner(results: Sequence[OutcomeResult]) -> int | None:
    """Return the index of the one outcome that won, None where none or several did, or one ended otherwise."""
    won = [index for index, result in enumerate(results) if result is OutcomeResult.WON]
    return won[0] if len(won) == 1 and OutcomeResult.OTHER not in results else None


def _winners_name(match: Match, won_side: int | None) -> str:
    outcome = None if won_side is None else match.outcomes[won_side]
    return "" if outcome is None else outcome.name[:UNMATCHED_LENGTH_MAX]
