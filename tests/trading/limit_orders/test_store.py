"""Rows of limit orders: the best of each queue, and the positions beside them."""

from __future__ import annotations

from typing import Literal

import pytest

from foreknow.money.holds.tables import limit_orders
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.engine import Database
from foreknow.platform.db.ids import draw_ids
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.limit_orders import store
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.store import OpenPosition
from tests.support.plans import kept_plan
from tests.support.rows import PoolIds, insert_pool, insert_user


def bid(
    pool: PoolIds,
    user_id: int,
    order_id: int,
    *,
    outcome: int = 0,
    side: Literal["YES", "NO"] = "YES",
    percent: int = 40,
) -> LimitOrderRow:
    """A purchase of a lot."""
    return LimitOrderRow(
        id=order_id,
        pool_id=pool.pool_id,
        market_id=pool.market_ids[outcome],
        user_id=user_id,
        action="buy",
        side=side,
        price_bps=100 * percent,
        shares=100,
        created_at_ms=0,
        updated_at_ms=0,
    )


def held(pool: PoolIds, user_id: int) -> OpenPosition:
    position = OpenPosition(
        user_id=user_id,
        market_id=pool.market_ids[0],
        pool_id=pool.pool_id,
        event_id=pool.event_id,
        side="YES",
        opened_at_ms=1,
    )
    position.buy(shares=5, stake_kopecks=5)
    return position


async def test_the_best_orders_of_queues_come_with_their_owners_positions(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        pool, ada, bob = insert_pool(tx), insert_user(tx), insert_user(tx, "Bob")
        position = held(pool, ada)
        positions.write(tx, [position])
        ids = draw_ids(tx, limit_orders, 8)
        ups = [bid(pool, ada if number % 2 else bob, ids[number], percent=30 + number) for number in range(4)]
        downs = [bid(pool, bob, ids[4 + number], side="NO", percent=40 + number) for number in range(3)]
        elsewhere = bid(pool, ada, ids[7], outcome=1)
        store.write_orders(tx, new=[*ups, *downs, elsewhere], changed=[])
        market, other = pool.market_ids

        def best(*queues: tuple[int, bool], each: int = 2) -> list[int]:
            found = store.best_orders_of_queues(queues, each=each).fetch(tx)
            return sorted(ids.index(one.order.id) for one in found)

        assert best((market, True)) == [2, 3]
        assert best((market, False)) == [5, 6]
        assert best((market, True), (market, False), each=1) == [3, 6]
        assert best((other, True), (other, False), (market, False), each=9) == [4, 5, 6, 7]
        assert best() == []
        found = store.best_orders_fetch([pool.pool_id], each=2).fetch(tx)
        # The position is of YES in the first market.
        beside = {ids.index(one.order.id): one.position for one in found}
        assert beside == {3: position, 2: None, 5: None, 6: None, 7: None}

    await db.write(work)


@pytest.mark.parametrize("database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
@pytest.mark.parametrize(
    "query",
    [store._BEST, store._BEST_OF_QUEUES, store._BY_IDS, store._OF_POOL, store._OF_MARKET],
    ids=["pools", "queues", "ids", "pool", "market"],
)
async def test_positions_are_found_by_their_key_however_the_table_has_grown(
    new_db: Database, query: CompiledQuery
) -> None:
    """By another index all positions of the market would be read for each order."""

    def work(tx: WriteTx) -> str:
        pool, ada = insert_pool(tx), insert_user(tx)
        positions.write(tx, [held(pool, ada)])
        store.write_orders(tx, new=[bid(pool, ada, 1)], changed=[])
        return kept_plan(tx, query)

    plan = await new_db.write(work)
    assert "uq_positions_open" in plan
    assert "ix_positions" not in plan
    # As a plain join it would be another index's once there are many orders and no statistics.
    assert "(side >= " in plan
