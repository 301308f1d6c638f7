"""Prices of assets and rates of currencies: fetched from the settings' providers, kept, and set by admins.

    routes        the endpoints
    service       setting and recording, and priorities
    codes         currency codes and asset symbols
    store         rows
    providers     one class an adapter
    refresher     the background worker: one process at a time fetches from each provider, on a schedule or on request
    observations  every price fetched or set, for price rules, and the background worker that deletes old ones

Whatever a provider responds, the last good values stay; `price_updated_at` tells their age.
"""
