"""Series that keep at most 1,000 points."""

from __future__ import annotations

import itertools
import struct

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from foreknow.market import charts
from foreknow.market.charts import CurrentPrices, PnlChange, PoolTrades
from foreknow.market.charts.history import STORED_POINTS_MAX, stride
from foreknow.market.charts.tables import life_points, pnl_points
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.proofs import proves
from tests.support.rows import insert_pool, insert_user

BATCH = 256
POINTS_MAX = 1_000


@given(st.integers(min_value=0, max_value=10**9))
def test_a_stride_is_the_least_power_of_two_that_keeps_within_the_bound(newest: int) -> None:
    step = stride(newest)

    assert step & (step - 1) == 0
    assert newest // step + 1 <= STORED_POINTS_MAX
    assert step == 1 or newest // (step // 2) + 1 > STORED_POINTS_MAX


def _values(ordinal: int) -> tuple[float, float]:
    return 1 / (ordinal + 2), 1 - 1 / (ordinal + 2)


def _batch(pool_id: int, first: int, count: int) -> PoolTrades:
    """Trades number `first`, +1, … of a pool, one a millisecond; `_values(n)` are the prices after the n-th."""
    return PoolTrades(
        pool_id=pool_id,
        first_ordinal=first,
        before=CurrentPrices(probabilities=_values(first - 1), since_ms=first - 1),
        points=[(ordinal, _values(ordinal)) for ordinal in range(first, first + count)],
    )


@proves("decisions: from the prior at publication to the current price, at most 1,000 points, thinned evenly")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("trades", [0, 1, 2, 997, 998, 999, 1_000, 1_995, 1_996, 1_997, 5_000])
async def test_a_market_chart_is_thinned_evenly_from_the_prior_to_the_current_price(db: Database, trades: int) -> None:
    def live(tx: WriteTx) -> int:
        pool_id = insert_pool(tx).pool_id
        charts.open_pool(tx, pool_id=pool_id, probabilities=_values(0), at_ms=0)
        for first in range(1, trades + 1, BATCH):
            charts.record_trades(tx, [_batch(pool_id, first, min(BATCH, trades + 1 - first))])
        return pool_id

    pool_id = await db.write(live)
    present = CurrentPrices(probabilities=_values(trades), since_ms=trades)
    points = await db.read(lambda tx: charts.market_chart(tx, pool_id, 1, present, end_ms=trades + 7))

    assert len(points) <= POINTS_MAX
    assert (points[0].at_ms, points[0].probability) == (0, _values(0)[1])
    assert (points[-1].at_ms, points[-1].probability) == (trades + 7, _values(trades)[1])
    assert (points[-2].at_ms, points[-2].probability) == (trades, _values(trades)[1])
    step = stride(trades)
    assert [point.at_ms for point in points] == [*dict.fromkeys([*range(0, trades + 1, step), trades]), trades + 7]
    assert all(point.probability == _values(point.at_ms)[1] for point in points[:-1])
    assert trades < STORED_POINTS_MAX or len(points) >= POINTS_MAX // 2


async def test_a_trade_adds_at_most_one_row_to_its_pools_life(db: Database) -> None:
    def live(tx: WriteTx) -> list[int]:
        pool_id = insert_pool(tx).pool_id
        charts.open_pool(tx, pool_id=pool_id, probabilities=_values(0), at_ms=0)
        count = sa.select(sa.func.count()).select_from(life_points)
        sizes = []
        for ordinal in range(1, 2_100):
            charts.record_trades(tx, [_batch(pool_id, ordinal, 1)])
            sizes.append(int(tx.execute(count).scalar_one()))
        return sizes

    sizes = await db.write(live)

    assert max(later - earlier for earlier, later in itertools.pairwise(sizes)) == 1
    assert max(sizes) == STORED_POINTS_MAX


async def test_a_pool_with_one_market_and_a_clock_that_was_set_back(db: Database) -> None:
    def live(tx: WriteTx) -> list[tuple[int, float]]:
        pool_id = insert_pool(tx, names=["Only"]).pool_id
        charts.open_pool(tx, pool_id=pool_id, probabilities=[0.5], at_ms=100)
        before = CurrentPrices(probabilities=[0.5], since_ms=100)
        points: list[tuple[int, list[float]]] = [(90, [0.6])]
        charts.record_trades(tx, [PoolTrades(pool_id=pool_id, first_ordinal=1, before=before, points=points)])
        present = CurrentPrices(probabilities=[0.6], since_ms=100)
        chart = charts.market_chart(tx, pool_id, 0, present, end_ms=100)
        return [(point.at_ms, point.probability) for point in chart]

    assert await db.write(live) == [(100, 0.5), (100, 0.6)]


@proves(
    "decisions: cumulative realized profit in roubles after every sale and every settled position, at most 1,000 points"
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("sales", [1, 2, 998, 999, 1_000, 2_500])
async def test_a_pnl_chart_adds_up_every_sale_in_at_most_a_thousand_points(db: Database, sales: int) -> None:
    def earned(number: int) -> int:
        return 7 if number % 3 else -11

    def live(tx: WriteTx) -> int:
        user_id, other_id = insert_user(tx), insert_user(tx, "Bob")
        for first in range(0, sales, 100):
            changes = [
                PnlChange(user_id=user_id, pnl_kopecks=earned(number), at_ms=number)
                for number in range(first, min(first + 100, sales))
            ]
            charts.record_pnl(tx, [PnlChange(user_id=other_id, pnl_kopecks=5, at_ms=1), *changes])
        return user_id

    user_id = await db.write(live)
    points = await db.read(lambda tx: charts.pnl_chart(tx, user_id))

    numbers = list(dict.fromkeys([*range(0, sales, stride(sales - 1)), sales - 1]))
    assert [(point.at_ms, point.pnl_kopecks) for point in points] == [
        (number, sum(map(earned, range(number + 1)))) for number in numbers
    ]
    assert len(points) <= POINTS_MAX


async def test_a_user_who_never_sold_has_an_empty_pnl_chart(db: Database) -> None:
    def live(tx: WriteTx) -> int:
        charts.record_pnl(tx, [])
        return insert_user(tx)

    user_id = await db.write(live)

    assert await db.read(lambda tx: charts.pnl_chart(tx, user_id)) == []
    assert await db.read(lambda tx: tx.execute(sa.select(sa.func.count()).select_from(pnl_points)).scalar_one()) == 0


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("count", [16, 64])
async def test_many_pools_and_traders_in_one_batch_take_few_statements(db: Database, count: int) -> None:
    """A trade in each of 16 pools, or in each of 64: as many statements, but where SQLite takes 128 rows at a time."""
    statements: list[str] = []

    def live(tx: WriteTx) -> None:
        pool_ids = [insert_pool(tx).pool_id for _ in range(count)]
        user_ids = [insert_user(tx) for _ in range(count)]
        for pool_id in pool_ids:
            charts.open_pool(tx, pool_id=pool_id, probabilities=_values(0), at_ms=0)

        @sa.event.listens_for(tx, "before_cursor_execute")
        def note(_c: object, _u: object, statement: str, *_rest: object) -> None:
            statements.append(statement)

        hour_ms = 3_600_000
        before = CurrentPrices(probabilities=_values(0), since_ms=0)
        charts.record_trades(
            tx,
            [
                PoolTrades(pool_id=pool_id, first_ordinal=1, before=before, points=[(hour_ms, _values(1))])
                for pool_id in pool_ids
            ],
        )
        charts.record_pnl(tx, [PnlChange(user_id=user_id, pnl_kopecks=1, at_ms=1) for user_id in user_ids])

    await db.write(live)

    assert len(statements) <= 10, statements


def test_probabilities_are_packed_as_little_endian_doubles() -> None:
    from foreknow.market.charts.buckets import pack, unpack

    assert pack([0.25, 0.75]) == struct.pack("<dd", 0.25, 0.75)
    assert unpack(pack([0.1, 0.2, 0.7])) == (0.1, 0.2, 0.7)
