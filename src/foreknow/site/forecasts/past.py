"""The crowd as it was: its points, and its charts."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from foreknow.market.charts import PoolPoint, as_then
from foreknow.market.charts.buckets import CHARTS, pack, unpack
from foreknow.market.pools.store import PoolRow
from foreknow.platform.db.bulk import CompiledQuery, as_rows, values_table
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.forecasts.tables import forecast_crowd_points

#: Most points of a chart of the whole time.
POINTS_MAX = 1_000
_P = forecast_crowd_points.c


def crowd_at(tx: ReadTx, pool_id: int, moments_ms: Sequence[int]) -> list[tuple[float, ...] | None]:
    """Return what a pool's crowd thought at some moments, one probability a market of then; None for no crowd."""
    rows = (
        _AT.fetch(tx, {"pool_id": pool_id, "moments": as_rows([(at_ms,) for at_ms in moments_ms])})
        if moments_ms
        else ()
    )
    found: dict[int, bytes | None] = {at_ms: packed for at_ms, packed in rows}  # noqa: C416 - rows
    return [None if (packed := found[at_ms]) is None else unpack(packed) for at_ms in moments_ms]


def chart_of(tx: ReadTx, pool: PoolRow, name: str, *, now_ms: int) -> list[PoolPoint]:
    """Return the points of one of a published pool's four charts of time, as its prices have them; no gaps filled."""
    assert pool.published_at_ms is not None
    chart = next(chart for chart in CHARTS if chart.name == name)
    last = chart.bucket(now_ms)
    first = max(last - chart.count + 1, chart.bucket(pool.published_at_ms))
    return _points(tx, pool, [*(bucket * chart.step_ms for bucket in range(first, last)), now_ms])


def whole_chart_of(tx: ReadTx, pool: PoolRow, *, end_ms: int) -> list[PoolPoint]:
    """Return each change of the crowd up to `end_ms`, and what it was then; where they are more, evenly spaced ones."""
    first = sa.select(_P.at_ms).where(_P.pool_id == pool.id, _P.at_ms < end_ms).order_by(_P.at_ms).limit(POINTS_MAX)
    moments = list(tx.execute(first).scalars())
    if not moments:
        return []
    if len(moments) == POINTS_MAX:
        length_ms = end_ms - moments[0]
        steps = min(POINTS_MAX - 1, length_ms)
        moments = [moments[0] + length_ms * step // steps for step in range(steps)]
    return _points(tx, pool, [*moments, end_ms])


def _points(tx: ReadTx, pool: PoolRow, moments_ms: Sequence[int]) -> list[PoolPoint]:
    splits = [split.charted for split in pool.splits]
    found = zip(moments_ms, crowd_at(tx, pool.id, moments_ms), strict=True)
    return [PoolPoint(at_ms, as_then(values, splits, at_ms=at_ms)) for at_ms, values in found if values is not None]


def add_point(tx: WriteTx, pool_id: int, crowd: Sequence[float] | None, *, at_ms: int) -> None:
    """Write what a crowd thinks from now on; None: there is none any more."""
    last_ms = tx.execute(sa.select(sa.func.max(_P.at_ms)).where(_P.pool_id == pool_id)).scalar()
    values = {
        "pool_id": pool_id,
        # The clock may have been set back.
        "at_ms": at_ms if last_ms is None else max(at_ms, last_ms + 1),
        "probabilities": None if crowd is None else pack(crowd),
    }
    tx.execute(forecast_crowd_points.insert().values(values))


def _newest(dialect: str) -> sa.Select[tuple[int, bytes | None]]:
    wanted = values_table(dialect, "moments", {"at_ms": Int64})
    at_ms = wanted.c.at_ms
    newest = (
        sa.select(_P.probabilities)
        .where(_P.pool_id == sa.bindparam("pool_id", type_=Int64), _P.at_ms <= at_ms)
        .order_by(_P.at_ms.desc())
        .limit(1)
        .correlate(wanted)
    )
    return sa.select(at_ms, newest.scalar_subquery())


_AT = CompiledQuery(_newest)
