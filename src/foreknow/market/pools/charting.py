"""Current prices for the charts."""

from __future__ import annotations

from foreknow.market.charts import CurrentPrices
from foreknow.market.pools.store import PoolRow, PricedPool


def current_prices(row: PricedPool) -> CurrentPrices:
    """Return a published pool's prices and the time of their last change; of a whole row with its splits."""
    return CurrentPrices(
        probabilities=row.lmsr().probabilities(),
        since_ms=since_ms_of(row),
        splits=[split.charted for split in row.splits] if isinstance(row, PoolRow) else (),
    )


def since_ms_of(row: PricedPool) -> int:
    """Return since when a published pool's prices have been what they are, Unix milliseconds."""
    return max(row.published_at_ms or 0, row.last_trade_at_ms or 0)
