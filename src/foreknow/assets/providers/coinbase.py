"""Coinbase Exchange: one ticker a response (`/products/BTC-USD/ticker`)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from foreknow.assets.fetching import Fetcher, FetchFailed
from foreknow.assets.providers.base import Exchange
from foreknow.assets.providers.decoding import BadResponse, decode_json, positive


class _ProductTicker(msgspec.Struct, frozen=True):
    price: str


class Coinbase(Exchange):
    """Fetches the price of each pair with its own request."""

    async def prices(self, fetcher: Fetcher) -> Mapping[str, float]:
        """See `Exchange.prices`; raises only if all pairs failed."""
        found: dict[str, float] = {}
        failure: FetchFailed | BadResponse | None = None
        for pair in {asset.pair for asset in self.settings.assets.values()}:
            try:
                found[pair] = coinbase_price(await fetcher.get(self.settings.url.replace("{pair}", pair)))
            except (FetchFailed, BadResponse) as failed:
                # One pair that is no longer traded must not stop the others.
                failure = failed
        if failure is not None and not found:
            raise failure
        return found


def coinbase_price(body: bytes) -> float:
    """Return the price of a pair; `BadResponse`."""
    price = positive(decode_json(body, _ProductTicker).price)
    if price is None:
        raise BadResponse("the price is not a positive number")
    return price
