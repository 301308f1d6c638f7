"""Payments in pieces: at every moment nothing jumps, nothing is paid twice, and whatever dies, another goes on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from foreknow.commands.audit import audit
from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import InsufficientFunds
from foreknow.market.pools.failing import note_failing
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import pools
from foreknow.money import stats
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.money.ledger.tables import transfers
from foreknow.money.pricing import Side
from foreknow.people.attention.tables import attention
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Claim
from foreknow.platform.jobs.piecewise import ATTENTION_ATTEMPTS, LEASE_MS, LeaseLost
from foreknow.trading.effects import payouts
from foreknow.trading.positions.tables import positions
from foreknow.trading.settlement import service
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import ResolveBody
from foreknow.trading.settlement.store import PAYMENTS, payments
from tests.support.clock import ShiftableClock
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.orders import balance, bet, open_market, sell
from tests.support.postgres import one_waits
from tests.support.proofs import proves
from tests.support.service import Service, Shot, expect, pool, refused
from tests.support.waiting import wait_until
from tests.trading.settlement import world
from tests.trading.settlement.crowds import crowd, pay_all, statement_says, wealth
from tests.trading.settlement.windows import shown, state, stop_payments

on_postgres = pytest.mark.parametrize(
    "database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
RESULTS: list[dict[str, Any]] = [{"won_side": 1}, {"payouts": [0.29, 0.31, 0.4]}, {"void": True}]


@pytest.fixture
def clock() -> ShiftableClock:
    """It stands still: a lease or a pause ends when a test says so, however slow the machine is."""
    return ShiftableClock.standing()


@proves(
    "lifecycle: Until then it is an open one worth exactly what it will be paid",
    "lifecycle: `foreknow audit` is clean at every moment.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("result", RESULTS)
async def test_no_moment_of_a_payment_shows_a_jump(db: Database, result: Mapping[str, Any]) -> None:
    """After every transaction: everyone has what they will have, statements add up, the audit finds nothing."""
    made = await crowd(db, **result)
    expected = await db.read(lambda tx: wealth(tx, made.traders))
    payer = PaymentService(db, piece_positions=2)
    seen = 0

    async def look() -> None:
        nonlocal seen
        seen += 1
        assert await db.read(lambda tx: wealth(tx, made.traders)) == expected
        stated, held = await db.read(lambda tx: statement_says(tx, made.acme))
        assert stated == held
        findings = await db.read(audit)
        assert not findings, findings

    await look()
    claims = await db.write_private(lambda tx: PAYMENTS.claim(tx, now_ms=2**50, limit=1))
    claim: Any = claims[0]
    while claim is not None:
        claim = await payer.do_piece(claim)
        await look()
    assert seen > 5
    row = (await db.read(lambda tx: load_pools(tx, [made.pool_id])))[made.pool_id]
    assert not row.paying
    paid_at_ms = sa.select(pools.c.paid_at_ms).where(pools.c.id == made.pool_id)
    assert await db.read(lambda tx: tx.execute(paid_at_ms).scalar()) is not None
    assert await db.read(lambda tx: world.of_pool(tx, AccountKind.ESCROW, made.pool_id)) == 0
    assert await db.read(lambda tx: tx.execute(sa.select(payments)).all()) == []
    days = await db.read(stats.daily_stats)
    assert sum(day.open_interest_change_kopecks for day in days) == 0


@proves(
    "lifecycle: Until then it is an open one worth exactly what it will be paid",
)
async def test_readers_beside_a_payment_never_see_a_jump(db: Database) -> None:
    """The same with the worker running freely and readers at any moment."""
    made = await crowd(db, people=20, payouts=[0.5, 0.25, 0.25])
    expected = await db.read(lambda tx: wealth(tx, made.traders))
    payer = PaymentService(db, piece_positions=1)
    paying = asyncio.create_task(pay_all(payer))
    looks = 0
    while not paying.done():
        assert await db.read(lambda tx: wealth(tx, made.traders)) == expected
        looks += 1
    await paying
    assert await db.read(lambda tx: wealth(tx, made.traders)) == expected
    assert looks > 3
    assert not await db.read(audit)


@proves(
    "lifecycle: in any number of processes, each piece once,",
)
async def test_several_processes_pay_every_position_once(db: Database) -> None:
    made = await crowd(db, won_side=0)
    more = [await db.write(lambda tx: another_pool(tx, made.creator)) for _ in range(6)]
    await asyncio.gather(*(pay_all(PaymentService(db, piece_positions=2)) for _ in range(4)))
    rows = await db.read(lambda tx: load_pools(tx, [made.pool_id, *more]))
    assert not any(row.paying for row in rows.values())
    assert not await db.read(audit)


def another_pool(tx: WriteTx, creator: UserCaller) -> int:
    (made,) = world.event(tx, creator).pools
    for side in (Side.YES, Side.NO, Side.YES):
        world.bet(tx, world.person(tx, balance_kopecks=700), made.markets[0].id, side, stake_kopecks=700)
    service.resolve(tx, made.id, ResolveBody(won_side=1), creator)
    return made.id


async def test_two_who_pay_at_once_pay_each_position_once(db: Database, clock: ShiftableClock) -> None:
    """A lease is not looked at in every piece: the pool's lock decides."""
    made = await crowd(db, won_side=0)
    late, other = PaymentService(db, piece_positions=2), PaymentService(db, piece_positions=2)
    claim: Claim | None
    (claim,) = await db.write_private(lambda tx: PAYMENTS.claim(tx, now_ms=clock(), limit=1))
    mine = await late.do_piece(claim)
    clock.advance(LEASE_MS + 1_000)
    (claim,) = await db.write_private(lambda tx: PAYMENTS.claim(tx, now_ms=clock(), limit=1))
    while claim is not None:
        with contextlib.suppress(LeaseLost):
            mine = mine and await late.do_piece(mine, renews=False)
        claim = await other.do_piece(claim)
    closed = sa.select(sa.func.count()).where(positions.c.pool_id == made.pool_id, positions.c.settled_shares > 0)
    assert await db.read(lambda tx: tx.execute(closed).scalar_one()) == (late.metrics.rows + other.metrics.rows)
    assert late.metrics.rows > 2
    assert not (await db.read(lambda tx: load_pools(tx, [made.pool_id])))[made.pool_id].paying
    assert not await db.read(audit)


@on_postgres
async def test_what_waited_for_an_account_is_dated_after_who_held_it(
    db: Database, database_url: str, clock: ShiftableClock
) -> None:
    made = await crowd(db, won_side=0)
    async with _paying_waits(db, database_url, made.traders[0]):
        clock.advance(700)
        moment_ms = clock()
    paid = sa.select(sa.func.min(transfers.c.created_at_ms)).where(transfers.c.kind == "settlement")
    assert await db.read(lambda tx: tx.execute(paid).scalar_one()) >= moment_ms


@on_postgres
async def test_what_those_are_paid_who_leave_as_the_payment_waits_goes_on_to_the_house(
    db: Database, database_url: str
) -> None:
    made = await crowd(db, won_side=0)

    def given(tx: ReadTx) -> int:
        return sum(day.grants_kopecks for day in stats.daily_stats(tx))

    def held(tx: ReadTx) -> int:
        return sum(balances_kopecks(tx, kind=AccountKind.USER, owner_ids=made.traders).values())

    before, owned_before = await db.read(given), await db.read(held)
    async with _paying_waits(db, database_url, made.traders[0]) as holder:
        await holder.execute("UPDATE users SET deleted_at_ms = 1 WHERE id = ANY($1)", made.traders)
    assert await db.read(held) == 0
    assert before - await db.read(given) > owned_before
    assert await db.read(world.all_money) == 0


@contextlib.asynccontextmanager
async def _paying_waits(
    db: Database, database_url: str, user_id: int
) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """Yield the transaction that a payment waits for, as it has a user's account; commit, and let it be paid."""
    holder = await asyncpg.connect(database_url)
    try:
        async with holder.transaction():
            held = "SELECT 1 FROM accounts JOIN users ON users.account_id = accounts.id WHERE users.id = $1 FOR UPDATE"
            assert await holder.fetch(held, user_id)
            paying = asyncio.create_task(pay_all(PaymentService(db)))
            await one_waits(holder)
            yield holder
    finally:
        await holder.close()
    await paying


@proves(
    "lifecycle: the database itself refuses to pay a position twice.",
)
async def test_the_database_refuses_to_pay_a_position_twice(db: Database) -> None:
    made = await crowd(db, won_side=0)
    payer = PaymentService(db)

    def reopen(tx: WriteTx) -> None:
        paid = sa.select(transfers.c.position_id).where(transfers.c.position_id.is_not(None)).limit(1)
        change = positions.update().where(positions.c.id == paid.scalar_subquery())
        tx.execute(change.values(shares=5, closed_at_ms=None))

    (claim,) = await db.write_private(lambda tx: PAYMENTS.claim(tx, now_ms=2**50, limit=1))
    claim = await payer.do_piece(claim) or claim
    await db.write_private(reopen)
    row = (await db.read(lambda tx: load_pools(tx, [made.pool_id])))[made.pool_id]
    with pytest.raises(IntegrityError):
        await db.write_private(lambda tx: payouts.pay_piece(tx, row, payouts.PaymentProgress(), size=100))


async def test_a_payment_that_fails_again_and_again_calls_for_a_person(db: Database, clock: ShiftableClock) -> None:
    made = await crowd(db, won_side=0)
    payer = PaymentService(db)
    escrow = (await db.read(lambda tx: load_pools(tx, [made.pool_id])))[made.pool_id].escrow_account_id
    take = sa.text("UPDATE accounts SET balance_kopecks = balance_kopecks + :change WHERE id = :id")
    whole = await db.read(lambda tx: world.of_pool(tx, AccountKind.ESCROW, made.pool_id))
    await db.write(lambda tx: tx.execute(take, {"change": -whole, "id": escrow}))
    for _ in range(ATTENTION_ATTEMPTS):
        with pytest.raises(InsufficientFunds):
            await payer.run_due()
        clock.advance(LEASE_MS + 1_000)
    (entry,) = await db.read(lambda tx: tx.execute(sa.select(attention)).mappings().all())
    assert (entry["kind"], entry["pool_id"], entry["reason"]) == ("payment", made.pool_id, "payment_failed")
    assert entry["closed_at_ms"] is None
    await db.write(lambda tx: tx.execute(take, {"change": whole, "id": escrow}))
    await pay_all(payer)
    (entry,) = await db.read(lambda tx: tx.execute(sa.select(attention)).mappings().all())
    assert entry["closed_at_ms"] is not None
    assert not await db.read(audit)


@ONCE
async def test_a_payment_closes_no_entry_of_other_work_in_its_pool(db: Database) -> None:
    made = await crowd(db, won_side=0)
    await db.write(lambda tx: note_failing(tx, made.pool_id, reason="order_payment_failed"))
    await pay_all(PaymentService(db))
    (entry,) = await db.read(lambda tx: tx.execute(sa.select(attention)).mappings().all())
    assert (entry["reason"], entry["closed_at_ms"]) == ("order_payment_failed", None)


@proves(
    "lifecycle: The final verdict commits first;",
    (
        "lifecycle: Until then it is an open one worth exactly what it will be paid (`value_kopecks`, a partner's "
        "too), not sellable (`market_resolved`)."
    ),
)
def test_until_it_is_paid_a_position_is_open_and_cannot_be_sold(fresh_service: Service) -> None:
    running = fresh_service
    (market,) = open_market(running)
    acme = running.partner(float_kopecks=10_000)
    trader = running.user(balance_kopecks=1_000)
    shares = expect(bet(trader, market, "YES", 1_000), 201)["shares"]
    order = {"external_user_id": "kim", "market_id": market, "side": "no", "stake_kopecks": 1_000}
    expect(acme.client.post("/partner/bets", json=order), 201)
    other = {**order, "external_user_id": "lee", "side": "yes"}
    won = expect(acme.client.post("/partner/bets", json=other), 201)["shares"]
    pool_id = expect(running.client().get(f"/markets/{market}"), 200)["pool_id"]
    stop_payments(running)
    decided = running.app.db.write(lambda tx: service.decide(tx, pool_id, ResolveBody(won_side=0)))
    assert running.server.run(decided)

    assert shown(running, pool_id)["won_side"] == 0
    assert state(running, pool_id) == "paying"
    (held,) = expect(trader.client.get("/market/positions"), 200)["positions"]
    assert (held["amount"], held["value_kopecks"]) == (shares, shares)
    assert expect(trader.client.get("/market/positions/completed"), 200)["positions"] == []
    kim = expect(acme.client.get("/partner/users/kim"), 200)
    assert (kim["open_positions_kopecks"], len(kim["positions"])) == (0, 1)
    lee = expect(acme.client.get("/partner/users/lee"), 200)
    assert (lee["open_positions_kopecks"], lee["positions"][0]["value_kopecks"]) == (won, won)
    refused(sell(trader, market, "YES"), 409, "market_resolved")
    sale = {"external_user_id": "kim", "market_id": market, "side": "no"}
    refused(acme.client.post("/partner/positions/sell", json=sale), 409, "MARKET_RESOLVED")
    (event,) = expect(running.client().get("/events", params={"status": "resolved"}), 200)["events"]
    assert event["pools"][0]["resolution"]["state"] == "paying"


async def decide_by_rule(running: Service, pool_id: int) -> bool:
    """Decide as a rule does that sees no single winner of two."""
    done = await running.app.db.write(lambda tx: service.decide(tx, pool_id, ResolveBody(payouts=[0.5, 0.5])))
    running.app.services.payments.wake()
    return done


def is_paid(running: Service, pool_id: int) -> bool:
    return state(running, pool_id) == "paid"


def test_the_same_resolution_twenty_times_at_once_on_two_servers_pays_once(
    start_service: Callable[..., Service],
) -> None:
    first, second = start_service(), start_service()
    (made,) = first.event(pools=[pool(["a", "b"])])["pools"]
    traders = [first.user(balance_kopecks=1_000) for _ in range(4)]
    shares = [expect(bet(trader, made["markets"][0]["id"], "YES", 1_000), 201)["shares"] for trader in traders]
    shots: list[Shot] = [("POST", f"/pools/{made['id']}/resolve", {"json": {"won_side": 0}})] * 10
    tokens = [first.creator.token]
    with ThreadPoolExecutor(2) as threads:
        ten = [threads.submit(one.together, shots, tokens=tokens) for one in (first, second)]
        answers = [answer for some in ten for answer in some.result()]
    assert [expect(answer, 200)["resolution"]["state"] for answer in answers] == ["paid"] * 20
    assert [balance(trader) for trader in traders] == shares
    (event,) = expect(first.client().get("/events", params={"status": "resolved"}), 200)["events"]
    assert event["id"] == first.look(lambda tx: load_pools(tx, [made["id"]])[made["id"]].event_id)
    kinds = [row["type"] for row in expect(first.creator.client.get("/notifications"), 200)["notifications"]]
    assert kinds.count("event_resolved") == 1


def test_a_decision_by_rule_by_an_admin_and_a_cancellation_at_once_leave_one(
    start_service: Callable[..., Service],
) -> None:
    running = start_service()
    for _ in range(4):
        event = running.event()
        (made,) = event["pools"]
        trader = running.user(balance_kopecks=1_000)
        shares = expect(bet(trader, made["markets"][0]["id"], "YES", 1_000), 201)["shares"]
        value = expect(trader.client.get("/market/positions"), 200)["positions"][0]["value_kopecks"]

        shots: list[Shot] = [
            ("POST", f"/pools/{made['id']}/resolve", {"json": {"won_side": 0}}),
            ("POST", f"/events/{event['id']}/cancel", {}),
        ]
        by_rule = asyncio.run_coroutine_threadsafe(decide_by_rule(running, made["id"]), running.server.loop)
        resolved, cancelled = running.together(shots, tokens=[running.creator.token])
        rule_decided = by_rule.result(60)
        wait_until(partial(is_paid, running, made["id"]))
        outcomes = [resolved.status_code == 200, cancelled.status_code == 200, rule_decided]
        assert sum(outcomes) == 1, outcomes
        assert balance(trader) == [shares, value, shares // 2][outcomes.index(True)]
