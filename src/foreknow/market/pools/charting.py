"""Current prices for the charts."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.market.charts import CurrentPrices
from foreknow.market.pools.store import PoolRow, PricedPool


def current_prices(row: PricedPool, probabilities: Sequence[float] | None = None) -> CurrentPrices:
    """Return a published pool's prices and the time of their last change; of a whole row with its splits.

    `probabilities`: its prices, where they are computed already.
    """
    published_at_ms = row.published_at_ms or 0
    return CurrentPrices(
        probabilities=row.lmsr().probabilities() if probabilities is None else probabilities,
        since_ms=max(published_at_ms, row.last_trade_at_ms or 0),
        splits=[split.charted for split in row.splits] if isinstance(row, PoolRow) else (),
    )
