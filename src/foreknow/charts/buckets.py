"""The four pool charts: what a pool's prices were at the end of each bucket of time.

A bucket of `step_ms` ends at a multiple of it and holds the moments after the bucket before it, its own end included.
Stored is only how a bucket ended in which the prices changed, and only once a later bucket has begun to differ from
it: until then its end is the present. Buckets without a change are filled forward when a chart is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from foreknow.charts.packing import pack, unpack
from foreknow.charts.prices import CurrentPrices, PoolTrades
from foreknow.charts.tables import chart_buckets
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import HOUR_MS, MINUTE_MS

_table = chart_buckets.c


@dataclass(frozen=True, slots=True)
class Chart:
    """One of the pool charts: `count` buckets of `step_ms` up to now."""

    name: str
    step_ms: int
    count: int

    def bucket(self, at_ms: int) -> int:
        """Return the number of the bucket of a moment: its end divided by the step."""
        return -(-at_ms // self.step_ms)


CHARTS = (
    Chart("1h", MINUTE_MS, 60),
    Chart("1d", 15 * MINUTE_MS, 96),
    Chart("1w", HOUR_MS, 168),
    Chart("1m", 6 * HOUR_MS, 120),
)


@dataclass(frozen=True, slots=True)
class PoolPoint:
    """`values` holds one YES probability a market at `at_ms` (Unix milliseconds)."""

    at_ms: int
    values: tuple[float, ...]


def record(tx: WriteTx, batches: Iterable[PoolTrades]) -> None:
    """Store how the buckets ended that these trades left behind, and forget what fell out of the charts."""
    rows: list[dict[str, Any]] = []
    begun: list[dict[str, int]] = []
    for batch in batches:
        newest_ms = max(at_ms for at_ms, _ in batch.points)
        for chart in CHARTS:
            # As nearly always: the trades fell into the bucket that was under way.
            if chart.bucket(newest_ms) <= chart.bucket(batch.before.since_ms):
                continue
            ended = list(_ends(batch, chart))
            rows += [
                {"pool_id": batch.pool_id, "step_ms": chart.step_ms, "bucket": bucket, "probabilities": pack(values)}
                for bucket, values in ended
            ]
            if ended:
                last = chart.bucket(batch.points[-1][0])
                begun.append({"pool": batch.pool_id, "step": chart.step_ms, "edge": last - chart.count})
    if rows:
        tx.execute(_UPSERTS[tx.dialect.name], rows)
        tx.execute(_PRUNE, begun)


def _ends(batch: PoolTrades, chart: Chart) -> Iterator[tuple[int, Sequence[float]]]:
    """Yield (bucket, probabilities at its end) of each bucket that a trade of the batch was the first to come after."""
    bucket, probabilities = chart.bucket(batch.before.since_ms), batch.before.probabilities
    for at_ms, after in batch.points:
        now = chart.bucket(at_ms)
        # A clock that was set back changes no history: its trades count as of the newest bucket.
        if now > bucket:
            yield bucket, probabilities
            bucket = now
        probabilities = after


def _upsert(insert: Any) -> Any:
    # A row is there already only where the clock was set back.
    return insert.on_conflict_do_update(
        index_elements=["pool_id", "step_ms", "bucket"], set_={"probabilities": insert.excluded.probabilities}
    )


_UPSERTS = {
    "sqlite": _upsert(sqlite.insert(chart_buckets)),
    "postgresql": _upsert(postgresql.insert(chart_buckets)),
}

_older = chart_buckets.alias("older")
#: What ended before the chart begins goes, but for the newest of it, from which the chart's first points are filled.
_PRUNE = chart_buckets.delete().where(
    _table.pool_id == sa.bindparam("pool"),
    _table.step_ms == sa.bindparam("step"),
    _table.bucket
    < sa.select(sa.func.max(_older.c.bucket))
    .where(
        _older.c.pool_id == sa.bindparam("pool"),
        _older.c.step_ms == sa.bindparam("step"),
        _older.c.bucket <= sa.bindparam("edge"),
    )
    .scalar_subquery(),
)


def pool_charts(
    tx: ReadTx, pool_id: int, present: CurrentPrices, *, published_at_ms: int, now_ms: int
) -> dict[str, list[PoolPoint]]:
    """Return the four charts of a published pool by name, oldest point first, the last one `present` at `now_ms`."""
    stored: dict[int, list[tuple[int, tuple[float, ...]]]] = {chart.step_ms: [] for chart in CHARTS}
    query = sa.select(_table.step_ms, _table.bucket, _table.probabilities).where(_table.pool_id == pool_id)
    for step_ms, bucket, packed in tx.execute(query.order_by(_table.step_ms, _table.bucket)):
        stored[step_ms].append((bucket, unpack(packed)))
    return {
        chart.name: _filled(chart, stored[chart.step_ms], present, published_at_ms=published_at_ms, now_ms=now_ms)
        for chart in CHARTS
    }


def _filled(
    chart: Chart,
    stored: Sequence[tuple[int, tuple[float, ...]]],
    present: CurrentPrices,
    *,
    published_at_ms: int,
    now_ms: int,
) -> list[PoolPoint]:
    values = tuple(present.probabilities)
    changes = [*stored, (chart.bucket(present.since_ms), values)]
    last = chart.bucket(now_ms)
    first = max(last - chart.count + 1, chart.bucket(published_at_ms))
    points: list[PoolPoint] = []
    newest = 0
    for bucket in range(first, last):
        while newest + 1 < len(changes) and changes[newest + 1][0] <= bucket:
            newest += 1
        points.append(PoolPoint(bucket * chart.step_ms, changes[newest][1]))
    return [*points, PoolPoint(now_ms, values)]
