"""Sources of odds: one class each, found by the name that the settings and the page of an event give.

`base` says what a source does, to what it converts an event, and reads its numbers. How to add another: `README.md`
beside this.
"""

from __future__ import annotations

from collections.abc import Mapping

from foreknow.kernel.provider_settings import OddsSource
from foreknow.trading.odds.sources.base import Source
from foreknow.trading.odds.sources.kalshi import Kalshi
from foreknow.trading.odds.sources.manifold import Manifold
from foreknow.trading.odds.sources.polymarket import Polymarket

__all__ = ["Source", "open_sources"]

SOURCES: Mapping[str, type[Source]] = {"polymarket": Polymarket, "manifold": Manifold, "kalshi": Kalshi}


def open_sources(api_urls: Mapping[OddsSource, str]) -> Mapping[str, Source]:
    """Make the sources of the settings, by name; `api_urls` says where the API of each lies."""
    return {name: SOURCES[name](url) for name, url in api_urls.items()}
