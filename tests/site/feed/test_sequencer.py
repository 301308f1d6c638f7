"""PostgreSQL: numbering trades that commit late, roll back, or are numbered by two leaders at once."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
import sqlalchemy.ext.asyncio

from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.feed.gaps import Gaps
from foreknow.site.feed.leader import Leadership
from foreknow.site.feed.sequencer import LeadershipLost, acquire_lead, number_trades, release_lead
from foreknow.site.feed.tables import feed_leader, feed_order
from tests.support.postgres import Postgres
from tests.support.rows import PoolIds, insert_pool, insert_trades, insert_user
from tests.support.schema import prepare

pytestmark = pytest.mark.postgres


@pytest.fixture
async def db(postgres: Postgres) -> AsyncIterator[Database]:
    """An empty PostgreSQL database."""
    with postgres.lent_database(prepare) as url:
        database = open_database(url)
        yield database
        await database.close()


@pytest.fixture
async def pools(db: Database) -> list[PoolIds]:
    """Three pools, which trades lock one by one."""
    return await db.write(lambda tx: [insert_pool(tx) for _ in range(3)])


@pytest.fixture
async def user_id(db: Database) -> int:
    """A trader."""
    return await db.write(insert_user)


class Trading:
    """A transaction that has made trades and waits for a call that ends it."""

    def __init__(self, db: Database, pool: PoolIds, user_id: int, *, count: int = 1) -> None:
        self.ids: list[int] = []
        self._drawn = asyncio.Event()
        self._end: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(db, pool, user_id, count))

    async def _run(self, db: Database, pool: PoolIds, user_id: int, count: int) -> None:
        # An engine of SQLAlchemy's own kind: `Database.write` would commit when its work returns.
        engine = sa.ext.asyncio.create_async_engine(
            sa.engine.make_url(db.url).set(drivername="postgresql+asyncpg"), poolclass=sa.pool.NullPool
        )
        async with engine.connect() as connection:
            self.ids = await connection.run_sync(
                lambda tx: insert_trades(WriteTx(ReadTx(tx)), pool, user_id, [100] * count)
            )
            self._drawn.set()
            if await self._end:
                await connection.commit()
        await engine.dispose()

    async def begun(self) -> Trading:
        """Return once its ids are drawn."""
        await self._drawn.wait()
        return self

    async def end(self, *, commit: bool = True) -> None:
        """Commit or roll back."""
        self._end.set_result(commit)
        await self._task


async def trade(db: Database, pool: PoolIds, user_id: int, count: int = 1) -> list[int]:
    """Commit trades at once and return their ids."""
    return await db.write(lambda tx: insert_trades(tx, pool, user_id, [100] * count))


async def lead(db: Database, holder: str = "one") -> Gaps:
    """Take the lead, which must be free."""
    gaps = await db.write(lambda tx: acquire_lead(tx, holder))
    assert gaps is not None
    return gaps


async def number(db: Database, gaps: Gaps, holder: str = "one") -> int:
    """Run one pass."""
    return await db.write(lambda tx: number_trades(tx, holder, gaps))


async def order(db: Database) -> list[int]:
    """Return the trades' ids in their order; their numbers grow by 1."""
    query = sa.select(feed_order.c.seq, feed_order.c.trade_id).order_by(feed_order.c.seq)
    rows = await db.read(lambda tx: tx.execute(query).all())
    assert [seq for seq, _ in rows] == list(range(rows[0][0], rows[0][0] + len(rows))) if rows else True
    return [trade_id for _, trade_id in rows]


async def test_a_trade_that_commits_late_is_numbered_late_and_none_is_skipped(
    db: Database, pools: list[PoolIds], user_id: int
) -> None:
    gaps = await lead(db)
    late = await Trading(db, pools[0], user_id, count=2).begun()
    early = await trade(db, pools[1], user_id)
    assert await number(db, gaps) == 1
    for _ in range(3):
        # However often one looks, a gap whose transaction is still under way stays open.
        assert await number(db, gaps) == 0
        assert gaps.complete_through == late.ids[0] - 1
    later = await trade(db, pools[1], user_id)
    assert await number(db, gaps) == 1
    await late.end()
    assert await number(db, gaps) == 2

    assert await order(db) == [*early, *later, *late.ids]
    assert (gaps.complete_through, gaps.ranges) == (later[0], [])


async def test_a_trade_that_is_rolled_back_leaves_no_gap(db: Database, pools: list[PoolIds], user_id: int) -> None:
    gaps = await lead(db)
    never = await Trading(db, pools[0], user_id, count=5).begun()
    other = await Trading(db, pools[2], user_id).begun()
    committed = await trade(db, pools[1], user_id)
    await number(db, gaps)
    await never.end(commit=False)
    await number(db, gaps)
    assert [(gap.first, gap.last) for gap in gaps.ranges] == [(never.ids[0], other.ids[0])]
    await other.end()
    await number(db, gaps)
    await number(db, gaps)

    assert await order(db) == [*committed, *other.ids]
    assert (gaps.complete_through, gaps.ranges) == (committed[0], [])


async def test_a_transaction_that_began_before_and_trades_later_keeps_no_gap_open_permanently(
    db: Database, pools: list[PoolIds], user_id: int
) -> None:
    """One that is under way for long only delays giving up gaps; trades go on being numbered."""
    gaps = await lead(db)
    long = await Trading(db, pools[2], user_id).begun()
    lost = await Trading(db, pools[0], user_id).begun()
    await lost.end(commit=False)
    for _ in range(5):
        await trade(db, pools[1], user_id)
        assert await number(db, gaps) == 1
    assert gaps.ranges != []
    await long.end()
    await number(db, gaps)
    await number(db, gaps)
    assert gaps.ranges == []


async def test_the_next_leader_goes_on_where_the_last_one_stopped(
    db: Database, pools: list[PoolIds], user_id: int
) -> None:
    first = await lead(db, "one")
    late = await Trading(db, pools[0], user_id, count=3).begun()
    early = await trade(db, pools[1], user_id, count=2)
    await number(db, first, "one")
    unseen = await trade(db, pools[1], user_id)
    await db.write(lambda tx: release_lead(tx, "one"))

    second = await lead(db, "two")
    assert [(gap.first, gap.last) for gap in second.ranges] == [(late.ids[0], late.ids[-1])]
    await late.end()
    await number(db, second, "two")
    assert await order(db) == [*early, *late.ids, *unseen]
    with pytest.raises(LeadershipLost):
        await number(db, first, "one")


async def test_a_lease_that_is_held_is_not_taken_and_one_that_ran_out_is(db: Database) -> None:
    await lead(db, "one")
    assert await db.write(lambda tx: acquire_lead(tx, "two")) is None
    await db.write(lambda tx: tx.execute(feed_leader.update().values(lease_until_ms=1)))
    await lead(db, "two")
    with pytest.raises(LeadershipLost):
        await number(db, Gaps(0), "one")


async def test_two_leaders_at_once_number_every_trade_once(db: Database, pools: list[PoolIds], user_id: int) -> None:
    """Both believe that they lead and work as fast as they can, while the lead goes back and forth."""
    done = False

    async def believe(holder: str) -> None:
        gaps: Gaps | None = None
        while not done:
            try:
                gaps = gaps or await db.write(lambda tx: acquire_lead(tx, holder))
                if gaps is not None:
                    await number(db, gaps, holder)
            except LeadershipLost:
                gaps = None
            await asyncio.sleep(0)

    async def usurp() -> None:
        while not done:
            await db.write(lambda tx: tx.execute(feed_leader.update().values(lease_until_ms=1)))
            await asyncio.sleep(0.005)

    tasks = [asyncio.create_task(work) for work in (believe("one"), believe("two"), usurp())]
    by_pool: list[list[int]] = [[] for _ in pools]
    for _ in range(25):
        batches = await asyncio.gather(*(trade(db, pool, user_id, count=2) for pool in pools))
        for ids, batch in zip(by_pool, batches, strict=True):
            ids.extend(batch)
    async with asyncio.timeout(60):
        while len(await order(db)) < sum(map(len, by_pool)):  # noqa: ASYNC110 - tables do not notify
            await asyncio.sleep(0.02)
    done = True
    await asyncio.gather(*tasks)

    numbered = await order(db)
    assert sorted(numbered) == sorted(itertools.chain(*by_pool))
    for ids in by_pool:
        assert [trade_id for trade_id in numbered if trade_id in ids] == ids


async def test_a_database_that_was_copied_shows_its_last_trades_and_numbers_what_follows(
    db: Database, pools: list[PoolIds], user_id: int
) -> None:
    """No process ever led there, though thousands of trades stand there."""
    ids = await trade(db, pools[0], user_id, count=3_000)
    gaps = await lead(db)
    while await number(db, gaps):
        pass
    new = await trade(db, pools[0], user_id)
    await number(db, gaps)

    assert await order(db) == [*ids[-50:], *new]
    assert await db.read(lambda tx: tx.execute(sa.select(sa.func.max(feed_order.c.seq))).scalar()) == new[0]


async def test_another_process_leads_soon_after_the_leader_died(
    db: Database, pools: list[PoolIds], user_id: int
) -> None:
    """A leader that is gone without a word is followed within seconds, and its trades are numbered."""
    await lead(db, "dead")
    ids = await trade(db, pools[0], user_id)
    heard = asyncio.Event()
    standby = Leadership(db, heard.set)
    standby.start()
    try:
        async with asyncio.timeout(60):
            await heard.wait()
    finally:
        await standby.stop()
    assert await order(db) == ids
