"""Another session locks a row: only orders that need it fail, and no order waits long."""

from __future__ import annotations

import asyncio
import sqlite3 as sqlite_driver
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg
import msgspec
import pytest
from asyncpg.transaction import Transaction

from foreknow.money.pricing import Side
from foreknow.platform.db.postgres import database as postgres
from foreknow.platform.db.sqlite import database as sqlite
from foreknow.trading.desk import desk
from foreknow.trading.desk.processor import Receipt
from tests.support.orders import at_the_desk, balance, bet, open_market
from tests.support.postgres import one_waits
from tests.support.service import Person, Service, expect, refused

POOLS = 4
ORDERS_EACH = 5
LOCK_S = 0.5
LOCK_POOL = "SELECT 1 FROM pools JOIN markets ON pool_id = pools.id WHERE markets.id = $1 FOR UPDATE OF pools"

on_postgres = pytest.mark.parametrize(
    "database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


@pytest.fixture
def short_lock_service(start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service with a short lock timeout."""
    for module in (postgres, sqlite):
        monkeypatch.setattr(module, "LOCK_S", LOCK_S)
    return start_service()


async def place_all(service: Service, traders: list[Person], markets: list[int]) -> dict[tuple[int, int], str]:
    """Let every trader bet on every market at one moment; return the outcomes by trader and market id."""
    placed = {
        (trader.id, market): await at_the_desk(service, trader, market, Side.YES, 100)
        for trader in traders
        for market in markets
    }
    outcomes = await asyncio.gather(*map(service.app.services.desk.place, placed.values()), return_exceptions=True)
    results = ["executed" if isinstance(one, Receipt) else getattr(one, "code", repr(one)) for one in outcomes]
    return dict(zip(placed, results, strict=True))


async def place_while_held(
    service: Service, traders: list[Person], markets: list[int], held: str
) -> dict[tuple[int, int], str]:
    """Place all orders twice while another session locks the rows of the query `held`."""
    holder = await asyncpg.connect(service.database_url)
    try:
        async with holder.transaction():
            assert await holder.fetch(held)
            first = await asyncio.to_thread(service.server.run, place_all(service, traders, markets))
            # The desk remembers the lock.
            again = await asyncio.to_thread(service.server.run, place_all(service, traders, markets))
    finally:
        await holder.close()
    assert first == again
    return first


@asynccontextmanager
async def pool_locked(
    service: Service, market: int
) -> AsyncIterator[tuple[asyncpg.Connection[asyncpg.Record], Transaction]]:
    """Let another session lock a market's pool, until its transaction ends."""
    holder = await asyncpg.connect(service.database_url)
    try:
        transaction = holder.transaction()
        await transaction.start()
        await holder.fetch(LOCK_POOL, market)
        yield holder, transaction
    finally:
        await holder.close()


def are_in_order(receipts: list[Receipt]) -> bool:
    """Whether orders were executed in the order in which they came."""
    ids = [msgspec.json.decode(receipt.body)["id"] for receipt in receipts]
    return ids == sorted(ids)


@on_postgres
def test_orders_of_other_pools_go_through_while_one_is_locked(short_lock_service: Service) -> None:
    service = short_lock_service
    markets = [open_market(service)[0] for _ in range(POOLS)]
    traders = [service.user(balance_kopecks=100_000) for _ in range(ORDERS_EACH)]

    outcomes = asyncio.run(place_while_held(service, traders, markets, LOCK_POOL.replace("$1", str(markets[1]))))

    assert outcomes == {
        (trader_id, market): "unavailable" if market == markets[1] else "executed" for trader_id, market in outcomes
    }
    expect(bet(traders[0], markets[1], "YES", 100), 201)


@on_postgres
def test_orders_of_others_go_through_while_an_account_is_locked(short_lock_service: Service) -> None:
    service = short_lock_service
    markets = [open_market(service)[0] for _ in range(2)]
    traders = [service.user(balance_kopecks=100_000) for _ in range(ORDERS_EACH)]
    join = "SELECT 1 FROM accounts JOIN users ON users.account_id = accounts.id"
    held = f"{join} WHERE users.id = {traders[2].id} FOR UPDATE OF accounts"

    outcomes = asyncio.run(place_while_held(service, traders, markets, held))

    assert outcomes == {
        (trader_id, market): "unavailable" if trader_id == traders[2].id else "executed"
        for trader_id, market in outcomes
    }


@on_postgres
def test_orders_left_after_the_retry_limit_are_refused(
    short_lock_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "RETRY_LIMIT_S", 0.0)
    service = short_lock_service
    markets = [open_market(service)[0] for _ in range(2)]
    traders = [service.user(balance_kopecks=1_000) for _ in range(2)]
    join = "SELECT 1 FROM accounts JOIN users ON users.account_id = accounts.id"
    held = f"{join} WHERE users.id = {traders[0].id} FOR UPDATE OF accounts"

    outcomes = asyncio.run(place_while_held(service, traders, markets, held))

    assert set(outcomes.values()) == {"unavailable"}


@on_postgres
def test_orders_of_a_locked_pool_wait_for_it_and_no_other_order_waits_for_them(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    # They wait for as long as the test takes on a slow machine.
    monkeypatch.setattr(postgres, "LOCK_S", 60.0)
    service = start_service()
    locked, free = (open_market(service)[0] for _ in range(2))
    trader, other = (service.user(balance_kopecks=100_000) for _ in range(2))
    place = service.app.services.desk.place

    async def bets_on(market: int, count: int, person: Person) -> list[asyncio.Task[Receipt]]:
        """Place bets of one person, the next once the desk has the one before."""
        return [
            asyncio.create_task(place(await at_the_desk(service, person, market, Side.YES, 100))) for _ in range(count)
        ]

    async def trade(holder: asyncpg.Connection[asyncpg.Record], transaction: Transaction) -> list[Receipt]:
        held = await bets_on(locked, 3, trader)
        together = await bets_on(free, 3, other)
        await asyncio.gather(*together)
        # Now only held orders are left: their batch waits in the database.
        await one_waits(holder)
        later = await bets_on(locked, 2, other)
        await asyncio.gather(*await bets_on(free, 3, trader))
        assert not any(task.done() for task in (*held, *later))
        await transaction.rollback()
        assert len(await asyncio.gather(*await bets_on(free, 3, other))) == 3
        return list(await asyncio.gather(*held, *later))

    async def lock_and_trade() -> list[Receipt]:
        async with pool_locked(service, locked) as (holder, transaction):
            return await trade(holder, transaction)

    receipts = service.server.run(lock_and_trade())

    assert are_in_order(receipts)
    assert (balance(trader), balance(other)) == (100_000 - 600, 100_000 - 800)


@on_postgres
def test_a_pool_that_another_process_has_for_a_moment_is_traded_in_by_a_later_batch(
    fresh_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long the moment takes on a slow machine. To hold an order would refuse it.
    monkeypatch.setattr(desk, "SKIPS_MAX", 1_000_000)
    monkeypatch.setattr(desk, "HELD_MAX", 0)
    service = fresh_service
    locked, free = (open_market(service)[0] for _ in range(2))
    trader = service.user(balance_kopecks=100_000)
    placing = service.app.services.desk

    async def lock_and_trade() -> list[Receipt]:
        async with pool_locked(service, locked) as (_, transaction):
            orders = [await at_the_desk(service, trader, locked, Side.YES, stake) for stake in (100, 200, 300)]
            tasks = [asyncio.create_task(placing.place(order)) for order in orders]
            await placing.place(await at_the_desk(service, trader, free, Side.YES, 100))
            batches = placing.metrics.batches
            while placing.metrics.batches < batches + 2:  # noqa: ASYNC110 - the desk has no event for it
                await asyncio.sleep(0)
            assert not any(task.done() for task in tasks)
            await transaction.rollback()
            return list(await asyncio.gather(*tasks))

    receipts = service.server.run(lock_and_trade())

    assert are_in_order(receipts)
    assert balance(trader) == 100_000 - 700


def test_a_change_gives_up_a_lock_after_the_timeout(short_lock_service: Service, database_kind: str) -> None:
    service = short_lock_service
    trader, market = service.user(balance_kopecks=1_000), open_market(service)[0]

    async def credit_while_held() -> None:
        if database_kind == "postgres":
            holder = await asyncpg.connect(service.database_url)
            async with holder.transaction():
                await holder.execute("LOCK TABLE accounts IN EXCLUSIVE MODE")
                await asyncio.to_thread(try_all)
            await holder.close()
            return
        with sqlite_driver.connect(service.database_url.removeprefix("sqlite:///"), isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            await asyncio.to_thread(try_all)
            other.execute("ROLLBACK")

    def try_all() -> None:
        credit = {"amount_kopecks": 100, "note": "never"}
        answers = [service.admin.post(f"/admin/users/{trader.id}/credit", json=credit), bet(trader, market, "YES", 100)]
        for answer in answers:
            refused(answer, 503, "unavailable")
            assert int(answer.headers["Retry-After"]) >= 1

    expect(service.admin.get("/users/me"), 200)
    asyncio.run(credit_while_held())
    assert expect(bet(trader, market, "YES", 100), 201)["balance_kopecks"] == 900
