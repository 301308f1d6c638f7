"""Prices of assets and rates of currencies: fetched from the settings' providers, kept, and set by admins.

    routes     the endpoints                     service    setting and recording, and whose word counts
    rates      rates between any two currencies  store      rows
    adapters   what providers' answers mean      fetching   getting them, bounded in time and size
    refresher  the background worker: one process at a time fetches from each provider, on a schedule

Whatever a provider answers or does not, the last good values stay; `price_updated_at` tells their age.
"""

from foreknow.assets.refresher import Refresher, sources_of
from foreknow.assets.routes import AssetRoutes

__all__ = ["AssetRoutes", "Refresher", "sources_of"]
