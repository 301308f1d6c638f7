"""Batches of pools are read and cached once for every order of their ids."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import msgspec

from foreknow.db.engine import Database
from foreknow.db.public_reads import PublicReads
from foreknow.kernel.clock import system_clock
from foreknow.kernel.pagination import Cursors
from foreknow.pools.routes import BatchQuery, PoolRoutes
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import QueryRequest
from foreknow.web.response_cache import ResponseCache
from tests.support.rows import insert_pool


async def test_a_batch_is_cached_once_for_every_order_of_its_ids(db: Database) -> None:
    ids = [(await db.write(insert_pool)).pool_id for _ in range(4)]
    stale = PublicReads(db)
    shared = ResponseCache(db, stale, system_clock)
    routes = PoolRoutes(RouteContext(db, stale, system_clock, Cursors(b"secret"), shared))

    async def read(pool_ids: Sequence[int]) -> list[int]:
        answer = await routes.batch(_request(pool_ids))
        return [pool["id"] for pool in msgspec.json.decode(answer.body)]

    unknown = max(ids) + 1
    for order in itertools.permutations([*ids, unknown]):
        assert await read([*order, order[0]]) == [pool_id for pool_id in order if pool_id != unknown]
    assert shared.size == 1
    assert await read([unknown]) == []
    shared.invalidate_pools(ids[:1])
    assert shared.size == 1


def _request(ids: Sequence[int]) -> QueryRequest[BatchQuery]:
    def nothing(_limit_bytes: int) -> Any:
        raise AssertionError

    return QueryRequest[BatchQuery](None, BatchQuery(ids=list(ids)), None, None, None, {}, {}, "", nothing)
