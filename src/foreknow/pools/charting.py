"""A pool's row as the charts want it."""

from __future__ import annotations

from foreknow.charts import CurrentPrices
from foreknow.pools.store import PoolRow


def present(row: PoolRow) -> CurrentPrices:
    """Return a published pool's prices, and since when they are what they are."""
    published_at_ms = row.published_at_ms or 0
    return CurrentPrices(
        probabilities=row.lmsr().probabilities(), since_ms=max(published_at_ms, row.last_trade_at_ms or 0)
    )
