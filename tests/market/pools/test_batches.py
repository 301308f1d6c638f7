"""Batches of pools: each pool is read and cached once, whatever it is asked with."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import Any

import msgspec

from foreknow.kernel.clock import system_clock
from foreknow.kernel.pagination import Cursors
from foreknow.market.pools.routes import BatchQuery, PoolRoutes
from foreknow.platform.db.engine import Database
from foreknow.platform.db.public_reads import PublicRead, PublicReads, ReadResult
from foreknow.platform.db.transactions import Result
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import QueryRequest
from foreknow.web.response_cache import ResponseCache
from tests.support.kinds import ONCE
from tests.support.rows import insert_pool


class CountedReads(PublicReads):
    """Counts the transactions."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self.count = 0

    async def lookup(self, read: PublicRead[Result]) -> ReadResult[Result]:
        self.count += 1
        return await super().lookup(read)


class Batches:
    def __init__(self, db: Database) -> None:
        self.reads = CountedReads(db)
        self.cache = ResponseCache(db, self.reads, system_clock)
        self.routes = PoolRoutes(RouteContext(db, self.reads, system_clock, Cursors(b"secret"), self.cache))

    async def read(self, pool_ids: Sequence[int]) -> list[int]:
        answer = await self.routes.get_pools(_request(pool_ids))
        return [pool["id"] for pool in msgspec.json.decode(answer.body)]


async def insert_pools(db: Database, count: int) -> list[int]:
    return [(await db.write(insert_pool)).pool_id for _ in range(count)]


async def test_a_batch_is_in_the_order_asked_without_duplicates_and_unknown_ids(db: Database) -> None:
    ids = await insert_pools(db, 4)
    batches = Batches(db)
    unknown = max(ids) + 1
    for order in itertools.permutations([*ids, unknown]):
        assert await batches.read([*order, order[0]]) == [pool_id for pool_id in order if pool_id != unknown]
    assert await batches.read([unknown]) == []


@ONCE
async def test_the_array_of_a_batch_is_made_once_until_one_of_its_pools_changes(db: Database) -> None:
    ids = await insert_pools(db, 3)
    batches = Batches(db)
    first, other = [await batches.routes.get_pools(_request(chosen)) for chosen in (ids, ids[:2])]
    assert await batches.routes.get_pools(_request(ids)) is first
    batches.cache.invalidate_pools([ids[2]])
    assert await batches.routes.get_pools(_request(ids)) is not first
    assert await batches.routes.get_pools(_request(ids[:2])) is other


@ONCE
async def test_every_subset_is_made_of_the_same_cached_pools(db: Database) -> None:
    ids = await insert_pools(db, 5)
    batches = Batches(db)
    await batches.read(ids)
    assert (batches.cache.size, batches.reads.count) == (5, 1)
    for size in range(1, 6):
        for subset in itertools.permutations(ids, size):
            assert await batches.read(subset) == list(subset)
    assert (batches.cache.size, batches.reads.count) == (5, 1)


async def test_only_a_changed_pool_is_read_again(db: Database) -> None:
    ids = await insert_pools(db, 3)
    batches = Batches(db)
    await batches.read(ids)
    batches.cache.invalidate_pools(ids[:1])
    assert batches.cache.size == 2
    assert await batches.read(ids[1:]) == ids[1:]
    assert batches.reads.count == 1
    assert await batches.read(ids) == ids
    assert (batches.cache.size, batches.reads.count) == (3, 2)


async def test_overlapping_batches_at_the_same_time_read_each_pool_once(db: Database) -> None:
    ids = await insert_pools(db, 4)
    batches = Batches(db)
    subsets = [ids[:3], ids[1:], ids[:2], ids]
    assert await asyncio.gather(*map(batches.read, subsets)) == subsets
    # One for the first three, one for the fourth pool.
    assert batches.reads.count == 2


async def test_a_pool_that_changes_during_a_read_is_read_again(db: Database) -> None:
    ids = await insert_pools(db, 2)
    batches = Batches(db)
    reading = asyncio.create_task(batches.read(ids))
    await asyncio.sleep(0)
    batches.cache.invalidate_pools(ids[:1])
    await reading
    assert batches.cache.size == 1
    assert await batches.read(ids) == ids
    assert (batches.cache.size, batches.reads.count) == (2, 2)


async def test_after_any_other_change_every_pool_is_read_again(db: Database) -> None:
    ids = await insert_pools(db, 2)
    batches = Batches(db)
    reading = asyncio.create_task(batches.read(ids))
    await asyncio.sleep(0)
    batches.cache.invalidate_all()
    await reading
    assert batches.cache.size == 0


def _request(ids: Sequence[int]) -> QueryRequest[BatchQuery]:
    def nothing(_limit_bytes: int) -> Any:
        raise AssertionError

    return QueryRequest[BatchQuery](
        None, BatchQuery(ids=list(ids)), None, None, None, {}, {}, "", nothing, is_head=False
    )
