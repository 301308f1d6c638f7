"""Binance's public market data: all tickers in one response (`/api/v3/ticker/price`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from foreknow.assets.fetching import Fetcher
from foreknow.assets.providers.base import Exchange
from foreknow.assets.providers.decoding import decode_json, positive


class _Ticker(msgspec.Struct, frozen=True):
    symbol: str
    price: str


class Binance(Exchange):
    """Fetches the prices of all pairs with one request."""

    async def prices(self, fetcher: Fetcher) -> Mapping[str, float]:
        """See `Exchange.prices`."""
        return await asyncio.to_thread(binance_prices, await fetcher.get(self.settings.url))


def binance_prices(body: bytes) -> dict[str, float]:
    """Return the prices of all pairs, without those that are not a positive number; `BadResponse`."""
    found: dict[str, float] = {}
    for ticker in decode_json(body, list[_Ticker]):
        price = positive(ticker.price)
        if price is not None:
            found.setdefault(ticker.symbol, price)
    return found
