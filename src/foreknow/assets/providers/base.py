"""What a provider is: it fetches values, and returns a function that records them in a transaction."""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import structlog

from foreknow.assets import service
from foreknow.assets.fetching import Fetcher
from foreknow.assets.providers.decoding import BadResponse
from foreknow.assets.service import NewAsset, ProviderPriority
from foreknow.db.transactions import WriteTx
from foreknow.settings import AssetProvider, RateProvider

log = structlog.get_logger("foreknow.assets")

#: A pair of currencies, and what one unit of the first is worth in the second.
Rates = Mapping[tuple[str, str], float]
#: Records what was fetched: (tx, now_ms, holds_until_ms).
Record = Callable[[WriteTx, int, int], None]


class Provider(Protocol):
    """A provider of the settings."""

    #: Its name in the database and in the log.
    key: str
    #: How often it is fetched.
    every_s: int

    async def fetch(self, fetcher: Fetcher) -> Record:
        """Fetch its values; `FetchFailed`, `BadResponse`."""
        ...


class Exchange(ABC):
    """An exchange, which provides prices of assets in US dollars."""

    def __init__(self, settings: AssetProvider, priority: ProviderPriority) -> None:
        """Provide the assets of `settings`."""
        self.settings = settings
        self.key = f"assets:{settings.name}"
        self.every_s = settings.every_s
        self._priority = priority

    @abstractmethod
    async def prices(self, fetcher: Fetcher) -> Mapping[str, float]:
        """Fetch prices by pair, at least those of the settings' assets; `FetchFailed`, `BadResponse`."""

    async def fetch(self, fetcher: Fetcher) -> Record:
        """See `Provider.fetch`."""
        wanted = self.settings.assets
        prices = await self.prices(fetcher)
        prices_usd = {symbol: prices[asset.pair] for symbol, asset in wanted.items() if asset.pair in prices}
        missing = wanted.keys() - prices_usd.keys()
        if not prices_usd:
            raise BadResponse("none of the assets has a price")
        if missing:
            log.warning("assets without a price", provider=self.key, symbols=sorted(missing))
        new = {symbol: NewAsset(asset.name or symbol, asset.asset_type) for symbol, asset in wanted.items()}

        def record(tx: WriteTx, now_ms: int, holds_until_ms: int) -> None:
            service.record_prices(tx, self._priority, prices_usd, new, now_ms=now_ms, holds_until_ms=holds_until_ms)

        return record


class CentralBank(ABC):
    """A central bank, which provides rates of currencies."""

    def __init__(self, settings: RateProvider, priority: ProviderPriority) -> None:
        """Provide the table at the settings' URL."""
        self.settings = settings
        self.key = f"rates:{settings.name}"
        self.every_s = settings.every_s
        self._priority = priority

    @abstractmethod
    def rates(self, body: bytes) -> Rates:
        """Read the table; `BadResponse`."""

    async def fetch(self, fetcher: Fetcher) -> Record:
        """See `Provider.fetch`."""
        rates = await asyncio.to_thread(self.rates, await fetcher.get(self.settings.url))

        def record(tx: WriteTx, now_ms: int, holds_until_ms: int) -> None:
            service.record_rates(tx, self._priority, rates, now_ms=now_ms, holds_until_ms=holds_until_ms)

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
