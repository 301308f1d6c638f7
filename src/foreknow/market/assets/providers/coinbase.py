"""Coinbase Exchange: one ticker a response (`/products/BTC-USD/ticker`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from foreknow.market.assets.providers.base import ExchangeProvider, TimedFetcher
from foreknow.market.assets.providers.decoding import positive
from foreknow.market.assets.service import ObservedPrice
from foreknow.platform.fetching import BadResponse, FetchFailed, decode_json

#: Pause between the beginnings of two requests: the exchange takes 10 a second from one address.
PAUSE_S = 0.1


class _ProductTicker(msgspec.Struct, frozen=True):
    price: str


class Coinbase(ExchangeProvider):
    """Fetches the price of each pair with its own request."""

    async def prices(self, fetcher: TimedFetcher) -> Mapping[str, ObservedPrice]:
        """See `ExchangeProvider.prices`; raises only if all pairs failed."""
        pairs = sorted({asset.pair for asset in self.settings.assets.values()})
        # A pair whose response is late delays no other pair; one that is no longer traded must not stop the others.
        requests = (self._price(fetcher, pair, number) for number, pair in enumerate(pairs))
        ended = await asyncio.gather(*requests, return_exceptions=True)
        found: dict[str, ObservedPrice] = {}
        failure: BaseException | None = None
        for pair, outcome in zip(pairs, ended, strict=True):
            if isinstance(outcome, ObservedPrice):
                found[pair] = outcome
            elif isinstance(outcome, (FetchFailed, BadResponse)):
                failure = outcome
            else:
                raise outcome
        if failure is not None and not found:
            raise failure
        return found

    async def _price(self, fetcher: TimedFetcher, pair: str, number: int) -> ObservedPrice:
        await asyncio.sleep(number * PAUSE_S)
        body = await fetcher.get(self.settings.url.replace("{pair}", pair))
        return ObservedPrice(coinbase_price(body.content), body.began_at_ms)


def coinbase_price(body: bytes) -> float:
    """Return the price of a pair; `BadResponse`."""
    price = positive(decode_json(body, _ProductTicker).price)
    if price is None:
        raise BadResponse("the price is not a positive number")
    return price
