"""Providers of prices and rates: one class an adapter, found by the adapter's name in the settings.

    base      what a provider does; exchanges and central banks
    decoding  reading XML and numbers of responses

A new adapter needs a module with its class, a line in `EXCHANGES` or `CENTRAL_BANKS`, and its name in
`AssetProvider.adapter` or `RateProvider.adapter` of the settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foreknow.assets.providers.base import CentralBank, Exchange, Provider
from foreknow.assets.providers.binance import Binance
from foreknow.assets.providers.cbr import BankOfRussia
from foreknow.assets.providers.coinbase import Coinbase
from foreknow.assets.providers.ecb import EuropeanCentralBank
from foreknow.assets.service import ProviderPriority
from foreknow.provider_settings import AssetProvider, RateProvider

EXCHANGES: Mapping[str, type[Exchange]] = {"binance": Binance, "coinbase": Coinbase}
CENTRAL_BANKS: Mapping[str, type[CentralBank]] = {"cbr": BankOfRussia, "ecb": EuropeanCentralBank}


def open_providers(
    asset_providers: Sequence[AssetProvider], rate_providers: Sequence[RateProvider]
) -> Sequence[Provider]:
    """Make the providers of the settings; an earlier one has priority over a later one of its kind."""
    exchanges = [one.name for one in asset_providers]
    banks = [one.name for one in rate_providers]
    return [
        *(
            EXCHANGES[one.adapter](one, ProviderPriority(one.name, exchanges[:at]))
            for at, one in enumerate(asset_providers)
        ),
        *(
            CENTRAL_BANKS[one.adapter](one, ProviderPriority(one.name, banks[:at]))
            for at, one in enumerate(rate_providers)
        ),
    ]
