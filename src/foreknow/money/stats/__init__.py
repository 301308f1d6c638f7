"""Statistics of the service by UTC day, written at the end of the transaction of what they count.

A read sums a few rows per day, whatever the number of trades.
"""

from foreknow.money.stats.store import (
    DayStats,
    TradeStats,
    daily_stats,
    last_days_fetch,
    newest_day,
    newest_days,
    not_counted,
    record_deletion,
    record_grants,
    record_settlement,
    record_sign_up,
    record_traders,
    record_trades,
    stats_before,
    write_trades,
)

__all__ = [
    "DayStats",
    "TradeStats",
    "daily_stats",
    "last_days_fetch",
    "newest_day",
    "newest_days",
    "not_counted",
    "record_deletion",
    "record_grants",
    "record_settlement",
    "record_sign_up",
    "record_traders",
    "record_trades",
    "stats_before",
    "write_trades",
]
