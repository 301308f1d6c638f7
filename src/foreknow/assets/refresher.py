"""The background worker: fetches from each provider at its interval, and after failures with growing pauses.

Each provider has its own worker, so that a slow one delays no other. Of several processes, the one that claims the
provider's row fetches.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from functools import partial

import structlog

from foreknow.assets.fetching import Fetcher, FetchFailed
from foreknow.assets.providers.base import Provider, Record
from foreknow.assets.providers.decoding import BadResponse
from foreknow.assets.store import RUNS
from foreknow.db.clock import now_ms
from foreknow.db.engine import Database
from foreknow.db.transactions import WriteTx
from foreknow.jobs import Claim, JobFailed, JobRunner, Worker
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS

log = structlog.get_logger("foreknow.assets")

#: How often a process looks whether a provider is due.
POLL_S = 1.0
#: Bounds all requests of one run; shorter than the lease.
RUN_S = 60.0
BACK_OFF = BackOff(first_ms=15 * SECOND_MS, most_ms=15 * MINUTE_MS)
#: Intervals for which a provider's values hold against providers of lower priority.
SILENT_INTERVALS = 3


class Refresher:
    """Fetches from `providers` while it runs."""

    def __init__(
        self,
        db: Database,
        providers: Sequence[Provider],
        *,
        fetcher: Fetcher | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Write to `db`; `jitter` (0 … 1) spreads the requests of many services over time."""
        self._db = db
        self._providers = {one.key: one for one in providers}
        self._fetcher = fetcher or Fetcher()
        self._jitter = jitter
        self._runner = JobRunner("assets", db, RUNS, self._run, back_off=BACK_OFF, jitter=jitter)
        self._workers = [Worker(key, partial(self._refresh_due, key), poll_s=POLL_S) for key in self._providers]

    def start(self) -> None:
        """Begin to fetch."""
        for worker in self._workers:
            worker.start()

    async def stop(self) -> None:
        """Stop fetching; a provider whose run is broken off is due again when its lease ends."""
        await asyncio.gather(*(worker.stop() for worker in self._workers))
        await self._fetcher.close()

    async def refresh(self, key: str) -> bool:
        """Fetch from a provider if it is due and no other process does; return whether its values were recorded.

        Raises what the database does.
        """
        return await self._runner.run_named(key, run=0, failures=0)

    async def _refresh_due(self, key: str) -> None:
        await self.refresh(key)

    async def _run(self, claim: Claim) -> bool:
        provider = self._providers[claim.key]
        try:
            async with asyncio.timeout(RUN_S):
                record = await provider.fetch(self._fetcher)
        except (FetchFailed, BadResponse, TimeoutError) as failure:
            raise JobFailed(str(failure) or repr(failure)) from failure
        return await self._db.write(partial(self._record, claim=claim, every_s=provider.every_s, record=record))

    def _record(self, tx: WriteTx, *, claim: Claim, every_s: int, record: Record) -> bool:
        at_ms, every_ms = now_ms(tx), every_s * SECOND_MS
        due_at_ms = at_ms + round(every_ms * (0.9 + 0.2 * self._jitter()))
        if not RUNS.reschedule(tx, claim, due_at_ms=due_at_ms, failures=0, succeeded_at_ms=at_ms):
            return False
        record(tx, at_ms, at_ms + SILENT_INTERVALS * every_ms)
        return True
