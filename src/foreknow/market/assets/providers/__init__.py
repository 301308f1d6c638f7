"""Providers of prices and rates: a class an exchange, a function a bank, found by the adapter's name in the settings.

`base` says what a provider does; `decoding` reads XML and numbers of responses.
How to add another: `README.md` beside this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foreknow.kernel.provider_settings import AssetProvider, RateProvider
from foreknow.market.assets.providers.base import CentralBank, ExchangeProvider, PriceProvider, ReadRates
from foreknow.market.assets.providers.binance import Binance
from foreknow.market.assets.providers.central_banks import cbr_rates, ecb_rates
from foreknow.market.assets.providers.coinbase import Coinbase
from foreknow.market.assets.service import ProviderPriority

EXCHANGES: Mapping[str, type[ExchangeProvider]] = {"binance": Binance, "coinbase": Coinbase}
CENTRAL_BANKS: Mapping[str, ReadRates] = {"cbr": cbr_rates, "ecb": ecb_rates}


def open_providers(
    asset_providers: Sequence[AssetProvider], rate_providers: Sequence[RateProvider]
) -> Sequence[PriceProvider]:
    """Make the providers of the settings; an earlier one has priority over a later one of its kind."""
    exchanges = [one.name for one in asset_providers]
    banks = [one.name for one in rate_providers]
    return [
        *(
            EXCHANGES[one.adapter](one, ProviderPriority(one.name, exchanges[:at]))
            for at, one in enumerate(asset_providers)
        ),
        *(
            CentralBank(CENTRAL_BANKS[one.adapter], one, ProviderPriority(one.name, banks[:at]))
            for at, one in enumerate(rate_providers)
        ),
    ]
