"""What others tell the charts: a pool was published, trades were made."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.charts import buckets
from foreknow.charts.history import begin_life, record_lives
from foreknow.charts.prices import CurrentPrices, PoolTrades
from foreknow.db.transactions import WriteTx

__all__ = ["CurrentPrices", "PoolTrades", "open_pool", "record_trades"]


def open_pool(tx: WriteTx, *, pool_id: int, probabilities: Sequence[float], at_ms: int) -> None:
    """Begin a pool's charts with its prior, one YES probability a market, when it is published."""
    begin_life(tx, pool_id=pool_id, probabilities=probabilities, at_ms=at_ms)


def record_trades(tx: WriteTx, batches: Sequence[PoolTrades]) -> None:
    """Record one batch's trades, of each pool at most once, while the pools are locked.

    A few statements, however many trades and pools; most trades write one row at most.
    """
    record_lives(tx, batches)
    buckets.record(tx, batches)
