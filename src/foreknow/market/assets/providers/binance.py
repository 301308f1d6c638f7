"""Binance's public market data: all tickers in one response (`/api/v3/ticker/price`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from foreknow.market.assets.providers.base import ExchangeProvider, TimedFetcher
from foreknow.market.assets.providers.decoding import positive
from foreknow.market.assets.service import ObservedPrice
from foreknow.platform.fetching import decode_json


class _Ticker(msgspec.Struct, frozen=True):
    symbol: str
    price: str


class Binance(ExchangeProvider):
    """Fetches the prices of all pairs with one request."""

    async def prices(self, fetcher: TimedFetcher) -> Mapping[str, ObservedPrice]:
        """See `ExchangeProvider.prices`."""
        body = await fetcher.get(self.settings.url)
        prices = await asyncio.to_thread(binance_prices, body.content)
        return {pair: ObservedPrice(price_usd, body.began_at_ms) for pair, price_usd in prices.items()}


def binance_prices(body: bytes) -> dict[str, float]:
    """Return the prices of all pairs, without those that are not a positive number; `BadResponse`."""
    found: dict[str, float] = {}
    for ticker in decode_json(body, list[_Ticker]):
        price = positive(ticker.price)
        if price is not None:
            found.setdefault(ticker.symbol, price)
    return found
