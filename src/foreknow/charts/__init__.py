"""Charts: written with the trade, in its transaction, and never computed by scanning trades.

    buckets   the four pool charts (`1h`, `1d`, `1w`, `1m`): what a pool's prices were at the end of a bucket of time
    thinning  series of at most 1,000 points, thinned evenly as they grow
    lives     the market charts, a pool's whole life, and the traders' PnL charts: both such series

What a pool's prices are now stands in its markets; here stands only what they were. So most trades write nothing for
the pool charts (only the first trade of a bucket writes how the bucket before it ended), and at most one point for
the market charts.
"""

from foreknow.charts.buckets import PoolPoint, pool_charts
from foreknow.charts.history import (
    MarketPoint,
    PnlChange,
    PnlPoint,
    market_chart,
    pnl_chart,
    pnl_points_ever,
    record_pnl,
)
from foreknow.charts.recording import CurrentPrices, PoolTrades, open_pool, record_trades

__all__ = [
    "CurrentPrices",
    "MarketPoint",
    "PnlChange",
    "PnlPoint",
    "PoolPoint",
    "PoolTrades",
    "market_chart",
    "open_pool",
    "pnl_chart",
    "pnl_points_ever",
    "pool_charts",
    "record_pnl",
    "record_trades",
]
