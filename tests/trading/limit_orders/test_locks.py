"""What the worker of resting orders waits for, on PostgreSQL."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
import sqlalchemy as sa

from foreknow.market.pools.failing import note_failing
from foreknow.people.attention.tables import attention
from foreknow.platform.db.engine import Database
from foreknow.trading.effects.order_worker import REASON, OrderWorker
from tests.support.postgres import one_waits
from tests.support.service import Service

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.parametrize("database_kind", ["postgres"], indirect=True),
]


async def test_what_called_a_person_to_a_pool_ends_under_the_pools_lock(
    fresh_service: Service, other: Database
) -> None:
    """Another process, which has the lock, may be about to call one again."""
    event = await asyncio.to_thread(fresh_service.event)
    pool_id = event["pools"][0]["id"]
    await other.write(lambda tx: note_failing(tx, pool_id, reason=REASON))

    async def is_open() -> bool:
        query = sa.select(attention.c.closed_at_ms)
        return (await other.read(lambda tx: tx.execute(query).scalar_one())) is None

    holder = await asyncpg.connect(fresh_service.database_url)
    try:
        async with holder.transaction():
            await holder.fetch("SELECT 1 FROM pools WHERE id = $1 FOR UPDATE", pool_id)
            looking = asyncio.create_task(OrderWorker(other).run_due())
            await one_waits(holder)
            assert await is_open()
    finally:
        await holder.close()
    await looking
    assert not await is_open()
