"""Positions of Other that an order turns first: where they cannot be, that order is refused, and no other waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import InternalError
from foreknow.kernel.settings import Settings
from foreknow.money.pricing import Side
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked, WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk import desk as desk_module
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.kinds import Buy
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.positions.tables import positions
from foreknow.web.responses import Empty
from tests.trading.lists.crowds import ListCrowd, read_list, split_crowd, turned_count

on_postgres = pytest.mark.parametrize(
    "database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


def order(caller: UserCaller, market_id: int) -> Buy:
    return Buy(
        caller=caller,
        market_id=market_id,
        side=Side.YES,
        stake_kopecks=100,
        idempotency_key=None,
        receipt=lambda _: Empty(),
    )


async def break_position(db: Database, made: ListCrowd, holder: UserCaller) -> None:
    """Give a holder of Other what turning would give them: the database then refuses to turn it."""
    new = (await db.read(lambda tx: read_list(tx, made))).markets[3].id
    held = sa.and_(positions.c.user_id == holder.user_id, positions.c.market_id == made.market_ids[2])

    def work(tx: WriteTx) -> None:
        row = dict(tx.execute(sa.select(positions).where(held)).mappings().one())
        del row["id"]
        tx.execute(positions.insert().values({**row, "market_id": new}))

    await db.write(work)


@asynccontextmanager
async def locked(db: Database, query: str) -> AsyncIterator[None]:
    """Let another session lock the rows of a query."""
    holder = await asyncpg.connect(db.url)
    try:
        async with holder.transaction():
            assert await holder.fetch(query)
            yield
    finally:
        await holder.close()


async def place(desk: TradeDesk, *orders: Buy) -> list[asyncio.Task[Receipt]]:
    """Place orders at one moment."""
    placed = [asyncio.create_task(desk.place(one)) for one in orders]
    await asyncio.sleep(0)
    return placed


def outcome(placed: asyncio.Task[Receipt]) -> type[BaseException | Receipt]:
    """Return what an order got; it has it by now."""
    assert placed.done()
    failure = placed.exception()
    return Receipt if failure is None else type(failure)


async def test_an_order_whose_position_cannot_be_turned_is_refused_and_the_desk_goes_on(db: Database) -> None:
    made = await split_crowd(db)
    broken, whole = made.people[2], made.people[1]
    await break_position(db, made, broken)
    desk = TradeDesk(db, LiveSettings(Settings()))
    desk.start()

    placed = await place(desk, *(order(caller, made.market_ids[0]) for caller in (broken, whole, broken)))
    # Those that wait are answered before it stops.
    await desk.stop()

    assert [outcome(one) for one in placed] == [InternalError, Receipt, InternalError]
    assert await db.read(turned_count) == 1


@on_postgres
async def test_a_held_market_is_free_after_a_position_in_it_could_not_be_turned(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "SKIPS_MAX", 0)
    made = await split_crowd(db)
    broken, whole, market_id = made.people[2], made.people[1], made.market_ids[0]
    await break_position(db, made, broken)
    desk = TradeDesk(db, LiveSettings(Settings()))
    desk.start()

    async with locked(db, f"SELECT 1 FROM pools WHERE id = {made.pool_id} FOR UPDATE"):
        placed = await place(desk, order(broken, market_id))
        while market_id not in desk._held:  # noqa: ASYNC110 - the desk has no event for it
            await asyncio.sleep(0.01)
        placed += await place(desk, order(whole, market_id))
        while len(desk._held) < 1:  # noqa: ASYNC110 - the desk has no event for it
            await asyncio.sleep(0.01)
    await desk.stop()

    assert [outcome(one) for one in placed] == [InternalError, Receipt]
    assert market_id not in desk._held


@on_postgres
async def test_an_order_whose_trader_is_locked_is_refused_and_no_other_waits_for_the_lock(db: Database) -> None:
    made = await split_crowd(db)
    held, free = made.people[2], made.people[1]
    desk = TradeDesk(db, LiveSettings(Settings()))
    desk.start()

    async with locked(db, f"SELECT 1 FROM users WHERE id = {held.user_id} FOR UPDATE"):
        placed = await place(desk, *(order(caller, made.market_ids[0]) for caller in (held, free)))
        await asyncio.wait(placed)
        assert [outcome(one) for one in placed] == [Locked, Receipt]
        # It stops although the lock is still held.
        placed = await place(desk, order(held, made.market_ids[0]))
        await desk.stop()
        assert outcome(placed[0]) is Locked
    assert await db.read(turned_count) == 1
