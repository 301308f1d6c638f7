"""The four pool charts: a pool's prices at the end of each time bucket.

A bucket of `step_ms` ends at, and includes, a multiple of it. Stored are the ends of buckets with changed prices, once
a later bucket has a trade; until then the current prices are its end. Reads fill buckets without a change forward.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS
from foreknow.market.charts.prices import CurrentPrices, PoolPoint, PoolTrades, as_then
from foreknow.market.charts.tables import chart_buckets
from foreknow.platform.db.changes import Delete, Insert, Sink, apply
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx

_table = chart_buckets.c
DOUBLE_BYTES = 8


def pack(probabilities: Sequence[float]) -> bytes:
    """Encode probabilities in outcome order, one little-endian double per market."""
    return struct.pack(f"<{len(probabilities)}d", *probabilities)


def unpack(packed: bytes) -> tuple[float, ...]:
    """Decode all doubles."""
    return struct.unpack(f"<{len(packed) // DOUBLE_BYTES}d", packed)


@dataclass(frozen=True, slots=True)
class Chart:
    """One pool chart: `count` buckets of `step_ms` up to now."""

    name: str
    step_ms: int
    count: int

    def bucket(self, at_ms: int) -> int:
        """Return the bucket number of a time: the bucket's end divided by the step."""
        return -(-at_ms // self.step_ms)


#: The finest first, whose buckets those of all others are made of.
CHARTS = (
    Chart("1h", MINUTE_MS, 60),
    Chart("1d", 15 * MINUTE_MS, 96),
    Chart("1w", HOUR_MS, 168),
    Chart("1m", 6 * HOUR_MS, 120),
)


def record(into: Sink, batches: Iterable[PoolTrades]) -> None:
    """Store the ends of the buckets before these trades, and delete those that no chart shows any more."""
    rows: list[tuple[int, int, int, bytes]] = []
    pruned: list[tuple[int, int, int, int | None]] = []
    for batch in batches:
        newest_ms = max([at_ms for at_ms, _ in batch.points])
        # Nearly always: the trades belong to the current bucket of the finest chart, and so of all.
        if CHARTS[0].bucket(newest_ms) <= CHARTS[0].bucket(batch.before.since_ms):
            continue
        for chart in CHARTS:
            if chart.bucket(newest_ms) <= chart.bucket(batch.before.since_ms):
                continue
            ended = list(_ends(batch, chart))
            rows += [(batch.pool_id, chart.step_ms, bucket, pack(values)) for bucket, values in ended]
            if ended:
                oldest = chart.bucket(batch.points[-1][0]) - chart.count
                # Where one that ends now ends before the chart begins, all stored ones are older.
                kept = max((bucket for bucket, _ in ended if bucket <= oldest), default=None)
                pruned.append((batch.pool_id, chart.step_ms, oldest, kept))
    if rows:
        apply(into, _STORE, rows)
        apply(into, _PRUNE, pruned)


def _ends(batch: PoolTrades, chart: Chart) -> Iterator[tuple[int, Sequence[float]]]:
    """Yield (bucket, probabilities at its end) of each bucket that ended before a trade of the batch."""
    bucket, probabilities = chart.bucket(batch.before.since_ms), batch.before.probabilities
    for at_ms, after in batch.points:
        now = chart.bucket(at_ms)
        # A clock that was set back changes no history: its trades belong to the newest bucket.
        if now > bucket:
            yield bucket, probabilities
            bucket = now
        probabilities = after


_STORE = Insert(
    chart_buckets,
    ("pool_id", "step_ms", "bucket", "probabilities"),
    # A row exists only if the clock was set back.
    conflict="ON CONFLICT (pool_id, step_ms, bucket) DO UPDATE SET probabilities = excluded.probabilities",
)
#: Deletes what ended before the chart begins, except the newest, which fills the chart's first points.
_PRUNE = Delete(
    chart_buckets,
    {"pool": Int64, "step": Int64, "oldest": Int64, "kept": Int64},
    """
    old.pool_id = given.pool AND old.step_ms = given.step AND old.bucket < coalesce(given.kept, (
        SELECT max(older.bucket) FROM chart_buckets AS older
        WHERE older.pool_id = given.pool AND older.step_ms = given.step AND older.bucket <= given.oldest
    ))
    """,
)


def pool_charts(
    tx: ReadTx, pool_id: int, current: CurrentPrices, *, published_at_ms: int, now_ms: int, name: str | None = None
) -> dict[str, list[PoolPoint]]:
    """Return charts of a published pool by name, oldest point first, `current` at `now_ms` last.

    All four, or the one with this `name`.
    """
    charts = [chart for chart in CHARTS if name in {None, chart.name}]
    stored: dict[int, list[tuple[int, tuple[float, ...]]]] = {chart.step_ms: [] for chart in charts}
    query = sa.select(_table.step_ms, _table.bucket, _table.probabilities).where(
        _table.pool_id == pool_id, _table.step_ms.in_(stored)
    )
    for step_ms, bucket, packed in tx.execute(query.order_by(_table.step_ms, _table.bucket)):
        stored[step_ms].append((bucket, unpack(packed)))
    return {
        chart.name: fill_forward(chart, stored[chart.step_ms], current, published_at_ms=published_at_ms, now_ms=now_ms)
        for chart in charts
    }


def fill_forward(
    chart: Chart,
    stored: Sequence[tuple[int, tuple[float, ...]]],
    current: CurrentPrices,
    *,
    published_at_ms: int,
    now_ms: int,
) -> list[PoolPoint]:
    """Return the points of a chart; `stored` are its buckets with changed prices, from the newest before it on."""
    values = tuple(current.probabilities)
    changes = [*stored, (chart.bucket(current.since_ms), values)]
    last = chart.bucket(now_ms)
    first = max(last - chart.count + 1, chart.bucket(published_at_ms))
    points: list[PoolPoint] = []
    newest = 0
    for bucket in range(first, last):
        while newest + 1 < len(changes) and changes[newest + 1][0] <= bucket:
            newest += 1
        at_ms = bucket * chart.step_ms
        points.append(PoolPoint(at_ms, as_then(changes[newest][1], current.splits, at_ms=at_ms)))
    return [*points, PoolPoint(now_ms, values)]
