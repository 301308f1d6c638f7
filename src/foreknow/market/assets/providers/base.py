"""What a provider is: it fetches values, and returns a function that records them in a transaction."""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import structlog

from foreknow.kernel.provider_settings import AssetProvider, RateProvider
from foreknow.market.assets import service
from foreknow.market.assets.service import NewAsset, ObservedPrice, ProviderPriority
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.fetching import BadResponse, Fetcher

log = structlog.get_logger("foreknow.assets")

#: A pair of currencies, and what one unit of the first is worth in the second.
Rates = Mapping[tuple[str, str], float]
#: Reads a central bank's table; `BadResponse`.
ReadRates = Callable[[bytes], Rates]
#: Records what was fetched: (tx, for how many milliseconds it holds against providers of lower priority).
Record = Callable[[WriteTx, int], None]


@dataclass(frozen=True, slots=True)
class TimedBody:
    """A response, and when its request began, by the database's clock."""

    content: bytes
    began_at_ms: int


class TimedFetcher:
    """Sends GET requests to providers, and asks when each begins."""

    def __init__(self, fetcher: Fetcher, now_ms: Callable[[], Awaitable[int]]) -> None:
        """Send with `fetcher`; `now_ms` returns the database's time."""
        self._fetcher = fetcher
        self._now_ms = now_ms

    async def get(self, url: str) -> TimedBody:
        """Return a response; `FetchFailed`, and what the database raises."""
        # Asked first: a price is never newer than its observation says.
        began_at_ms = await self._now_ms()
        return TimedBody(await self._fetcher.get(url), began_at_ms)


class PriceProvider(Protocol):
    """A provider of the settings."""

    #: Its name in the database and in the log.
    key: str
    #: How often it is fetched.
    every_s: int
    #: Whether it can be requested to run while another run is under way; then both runs' values are recorded.
    may_overlap: bool

    async def fetch(self, fetcher: TimedFetcher) -> Record:
        """Fetch its values; `FetchFailed`, `BadResponse`."""
        ...


class ExchangeProvider(ABC):
    """An exchange, which provides prices of assets in US dollars."""

    may_overlap = True

    def __init__(self, settings: AssetProvider, priority: ProviderPriority) -> None:
        """Provide the assets of `settings`."""
        self.settings = settings
        self.key = f"assets:{settings.name}"
        self.every_s = settings.every_s
        self._priority = priority

    @abstractmethod
    async def prices(self, fetcher: TimedFetcher) -> Mapping[str, ObservedPrice]:
        """Fetch prices by pair, at least those of the settings' assets; `FetchFailed`, `BadResponse`."""

    async def fetch(self, fetcher: TimedFetcher) -> Record:
        """See `PriceProvider.fetch`."""
        wanted = self.settings.assets
        prices = await self.prices(fetcher)
        found = {symbol: prices[asset.pair] for symbol, asset in wanted.items() if asset.pair in prices}
        missing = wanted.keys() - found.keys()
        if not found:
            raise BadResponse("none of the assets has a price")
        if missing:
            log.warning("assets without a price", provider=self.key, symbols=sorted(missing))
        new = {symbol: NewAsset(asset.name or symbol, asset.asset_type) for symbol, asset in wanted.items()}

        def record(tx: WriteTx, hold_ms: int) -> None:
            service.record_prices(tx, self._priority, found, new, hold_ms=hold_ms)

        return record


class CentralBank:
    """A central bank, which provides rates of currencies."""

    may_overlap = False

    def __init__(self, read: ReadRates, settings: RateProvider, priority: ProviderPriority) -> None:
        """Provide the table at the settings' URL, as `read` reads it."""
        self._read = read
        self._url = settings.url
        self.key = f"rates:{settings.name}"
        self.every_s = settings.every_s
        self._priority = priority

    async def fetch(self, fetcher: TimedFetcher) -> Record:
        """See `PriceProvider.fetch`."""
        body = await fetcher.get(self._url)
        rates = await asyncio.to_thread(self._read, body.content)

        def record(tx: WriteTx, hold_ms: int) -> None:
            service.record_rates(tx, self._priority, rates, hold_ms=hold_ms)

        return record


def collect_rates(rows: Iterable[tuple[tuple[str, str], float]]) -> Rates:
    """Return the positive finite rates by pair, the first of each pair; `BadResponse` where there is none."""
    found: dict[tuple[str, str], float] = {}
    for pair, rate in rows:
        if 0 < rate < math.inf:
            found.setdefault(pair, rate)
    if not found:
        raise BadResponse("the table has no rate")
    return found
