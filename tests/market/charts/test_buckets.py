"""The four pool charts, compared with what a scan of all trades would say."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from foreknow.market import charts
from foreknow.market.charts import CurrentPrices, PoolPoint, PoolTrades
from foreknow.market.charts.buckets import CHARTS, Chart
from foreknow.market.charts.tables import chart_buckets
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.rows import insert_pool

START_MS = 1_700_000_012_345
History = list[tuple[int, tuple[float, float]]]


def scanned(chart: Chart, history: History, now_ms: int) -> list[PoolPoint]:
    """Say from all of a pool's prices what a chart shows: the plain reading of the contract."""
    newest = (now_ms - 1) // chart.step_ms
    ends = [number * chart.step_ms for number in range(newest - chart.count + 2, newest + 1)]
    ends = [end for end in ends if end >= history[0][0]]
    return [PoolPoint(end, [values for at_ms, values in history if at_ms <= end][-1]) for end in ends] + [
        PoolPoint(now_ms, history[-1][1])
    ]


def record(tx: WriteTx, pool_id: int, history: History, batch_sizes: Sequence[int], *, done: int = 0) -> None:
    """Publish with the history's first prices and trade the rest in batches of these sizes; `done` are done before."""
    if not done:
        charts.open_pool(tx, pool_id=pool_id, probabilities=history[0][1], at_ms=history[0][0])
        done = 1
    for size in batch_sizes:
        if done >= len(history):
            break
        since_ms, probabilities = history[done - 1]
        before = CurrentPrices(probabilities=probabilities, since_ms=since_ms)
        points = history[done : done + size]
        charts.record_trades(tx, [PoolTrades(pool_id=pool_id, first_ordinal=done, before=before, points=points)])
        done += size


@proves(
    "decisions: each point the probabilities at the end of its bucket, filled forward, none before publication, its "
    "timestamp the bucket's end (60, 96, 168, 120 buckets), the last one the current price at now"
)
@LONG
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("seed", range(length(short=4, long=12)))
async def test_pool_charts_agree_with_a_scan_of_all_trades(db: Database, seed: int) -> None:
    dice = random.Random(seed)
    mean_ms = dice.choice([MINUTE_MS // 9, MINUTE_MS, HOUR_MS, DAY_MS])
    history: History = [(START_MS, (0.5, 0.5))]
    for _ in range(150):
        price = dice.random()
        # Now and then a trade falls on a bucket's very end.
        at_ms = history[-1][0] + round(dice.expovariate(1 / mean_ms))
        at_ms += -at_ms % MINUTE_MS if dice.random() < 0.1 else 0
        history.append((at_ms, (price, 1 - price)))
    sizes = [dice.choice([1, 1, 2, 30]) for _ in range(150)]
    now_ms = history[-1][0] + dice.choice([0, 1, 90 * MINUTE_MS, 40 * DAY_MS])
    if dice.random() < 0.3:
        now_ms += -now_ms % HOUR_MS

    def live(tx: WriteTx) -> dict[str, list[PoolPoint]]:
        pool_id = insert_pool(tx).pool_id
        record(tx, pool_id, history, sizes)
        present = CurrentPrices(probabilities=history[-1][1], since_ms=history[-1][0])
        return charts.pool_charts(tx, pool_id, present, published_at_ms=START_MS, now_ms=now_ms)

    shown = await db.write(live)

    assert list(shown) == ["1h", "1d", "1w", "1m"]
    for chart in CHARTS:
        assert shown[chart.name] == scanned(chart, history, now_ms), chart.name
        assert len(shown[chart.name]) <= chart.count


async def test_an_old_pool_has_as_many_points_as_buckets(db: Database) -> None:
    now_ms = START_MS + 40 * DAY_MS

    def live(tx: WriteTx) -> dict[str, list[PoolPoint]]:
        pool_id = insert_pool(tx).pool_id
        record(tx, pool_id, [(START_MS, (0.3, 0.7))], [])
        present = CurrentPrices(probabilities=(0.3, 0.7), since_ms=START_MS)
        return charts.pool_charts(tx, pool_id, present, published_at_ms=START_MS, now_ms=now_ms)

    shown = await db.write(live)

    assert {name: len(points) for name, points in shown.items()} == {"1h": 60, "1d": 96, "1w": 168, "1m": 120}
    assert all(point.values == (0.3, 0.7) for points in shown.values() for point in points)
    assert all(points[-1].at_ms == now_ms for points in shown.values())


async def test_buckets_that_fell_out_of_the_charts_are_forgotten(db: Database) -> None:
    """A pool traded every minute for three days keeps no more rows than its charts can show, and one more each."""
    history: History = [(START_MS + number * MINUTE_MS, (0.5, 0.5)) for number in range(3 * 24 * 60)]
    pool_id = await db.write(lambda tx: insert_pool(tx).pool_id)

    async def trade(done: int, count: int) -> None:
        await db.write(lambda tx: record(tx, pool_id, history, [1] * count, done=done))

    # In some transactions: where PostgreSQL looks at a table while all its rows are one's that goes on, it takes the
    # table for empty, and plans by that.
    await trade(0, 99)
    for done in range(100, len(history), 100):
        await trade(done, 100)
    rows = sa.select(chart_buckets.c.step_ms, sa.func.count()).group_by(chart_buckets.c.step_ms)
    counts: dict[int, int] = await db.read(lambda tx: dict(tx.execute(rows).all()))

    # The newest bucket of each chart has not ended, so it is not stored yet.
    assert counts == {MINUTE_MS: 60, 15 * MINUTE_MS: 96, HOUR_MS: 72, 6 * HOUR_MS: 12}


async def test_trades_of_one_bucket_write_none(db: Database) -> None:
    start_ms = START_MS - START_MS % (6 * HOUR_MS) + 1
    history: History = [(start_ms + number, (0.5, 0.5)) for number in range(500)]

    def live(tx: WriteTx) -> int:
        pool_id = insert_pool(tx).pool_id
        record(tx, pool_id, history, [100] * 5)
        return int(tx.execute(sa.select(sa.func.count()).select_from(chart_buckets)).scalar_one())

    assert await db.write(live) == 0


async def test_a_clock_that_was_set_back_changes_no_history(db: Database) -> None:
    """The trade at the earlier time counts as of the newest bucket, and the charts stay in order."""
    history: History = [(START_MS, (0.5, 0.5)), (START_MS + 2 * MINUTE_MS, (0.6, 0.4))]
    later_ms = START_MS + 5 * MINUTE_MS

    def live(tx: WriteTx) -> list[PoolPoint]:
        pool_id = insert_pool(tx).pool_id
        record(tx, pool_id, history, [1])
        before = CurrentPrices(probabilities=(0.6, 0.4), since_ms=history[-1][0])
        points = [(START_MS, (0.7, 0.3)), (later_ms, (0.8, 0.2))]
        charts.record_trades(tx, [PoolTrades(pool_id=pool_id, first_ordinal=2, before=before, points=points)])
        present = CurrentPrices(probabilities=(0.8, 0.2), since_ms=later_ms)
        return charts.pool_charts(tx, pool_id, present, published_at_ms=START_MS, now_ms=later_ms)["1h"]

    shown = await db.write(live)

    assert [point.values[0] for point in shown] == [0.5, 0.5, 0.7, 0.7, 0.7, 0.8]
