"""Writing charts: a pool was published, trades were executed."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.market.charts import buckets, history
from foreknow.market.charts.prices import CurrentPrices, PoolTrades
from foreknow.platform.db.changes import Sink
from foreknow.platform.db.transactions import WriteTx

__all__ = ["CurrentPrices", "PoolTrades", "move_prior", "open_pool", "record_trades"]


def open_pool(tx: WriteTx, *, pool_id: int, probabilities: Sequence[float], at_ms: int) -> None:
    """Start the charts of a newly published pool with its prior, one YES probability per market."""
    history.begin_history(tx, pool_id=pool_id, probabilities=probabilities, at_ms=at_ms)


def move_prior(tx: WriteTx, *, pool_id: int, probabilities: Sequence[float]) -> None:
    """Let the charts of a locked pool without trades begin with another prior."""
    history.move_prior(tx, pool_id=pool_id, probabilities=probabilities)


def record_trades(into: Sink, batches: Sequence[PoolTrades]) -> None:
    """Record one batch's trades, each pool at most once, while the pools are locked.

    A few statements, whatever the number of trades and pools; most trades write at most one row.
    """
    history.record_trades(into, batches)
    buckets.record(into, batches)
