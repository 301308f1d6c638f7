"""Charts: written in the trade's transaction, never computed by scanning trades.

    recording     writes the charts, at publication and with each trade
    prices        the prices of a pool, which charts are made of, those from before outcomes were added too
    buckets       the four pool charts (`1h`, `1d`, `1w`, `1m`): prices at the end of each time bucket
    recent        prices of the last days, for cards
    history       market charts (a pool's whole history) and traders' PnL charts, both downsampled

Current prices are in the markets' rows. So most trades write no bucket (only a bucket's first trade writes the end of
the one before), and at most one point of the market charts.
"""

from foreknow.market.charts.buckets import pool_charts
from foreknow.market.charts.history import (
    LastPoint,
    MarketPoint,
    PnlChange,
    PnlPoint,
    PnlTotal,
    last_points_fetch,
    market_chart,
    pnl_chart,
    pnl_point_count,
    pnl_total,
    pool_history,
    record_pnl,
    recount_closed,
    write_pnl,
)
from foreknow.market.charts.prices import ChartSplit, PoolPoint, as_then, filled
from foreknow.market.charts.recent import DAY_AGO_STEP_MS, SparkPool, day_ago, sparks
from foreknow.market.charts.recording import CurrentPrices, PoolTrades, move_prior, open_pool, record_trades

__all__ = [
    "DAY_AGO_STEP_MS",
    "ChartSplit",
    "CurrentPrices",
    "LastPoint",
    "MarketPoint",
    "PnlChange",
    "PnlPoint",
    "PnlTotal",
    "PoolPoint",
    "PoolTrades",
    "SparkPool",
    "as_then",
    "day_ago",
    "filled",
    "last_points_fetch",
    "market_chart",
    "move_prior",
    "open_pool",
    "pnl_chart",
    "pnl_point_count",
    "pnl_total",
    "pool_charts",
    "pool_history",
    "record_pnl",
    "record_trades",
    "recount_closed",
    "sparks",
    "write_pnl",
]
