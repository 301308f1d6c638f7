"""Observations are kept for 30 days or more, and longer where a rule still needs them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from foreknow.market.assets import observations
from foreknow.market.assets.observations import NewObservation, ObservationPruner
from foreknow.market.assets.tables import asset_prices
from foreknow.market.pools import deadlines
from foreknow.market.pools.tables import pools
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.clock import ShiftableClock
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.proofs import proves
from tests.support.rows import insert_pool
from tests.support.waiting import work

DAY = 24 * 3_600_000


async def keep(db: Database, clock: ShiftableClock, ages_days: Sequence[float]) -> None:
    new = [NewObservation("BTC", days, clock() - round(days * DAY), "one", counts=True) for days in ages_days]
    await db.write(lambda tx: observations.record(tx, new))


async def kept(db: Database) -> list[float]:
    query = sa.select(asset_prices.c.price_usd).order_by(asset_prices.c.price_usd)
    return list(await db.read(lambda tx: tx.execute(query).scalars().all()))


def insert_price_rule(tx: WriteTx, *, finish_at_ms: int) -> int:
    """Insert a published pool with a price rule that has yet to give its result, and return its id."""
    pool_id = insert_pool(tx).pool_id
    tx.execute(pools.update().where(pools.c.id == pool_id).values(resolution_kind="price", finish_at_ms=finish_at_ms))
    deadlines.schedule(tx, pool_id, at_ms=finish_at_ms)
    return pool_id


def pruner(db: Database) -> ObservationPruner:
    return ObservationPruner(db, needed_from=deadlines.earliest_awaited_price, poll_s=0.02)


@proves("lifecycle: is kept for 30 days or more")
async def test_what_is_older_than_30_days_and_a_bit_is_deleted(db: Database, clock: ShiftableClock) -> None:
    await keep(db, clock, [0, 1, 29.9, 30, 30.5, 31.1, 40, 400])
    assert await pruner(db).prune() == 3
    assert await pruner(db).prune() == 0
    assert await kept(db) == [0, 1, 29.9, 30, 30.5]


async def test_it_deletes_piece_by_piece_the_oldest_first(
    db: Database, clock: ShiftableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observations, "PIECE_MAX", 2)
    await keep(db, clock, [36, 32, 34, 33, 35, 5])
    assert await pruner(db).prune() == 2
    assert await kept(db) == [5, 32, 33, 34]
    assert await asyncio.gather(*(pruner(db).prune() for _ in range(3)))
    while await pruner(db).prune():
        pass
    assert await kept(db) == [5]


async def test_it_works_by_itself(db: Database, clock: ShiftableClock) -> None:
    await keep(db, clock, [40, 5])
    one = pruner(db)
    one.start()
    await work()
    await one.stop()
    assert await kept(db) == [5]


async def test_what_a_rule_without_a_result_may_need_is_kept(db: Database, clock: ShiftableClock) -> None:
    finish_at_ms = clock() - 50 * DAY
    pool_id = await db.write(lambda tx: insert_price_rule(tx, finish_at_ms=finish_at_ms))
    await db.write(lambda tx: insert_price_rule(tx, finish_at_ms=finish_at_ms + 80 * DAY))
    await keep(db, clock, [40, 49.9, 50.1, 60])
    assert await pruner(db).prune() == 2
    assert await kept(db) == [40, 49.9]

    await db.write(lambda tx: tx.execute(pools.update().where(pools.c.id == pool_id).values(decided_at_ms=clock())))
    assert await pruner(db).prune() == 2
    assert await kept(db) == []


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    "changed",
    [
        {"state": "resolved"},
        {"decided_at_ms": 1},
        {"attention_reason": "no_price"},
        {"resolution_kind": "manual"},
    ],
)
async def test_a_rule_that_gives_no_result_any_more_needs_nothing(
    db: Database, clock: ShiftableClock, changed: dict[str, object]
) -> None:
    pool_id = await db.write(lambda tx: insert_price_rule(tx, finish_at_ms=1_000))
    assert await db.read(deadlines.earliest_awaited_price) == 1_000
    await db.write(lambda tx: tx.execute(pools.update().where(pools.c.id == pool_id).values(**changed)))
    assert await db.read(deadlines.earliest_awaited_price) is None
