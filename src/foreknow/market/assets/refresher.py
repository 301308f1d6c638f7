"""The background worker: fetches from each provider at its interval, and after failures with growing pauses.

Each provider has its own workers, so that a slow one delays no other. Of several processes, the one that claims the
provider's row fetches.

A price rule needs an observation whose request began after a moment. `request_prices` then makes the providers due at
once, even while a run that began before is under way: another worker claims the row, and the earlier run, which has
lost its claim, records what it gets all the same.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Sequence
from functools import partial

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.market.assets import store
from foreknow.market.assets.providers.base import ExchangeProvider, PriceProvider, Record, TimedFetcher
from foreknow.market.assets.store import RUNS
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.fetching import BadResponse, Fetcher, FetchFailed
from foreknow.platform.jobs import Background, Claim, JobFailed, JobRunner, Worker

log = structlog.get_logger("foreknow.assets")

#: How often a process looks whether a provider is due.
POLL_S = 1.0
#: Runs of one exchange that a process has under way at most: one at its interval, one on request.
RUNS_MAX = 2
#: Bounds all requests of one run; shorter than the lease.
RUN_S = 60.0
#: Longest wait at shutdown for runs under way: the provider of one that is cut off is asked again once its lease ends.
STOP_S = 5.0
BACK_OFF = BackOff(first_ms=15 * SECOND_MS, most_ms=15 * MINUTE_MS)
#: Intervals for which a provider's values hold against providers of lower priority.
SILENT_INTERVALS = 3


class Refresher(Background):
    """Fetches from `providers` while it runs."""

    def __init__(
        self,
        db: Database,
        providers: Sequence[PriceProvider],
        *,
        fetcher: Fetcher | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Write to `db`; `jitter` (0 … 1) spreads the requests of many services over time."""
        super().__init__(
            *(
                Worker(one.key, partial(self._refresh_due, one.key), poll_s=POLL_S, stop_s=STOP_S)
                for one in providers
                for _ in range(RUNS_MAX if one.may_overlap else 1)
            )
        )
        self._db = db
        self._providers = {one.key: one for one in providers}
        self._fetcher = fetcher or Fetcher()
        self._jitter = jitter
        self._runner = JobRunner("assets", db, RUNS, self._run, back_off=BACK_OFF, jitter=jitter)

    async def stop(self) -> None:
        """Stop fetching."""
        await super().stop()
        await self._fetcher.close()

    def request_prices(self, tx: WriteTx, symbols: Collection[str], *, source: str | None, since_ms: int) -> None:
        """Let the exchanges that provide `symbols` (upper case) be asked at once, of `source` alone where it is named.

        Those that were asked at `since_ms` or later are not asked again, whatever became of it: call it again with a
        later moment to repeat a request. Takes effect within `POLL_S`; call `wake` after the commit to be quicker.
        """
        wanted = set(symbols)
        keys = [
            one.key
            for one in self._providers.values()
            if isinstance(one, ExchangeProvider)
            and wanted & one.settings.assets.keys()
            and source in {None, one.settings.name}
        ]
        if keys:
            store.request_runs(tx, keys, since_ms=since_ms)

    async def refresh(self, key: str) -> bool:
        """Fetch from a provider if it is due and no other process does; return whether its claim held to the end.

        Raises what the database does.
        """
        return await self._runner.run_named(key, run=0, failures=0)

    async def _refresh_due(self, key: str) -> None:
        await self.refresh(key)

    async def _run(self, claim: Claim) -> bool:
        provider = self._providers[claim.key]
        try:
            async with asyncio.timeout(RUN_S):
                record = await provider.fetch(TimedFetcher(self._fetcher, self._now_ms))
        except (FetchFailed, BadResponse, TimeoutError) as failure:
            raise JobFailed(str(failure) or repr(failure)) from failure
        return await self._db.write(partial(self._record, claim=claim, provider=provider, record=record))

    async def _now_ms(self) -> int:
        return await self._db.lookup(now_ms)

    def _record(self, tx: WriteTx, *, claim: Claim, provider: PriceProvider, record: Record) -> bool:
        at_ms, every_ms = now_ms(tx), provider.every_s * SECOND_MS
        due_at_ms = at_ms + round(every_ms * (0.9 + 0.2 * self._jitter()))
        is_ours = RUNS.reschedule(tx, claim, due_at_ms=due_at_ms, failures=0, succeeded_at_ms=at_ms)
        if is_ours or provider.may_overlap:
            record(tx, SILENT_INTERVALS * every_ms)
        return is_ours
