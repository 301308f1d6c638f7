"""What followers are notified of when the last pool of an event is paid, and who is not: who gave its last result."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.market.pools.schemas import Pool
from foreknow.people.follows.tables import follower_news
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.settlement import service
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.trading.settlement import world

pytestmark = ONCE


@pytest.fixture
def clock() -> ShiftableClock:
    """It stands still between two results, which a test lets be a second apart."""
    return ShiftableClock.standing()


def resolve(tx: WriteTx, pool: Pool, caller: UserCaller, **body: Any) -> None:
    world.pay(tx, service.resolve(tx, pool.id, ResolveBody(**body), caller))


async def news(db: Database) -> list[tuple[str, Any, list[int]]]:
    """Return the result and the payouts of each event that was resolved, and who is not notified."""
    query = sa.select(follower_news.c.params, follower_news.c.without).where(follower_news.c.kind == "event_resolved")
    rows = await db.read(lambda tx: tx.execute(query).all())
    assert all(params["followed"] for params, _ in rows)
    return [(params["result"], params["payouts"], without) for params, without in rows]


async def test_the_result_of_one_pool_comes_with_what_it_pays(db: Database) -> None:
    def work(tx: WriteTx) -> int:
        creator = world.person(tx, creator=True)
        (pool,) = world.event(tx, creator, {"name": "Who?", "metadata": {"market_names": ["a", "b", "c"]}}).pools
        resolve(tx, pool, creator, won_side=1)
        return creator.user_id

    creator_id = await db.write(work)
    assert await news(db) == [("b", [0.0, 1.0, 0.0], [creator_id])]


@pytest.mark.parametrize("last", ["admin", "creator"])
async def test_of_several_pools_who_resolved_the_last_is_not_notified(
    db: Database, clock: ShiftableClock, last: str
) -> None:
    def begin(tx: WriteTx) -> tuple[UserCaller, UserCaller, list[Pool]]:
        creator, admin = world.person(tx, creator=True), world.person(tx, admin=True)
        names = [{"name": name, "metadata": {"market_names": ["a", "b", "c"]}} for name in ("Who?", "Who else?")]
        return creator, admin, world.event(tx, creator, *names).pools

    creator, admin, pools = await db.write(begin)
    first, second = (creator, admin) if last == "admin" else (admin, creator)
    await db.write(lambda tx: resolve(tx, pools[1], first, won_side=0))
    assert await news(db) == []
    clock.advance(1_000)
    await db.write(lambda tx: resolve(tx, pools[0], second, won_side=2))
    assert await news(db) == [("c, a", None, sorted({creator.user_id, second.user_id}))]
