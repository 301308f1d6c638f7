"""The background worker: fetches from each provider on its schedule, and after failures with growing pauses.

Each provider has its own task, so that a slow one keeps nobody waiting. Of several processes whoever moves the
provider's row on fetches; the others find it not due.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.assets import service, store
from foreknow.assets.adapters import BadAnswer, Rates, binance_prices, cbr_rates, coinbase_price, ecb_rates
from foreknow.assets.fetching import Fetcher, FetchFailed
from foreknow.assets.service import NewAsset, ProviderPriority
from foreknow.assets.store import Run
from foreknow.db.engine import Database
from foreknow.db.transactions import WriteTx
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS, Clock
from foreknow.kernel.errors import Unavailable
from foreknow.settings import AssetProvider, RateProvider

log = structlog.get_logger("foreknow.assets")

#: So often a process looks whether a provider is due.
POLL_S = 1.0
#: All of a run's requests must be over by then: less than the lease.
RUN_S = 60.0
BACK_OFF = BackOff(first_ms=15 * SECOND_MS, most_ms=15 * MINUTE_MS)
#: What a provider told holds for so many of its intervals against those named after it.
SILENT_INTERVALS = 3

#: Writes what was fetched: (tx, now_ms, holds_until_ms).
Record = Callable[[WriteTx, int, int], None]


class Source(Protocol):
    """A provider of the settings."""

    @property
    def key(self) -> str:
        """What it is called in the database and in the log."""
        ...

    @property
    def every_s(self) -> int:
        """How often it is fetched."""
        ...

    async def fetch(self, fetcher: Fetcher) -> Record:
        """Fetch; raises `FetchFailed` or `BadAnswer`."""
        ...


@dataclass(frozen=True, slots=True)
class ExchangeSource:
    """An exchange's prices."""

    provider: AssetProvider
    speaker: ProviderPriority

    @property
    def key(self) -> str:
        """See `Source.key`."""
        return f"assets:{self.provider.name}"

    @property
    def every_s(self) -> int:
        """See `Source.every_s`."""
        return self.provider.every_s

    async def fetch(self, fetcher: Fetcher) -> Record:
        """See `Source.fetch`."""
        wanted = self.provider.assets
        get = self._all_at_once if self.provider.adapter == "binance" else self._one_by_one
        told = await get(fetcher)
        prices_usd = {symbol: told[about.pair] for symbol, about in wanted.items() if about.pair in told}
        missing = wanted.keys() - prices_usd.keys()
        if not prices_usd:
            raise BadAnswer("none of the assets has a price")
        if missing:
            log.warning("assets without a price", provider=self.key, symbols=sorted(missing))
        names = {symbol: NewAsset(about.name or symbol, about.asset_type) for symbol, about in wanted.items()}

        def record(tx: WriteTx, now_ms: int, holds_until_ms: int) -> None:
            service.record_prices(tx, self.speaker, prices_usd, names, now_ms=now_ms, holds_until_ms=holds_until_ms)

        return record

    async def _all_at_once(self, fetcher: Fetcher) -> Mapping[str, float]:
        body = await fetcher.get(self.provider.url)
        return await asyncio.to_thread(binance_prices, body)

    async def _one_by_one(self, fetcher: Fetcher) -> Mapping[str, float]:
        told: dict[str, float] = {}
        failure: FetchFailed | BadAnswer | None = None
        for pair in {about.pair for about in self.provider.assets.values()}:
            try:
                told[pair] = coinbase_price(await fetcher.get(self.provider.url.replace("{pair}", pair)))
            except (FetchFailed, BadAnswer) as failed:
                # The others may be there: one pair that is no longer traded must not stop them.
                failure = failed
        if failure is not None and not told:
            raise failure
        return told


@dataclass(frozen=True, slots=True)
class CentralBankSource:
    """A central bank's rates."""

    provider: RateProvider
    speaker: ProviderPriority

    @property
    def key(self) -> str:
        """See `Source.key`."""
        return f"rates:{self.provider.name}"

    @property
    def every_s(self) -> int:
        """See `Source.every_s`."""
        return self.provider.every_s

    async def fetch(self, fetcher: Fetcher) -> Record:
        """See `Source.fetch`."""
        body = await fetcher.get(self.provider.url)
        rates: Rates = await asyncio.to_thread(cbr_rates if self.provider.adapter == "cbr" else ecb_rates, body)

        def record(tx: WriteTx, now_ms: int, holds_until_ms: int) -> None:
            service.record_rates(tx, self.speaker, rates, now_ms=now_ms, holds_until_ms=holds_until_ms)

        return record


def sources_of(asset_providers: Sequence[AssetProvider], rate_providers: Sequence[RateProvider]) -> list[Source]:
    """Make a source of each provider of the settings; those named first count most."""
    exchanges = [provider.name for provider in asset_providers]
    banks = [provider.name for provider in rate_providers]
    return [
        *(ExchangeSource(one, ProviderPriority(one.name, exchanges[:at])) for at, one in enumerate(asset_providers)),
        *(CentralBankSource(one, ProviderPriority(one.name, banks[:at])) for at, one in enumerate(rate_providers)),
    ]


class Refresher:
    """Fetches from `sources` while it runs."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        sources: Sequence[Source],
        *,
        fetcher: Fetcher | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Write to `db`; `jitter` (0 … 1) spreads the requests of many services over time."""
        self._db = db
        self._clock = clock
        self._sources = sources
        self._fetcher = fetcher or Fetcher()
        self._jitter = jitter
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to fetch."""
        self._tasks = [asyncio.create_task(self._keep(one), name=one.key) for one in self._sources]

    async def stop(self) -> None:
        """Fetch no more; what is under way is due again when its lease ends."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await self._fetcher.close()

    async def refresh(self, source: Source) -> bool:
        """Fetch from a provider if it is due and nobody else does; tell whether values came.

        Raises what the database does.
        """
        # Looked for by a reader first: on SQLite a writer holds up every order.
        if not await self._db.read(lambda tx: store.is_due(tx, source.key, self._clock())):
            return False
        run = await self._db.write_private(lambda tx: store.claim(tx, source.key, self._clock()))
        return run is not None and await self._run(source, run)

    async def _run(self, source: Source, run: Run) -> bool:
        try:
            async with asyncio.timeout(RUN_S):
                record = await source.fetch(self._fetcher)
        except (FetchFailed, BadAnswer, TimeoutError) as failure:
            reason = str(failure) or repr(failure)
            pause_ms = BACK_OFF.pause_ms(run.failures + 1, jitter=self._jitter())
            log.warning(
                "a provider has no values for us",
                provider=source.key,
                reason=reason,
                pause_ms=pause_ms,
            )
            due_at_ms = self._clock() + pause_ms
            await self._db.write_private(lambda tx: store.note_failure(tx, run, due_at_ms=due_at_ms))
            return False
        now_ms, every_ms = self._clock(), source.every_s * SECOND_MS
        due_at_ms = now_ms + round(every_ms * (0.9 + 0.2 * self._jitter()))

        def write(tx: WriteTx) -> bool:
            if not store.note_success(tx, run, at_ms=now_ms, due_at_ms=due_at_ms):
                return False
            record(tx, now_ms, now_ms + SILENT_INTERVALS * every_ms)
            return True

        return await self._db.write(write)

    async def _keep(self, source: Source) -> None:
        while True:
            try:
                await self.refresh(source)
            except (Unavailable, SQLAlchemyError) as failure:
                log.warning("a provider's values cannot be written", provider=source.key, reason=repr(failure))
            except Exception:  # the last line of defence: what nobody foresaw must not end this provider for good
                log.exception("fetching from a provider failed", provider=source.key)
            await asyncio.sleep(POLL_S)
