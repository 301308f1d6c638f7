"""Prices of the last days, for cards: those of 24 h ago, and one every 6 h of the last week."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS
from foreknow.market.charts.buckets import CHARTS, Chart, fill_forward, unpack
from foreknow.market.charts.prices import CurrentPrices, filled
from foreknow.market.charts.tables import chart_buckets, life_points
from foreknow.platform.db.bulk import in_array
from foreknow.platform.db.transactions import ReadTx

_DAY = next(chart for chart in CHARTS if chart.name == "1d")
DAY_AGO_STEP_MS = _DAY.step_ms
#: The last seven days.
_SPARK = Chart("spark", 6 * HOUR_MS, 28)


def day_ago(tx: ReadTx, pools: Mapping[int, CurrentPrices], *, now_ms: int) -> dict[int, tuple[float, ...]]:
    """Return the YES probabilities of published pools 24 h ago, one per market; of a younger pool its prior.

    They are those at the end of the quarter of an hour before the first of the 1d chart. `pools` has the present ones.
    Of an outcome that was taken out of a list's Other since, they are its part of Other's.
    """
    bucket = _DAY.bucket(now_ms) - _DAY.count
    found = tx.execute(_BEFORE, {"ids": pools.keys(), "bucket": bucket})
    before = {pool_id: stored or prior for pool_id, stored, prior in found}
    return {
        pool_id: tuple(prices.probabilities)
        if _DAY.bucket(prices.since_ms) <= bucket or before.get(pool_id) is None
        else filled(unpack(before[pool_id]), prices.splits)
        for pool_id, prices in pools.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkPool:
    """A published pool's present prices, its publication, and the outcome whose week is shown."""

    prices: CurrentPrices
    published_at_ms: int
    outcome_index: int


def sparks(tx: ReadTx, pools: Mapping[int, SparkPool], *, now_ms: int) -> dict[int, list[float]]:
    """Return at most 28 probabilities of an outcome of each pool, 6 h apart, the present one last."""
    first = _SPARK.bucket(now_ms) - _SPARK.count + 1
    stored: dict[int, list[tuple[int, tuple[float, ...]]]] = {pool_id: [] for pool_id in pools}
    for pool_id, bucket, packed in tx.execute(_SPARKS, {"ids": pools.keys(), "first": first}):
        stored[pool_id].append((bucket, unpack(packed)))
    return {
        pool_id: [
            point.values[pool.outcome_index]
            for point in fill_forward(
                _SPARK, stored[pool_id], pool.prices, published_at_ms=_begin_ms(pool), now_ms=now_ms
            )
        ]
        for pool_id, pool in pools.items()
    }


def _begin_ms(pool: SparkPool) -> int:
    """Return when an outcome began to be traded."""
    began = (split.at_ms for split in pool.prices.splits if split.outcome_index == pool.outcome_index)
    return next(began, pool.published_at_ms)


_B = chart_buckets.c
_PRIOR = life_points.alias("priors")
_IS_PRIOR = _PRIOR.c.ordinal == 0
#: The newest bucket up to a given one, and the prior.
_BEFORE = sa.select(
    _PRIOR.c.pool_id,
    sa.select(_B.probabilities)
    .where(_B.pool_id == _PRIOR.c.pool_id, _B.step_ms == _DAY.step_ms, _B.bucket <= sa.bindparam("bucket"))
    .order_by(_B.bucket.desc())
    .limit(1)
    .correlate(_PRIOR)
    .scalar_subquery(),
    _PRIOR.c.probabilities,
).where(in_array(_PRIOR.c.pool_id), _IS_PRIOR)

_EARLIER = chart_buckets.alias("earlier")
#: The buckets from a given one on, and the newest before it, from which the first points are filled forward.
_SPARKS = (
    sa.select(_B.pool_id, _B.bucket, _B.probabilities)
    .where(
        in_array(_B.pool_id),
        _B.step_ms == _SPARK.step_ms,
        _B.bucket
        >= sa.func.coalesce(
            sa.select(sa.func.max(_EARLIER.c.bucket))
            .where(
                _EARLIER.c.pool_id == _B.pool_id,
                _EARLIER.c.step_ms == _SPARK.step_ms,
                _EARLIER.c.bucket <= sa.bindparam("first"),
            )
            .correlate(chart_buckets)
            .scalar_subquery(),
            0,
        ),
    )
    .order_by(_B.pool_id, _B.bucket)
)
