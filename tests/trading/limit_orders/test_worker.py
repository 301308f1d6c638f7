"""The worker of resting orders: pieces, two processes at once, and pools that fail (orders.md, "Holds", "Ends")."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import sqlite3 as sqlite_driver
import time
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import iso
from foreknow.money.holds.tables import order_dues, order_leavers
from foreknow.people.attention.tables import attention
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.sqlite import database as sqlite
from foreknow.trading.effects.order_worker import ATTENTION_ATTEMPTS, OrderWorker
from foreknow.trading.effects.pieces import end_of_traders
from tests.support.books import audit_database
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.limit_orders import get_order, money, notices, orders_of, rest
from tests.support.orders import bet, open_market
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool
from tests.trading.limit_orders.conftest import work

MINUTE_MS = 60_000
#: A pool that has failed is not tried again in this test.
SLOW = BackOff(first_ms=10 * MINUTE_MS, most_ms=10 * MINUTE_MS)


@proves("orders: of a large pool piece by piece as in Payment,")
async def test_a_large_pool_ends_piece_by_piece_and_notifies_each_trader_once(
    fresh_service: Service, other: Database
) -> None:
    makers = await asyncio.to_thread(_let_many_rest, fresh_service)
    fresh_service.clock.advance(5 * MINUTE_MS)
    pools_of_pieces: list[Any] = []
    ender = OrderWorker(other, piece=7, on_piece=[pools_of_pieces.append])

    await work(ender)

    assert ender.metrics.ended == 3 * 20
    # Each trader's orders end together, so that one notice counts them.
    assert len(pools_of_pieces) == sum(ender.metrics.pieces_s.counts) == 3
    assert [await asyncio.to_thread(_ended_of, maker) for maker in makers] == [(20, (100_000, 0), [20])] * 3
    audit_database(fresh_service.database_url)


async def test_what_a_trader_alone_waits_for_ends_no_orders_of_the_one_before(
    fresh_service: Service, other: Database
) -> None:
    first, second = (await asyncio.to_thread(_let_many_rest, fresh_service))[:2]
    assert second.id == first.id + 1
    pool_id = (await asyncio.to_thread(orders_of, second))[0]["pool_id"]
    fresh_service.clock.advance(5 * MINUTE_MS)

    ended = await other.write(lambda tx: end_of_traders(tx, pool_id, [second.id]))

    assert ended.ended == 20
    noticed = [await asyncio.to_thread(notices, maker, "orders_ended") for maker in (first, second)]
    assert [len(one) for one in noticed] == [0, 1]


def _let_many_rest(service: Service) -> list[Person]:
    finish_at = iso(service.clock() + 5 * MINUTE_MS)
    (made,) = service.event(pools=[pool(finish_at=finish_at)])["pools"]
    makers = [service.user(balance_kopecks=100_000) for _ in range(3)]
    for maker in makers:
        for price in range(10, 30):
            rest(maker, made["markets"][0]["id"], "YES", "buy", shares=1_000, price=price)
    return makers


def _ended_of(maker: Person) -> tuple[int, tuple[int, int], list[int]]:
    ended = [one for one in orders_of(maker, limit=100) if one["reason"] == "closed"]
    return len(ended), money(maker), [one["params"]["order_count"] for one in notices(maker, "orders_ended")]


async def test_two_workers_at_once_pay_each_fill_once(fresh_service: Service, other: Database) -> None:
    """They cross each other's makers over two pools, in either order."""
    makers, brought = await asyncio.to_thread(_cross, fresh_service)
    third = open_database(fresh_service.database_url, clock=fresh_service.clock)
    try:
        workers = [OrderWorker(other, piece=3), OrderWorker(third, piece=3)]
        await asyncio.gather(*map(work, workers))
        await work(workers[0])
    finally:
        await third.close()

    assert sum(one.metrics.paid for one in workers) == len(brought)
    for maker in makers:
        balance, held = await asyncio.to_thread(money, maker)
        assert held == 0
        assert balance == sum(kopecks for owner, kopecks in brought if owner == maker.id)
    assert await other.read(lambda tx: tx.execute(sa.select(order_dues.c.id)).all()) == []
    audit_database(fresh_service.database_url)


def _cross(service: Service) -> tuple[list[Person], list[tuple[int, int]]]:
    """Let two makers sell in several pools, and takers fill them in turn; return each fill's owner and money."""
    makers = [service.user(balance_kopecks=10_000 * 6) for _ in range(2)]
    taker = service.user(balance_kopecks=10_000_000)
    markets = [open_market(service, probabilities=[0.5], b=50_000)[0] for _ in range(6)]
    brought: list[tuple[int, int]] = []
    for number, market in enumerate(markets):
        for maker in makers if number % 2 else reversed(makers):
            shares = expect(bet(maker, market, "YES", 10_000), 201)["shares"] // 100 * 100
            rest(maker, market, "YES", "sell", shares=shares, price=90)
    for market in markets:
        expect(bet(taker, market, "YES", 400_000), 201)
    for maker in makers:
        for order in orders_of(maker, limit=100):
            assert order["status"] == "filled"
            brought.append((maker.id, order["amount_kopecks"]))
    return makers, brought


async def test_a_pool_that_fails_calls_for_a_person_and_spares_the_others(
    fresh_service: Service, other: Database
) -> None:
    broken, good = await asyncio.to_thread(_fill_two, fresh_service)
    amounts = [order["amount_kopecks"] for _, order in (broken, good)]
    take = sa.text("UPDATE accounts SET balance_kopecks = balance_kopecks + :change WHERE id = :id")
    account_id = await other.read(lambda tx: _orders_account(tx, broken[1]["id"]))
    await other.write(lambda tx: tx.execute(take, {"change": -amounts[0], "id": account_id}))
    payer = OrderWorker(other, back_off=BackOff(first_ms=1, most_ms=1))

    for _ in range(ATTENTION_ATTEMPTS):
        await payer.run_due()
        await asyncio.sleep(0.01)

    assert (await asyncio.to_thread(money, good[0]))[1] == 0
    assert (await asyncio.to_thread(money, broken[0]))[1] == amounts[0]
    (entry,) = await other.read(lambda tx: tx.execute(sa.select(attention)).mappings().all())
    assert (entry["kind"], entry["reason"]) == ("payment", "order_payment_failed")
    assert entry["closed_at_ms"] is None
    await other.write(lambda tx: tx.execute(take, {"change": amounts[0], "id": account_id}))
    await _until(payer, lambda: money(broken[0])[1] == 0)
    await payer.run_due()
    (entry,) = await other.read(lambda tx: tx.execute(sa.select(attention)).mappings().all())
    assert entry["closed_at_ms"] is not None
    audit_database(fresh_service.database_url)


async def _until(by: OrderWorker, condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 60
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < deadline_s
        await by.run_due()


def _fill_two(service: Service) -> list[tuple[Person, dict[str, Any]]]:
    """Let a sale rest in each of two pools and be filled; return their owners and what they became."""
    taker = service.user(balance_kopecks=1_000_000)
    filled: list[tuple[Person, dict[str, Any]]] = []
    for _ in range(2):
        (market,) = open_market(service, probabilities=[0.5], b=50_000)
        maker = service.user(balance_kopecks=10_000)
        shares = expect(bet(maker, market, "YES", 10_000), 201)["shares"] // 100 * 100
        order = rest(maker, market, "YES", "sell", shares=shares, price=80)
        expect(bet(taker, market, "YES", 200_000), 201)
        filled.append((maker, get_order(maker, order["id"])))
    return filled


def _orders_account(tx: Any, order_id: int) -> int:
    query = sa.text(
        "SELECT a.id FROM accounts a JOIN limit_orders o ON o.pool_id = a.owner_id"
        " WHERE a.kind = 'orders' AND o.id = :id"
    )
    return int(tx.execute(query, {"id": order_id}).scalar_one())


async def test_users_who_leave_do_not_keep_a_worker_busy_while_a_pool_fails(
    fresh_service: Service, other: Database
) -> None:
    """One has orders in the pool that fails, and elsewhere; the other has none."""
    leaver, kept_kopecks, account_id = await asyncio.to_thread(_leave_a_broken_pool, fresh_service)
    failing, began_ms = OrderWorker(other, back_off=SLOW), fresh_service.clock()

    for _ in range(5):
        if not await failing.run_due():
            break
    else:
        pytest.fail("it goes on and on")

    leavers = sa.select(order_leavers.c.user_id, order_leavers.c.due_at_ms)
    ((user_id, due_at_ms),) = await other.read(lambda tx: tx.execute(leavers).all())
    assert user_id == leaver.id
    assert began_ms + 1_000 <= due_at_ms <= fresh_service.clock() + 1_000
    statuses = sa.text("SELECT status FROM limit_orders ORDER BY id")
    assert await other.read(lambda tx: tx.execute(statuses).scalars().all()) == ["open", "cancelled"]

    await other.write(lambda tx: tx.execute(_CHANGE, {"change": kept_kopecks, "id": account_id}))
    fresh_service.clock.advance(1_000)
    await work(OrderWorker(other))

    assert await other.read(lambda tx: tx.execute(statuses).scalars().all()) == ["cancelled"] * 2
    assert await other.read(lambda tx: tx.execute(leavers).all()) == []
    audit_database(fresh_service.database_url)


async def test_one_who_leaves_without_orders_is_looked_at_once_even_while_a_pool_fails(
    fresh_service: Service, other: Database
) -> None:
    leaver, kept_kopecks, account_id = await asyncio.to_thread(_leave_a_broken_pool, fresh_service)
    failing = OrderWorker(other, back_off=SLOW)
    await work(failing)
    late = await asyncio.to_thread(fresh_service.user)
    change = {"is_active": False}
    expect(await asyncio.to_thread(lambda: fresh_service.admin.patch(f"/admin/users/{late.id}", json=change)), 200)

    await work(failing)

    left = await other.read(lambda tx: tx.execute(sa.select(order_leavers.c.user_id)).scalars().all())
    assert left == [leaver.id]
    await other.write(lambda tx: tx.execute(_CHANGE, {"change": kept_kopecks, "id": account_id}))


async def test_orders_that_expire_in_more_pools_than_a_piece_takes_end_in_one_go(
    fresh_service: Service, other: Database
) -> None:
    maker = await asyncio.to_thread(lambda: fresh_service.user(balance_kopecks=10_000))
    orders = [await asyncio.to_thread(_let_expire, fresh_service, maker) for _ in range(3)]
    fresh_service.clock.advance(5 * MINUTE_MS)

    await work(OrderWorker(other, piece=2))

    assert [await _stored_status(other, order) for order in orders] == ["expired"] * 3


async def test_failures_of_a_pool_are_counted_from_its_last_success_on(fresh_service: Service, other: Database) -> None:
    maker = await asyncio.to_thread(lambda: fresh_service.user(balance_kopecks=10_000))
    (market,) = await asyncio.to_thread(lambda: open_market(fresh_service, probabilities=[0.5], b=50_000))
    payer = OrderWorker(other, back_off=BackOff(first_ms=1, most_ms=1))
    for _ in range(2):
        order = await asyncio.to_thread(_let_expire, fresh_service, maker, market)
        fresh_service.clock.advance(5 * MINUTE_MS)
        await _change_what_is_held(other, order, -order["held_kopecks"])
        for _ in range(ATTENTION_ATTEMPTS - 1):
            await payer.run_due()
            await asyncio.sleep(0.01)
        assert await other.read(lambda tx: tx.execute(sa.select(attention)).all()) == []
        await _change_what_is_held(other, order, order["held_kopecks"])
        await asyncio.sleep(0.01)
        await work(payer)
        assert await _stored_status(other, order) == "expired"


@ONCE
async def test_a_pool_that_cannot_be_locked_waits_as_one_that_fails(
    fresh_service: Service, other: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "LOCK_S", 0.1)
    maker = await asyncio.to_thread(lambda: fresh_service.user(balance_kopecks=10_000))
    order = await asyncio.to_thread(_let_expire, fresh_service, maker)
    fresh_service.clock.advance(5 * MINUTE_MS)
    waiting = OrderWorker(other, back_off=SLOW)
    path = fresh_service.database_url.removeprefix("sqlite:///")
    with contextlib.closing(sqlite_driver.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        await waiting.run_due()
        holder.execute("ROLLBACK")

    await work(waiting)
    assert await _stored_status(other, order) == "open"
    await work(OrderWorker(other))
    assert await _stored_status(other, order) == "expired"


async def _change_what_is_held(database: Database, order: dict[str, Any], kopecks: int) -> None:
    """Change the account that an order's pool pays from."""
    account_id = await database.read(lambda tx: _orders_account(tx, order["id"]))
    await database.write(lambda tx: tx.execute(_CHANGE, {"change": kopecks, "id": account_id}))


async def _stored_status(database: Database, order: dict[str, Any]) -> str:
    """Return the status in the order's row; answers show one that has expired before the worker ends it."""
    query = sa.text("SELECT status FROM limit_orders WHERE id = :id")
    return str(await database.read(lambda tx: tx.execute(query, {"id": order["id"]}).scalar_one()))


def _let_expire(service: Service, maker: Person, market: int | None = None) -> dict[str, Any]:
    """Let an order rest that expires in five minutes."""
    if market is None:
        (market,) = open_market(service, probabilities=[0.5], b=50_000)
    expires_at = iso(service.clock() + 5 * MINUTE_MS)
    return rest(maker, market, "YES", "buy", shares=1_000, price=30, expires_at=expires_at)


@proves("orders: A deactivated or deleted user's orders end within 2 s (`deactivated`)")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("is_looked_at_again", [False, True])
async def test_orders_of_an_account_that_is_active_again_stay_while_an_older_one_cannot_end(
    fresh_service: Service, other: Database, *, is_looked_at_again: bool
) -> None:
    leaver, kept_kopecks, account_id = await asyncio.to_thread(_leave_a_broken_pool, fresh_service)
    failing = OrderWorker(other, back_off=SLOW)
    await work(failing)
    if is_looked_at_again:
        # The next look is due when the account becomes active again, and comes after that.
        fresh_service.clock.advance(1_000)

    again = await asyncio.to_thread(_return, fresh_service, leaver)
    if is_looked_at_again:
        await work(failing)
    (market,) = await asyncio.to_thread(lambda: open_market(fresh_service, probabilities=[0.5], b=50_000))
    order = await asyncio.to_thread(lambda: rest(again, market, "YES", "buy", shares=1_000, price=30))
    for _ in range(3):
        fresh_service.clock.advance(1_000)
        await work(failing)

    assert (await asyncio.to_thread(get_order, again, order["id"]))["status"] == "open"
    await other.write(lambda tx: tx.execute(_CHANGE, {"change": kept_kopecks, "id": account_id}))
    audit_database(fresh_service.database_url)


@ONCE
async def test_orders_end_whose_owner_is_deactivated_for_a_moment(fresh_service: Service, other: Database) -> None:
    owner = await asyncio.to_thread(lambda: fresh_service.user(balance_kopecks=10_000))
    (market,) = await asyncio.to_thread(lambda: open_market(fresh_service, probabilities=[0.5], b=50_000))
    order = await asyncio.to_thread(lambda: rest(owner, market, "YES", "buy", shares=1_000, price=30))
    change = {"is_active": False}
    expect(await asyncio.to_thread(lambda: fresh_service.admin.patch(f"/admin/users/{owner.id}", json=change)), 200)
    again = await asyncio.to_thread(_return, fresh_service, owner)
    await work(OrderWorker(other))
    assert (await asyncio.to_thread(get_order, again, order["id"]))["reason"] == "deactivated"


_CHANGE = sa.text("UPDATE accounts SET balance_kopecks = balance_kopecks + :change WHERE id = :id")


def _return(service: Service, person: Person) -> Person:
    """Let a deactivated user's account be active again, and sign them in."""
    expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_active": True}), 200)
    token = service.sign_in(person.email, person.password)
    return dataclasses.replace(person, client=service.client(token=token), token=token)


def _leave_a_broken_pool(service: Service) -> tuple[Person, int, int]:
    """Deactivate two users, one with orders in a pool whose money is gone; return them, the money and its account."""
    leaver, without_orders = (service.user(balance_kopecks=10_000) for _ in range(2))
    held: list[int] = []
    for _ in range(2):
        (market,) = open_market(service, probabilities=[0.5], b=50_000)
        order = rest(leaver, market, "YES", "buy", shares=1_000, price=30)
        held.append(order["id"])
    account_id = service.look(lambda tx: _orders_account(tx, held[0]))
    balance = sa.text("SELECT balance_kopecks FROM accounts WHERE id = :id")
    kopecks = service.look(lambda tx: tx.execute(balance, {"id": account_id}).scalar_one())
    service.server.run(service.app.db.write(lambda tx: tx.execute(_CHANGE, {"change": -kopecks, "id": account_id})))
    for person in (leaver, without_orders):
        expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_active": False}), 200)
    return leaver, kopecks, account_id
