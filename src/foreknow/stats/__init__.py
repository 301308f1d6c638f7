"""Figures of the whole service by UTC day, written beside what they count and in the same transaction.

Whoever makes the thing counted says so, at the very end of the transaction: the desk `record_trades`, a settlement
`record_settlement`, a sign-up `record_sign_up`. Reading is a sum over a few rows a day, however many trades there were.
"""

from foreknow.stats.store import (
    DayStats,
    TradeStats,
    daily_stats,
    record_settlement,
    record_sign_up,
    record_trades,
)

__all__ = [
    "DayStats",
    "TradeStats",
    "daily_stats",
    "record_settlement",
    "record_sign_up",
    "record_trades",
]
