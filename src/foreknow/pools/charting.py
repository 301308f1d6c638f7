"""A pool's row as the charts want it."""

from __future__ import annotations

from foreknow.charts import Present
from foreknow.pools.store import PoolRow


def present(row: PoolRow) -> Present:
    """Return a published pool's prices, and since when they are what they are."""
    published_at_ms = row.published_at_ms or 0
    return Present(probabilities=row.lmsr().probabilities(), since_ms=max(published_at_ms, row.last_trade_at_ms or 0))
