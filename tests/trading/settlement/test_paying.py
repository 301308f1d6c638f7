"""While a pool is paid: who waits for it and who does not, what commits together, and what comes last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS
from foreknow.market.charts.tables import pnl_totals
from foreknow.market.pools.store import load_pools
from foreknow.money import stats
from foreknow.money.ledger import AccountKind
from foreknow.money.ledger.tables import transfers
from foreknow.money.statements.tables import partner_transactions
from foreknow.people.notifications.tables import notifications
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Claim, piecewise
from foreknow.trading.positions.tables import positions
from foreknow.trading.settlement import service
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import ResolveBody
from foreknow.trading.settlement.store import PAYMENTS
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.orders import balance, bet, open_market
from tests.support.postgres import WAITING, one_waits
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect
from tests.support.waiting import wait_until
from tests.trading.settlement import world
from tests.trading.settlement.crowds import Crowd, crowd, pay_all
from tests.trading.settlement.windows import state, stop_payments

NO_ORDER_WAITS = (
    "lifecycle: then positions are paid in transactions that keep no order in another pool waiting over 100 ms."
)


class Seconds:
    """The module `time`, as the workers see it: its clock stands until a test moves it."""

    perf_counter = staticmethod(time.perf_counter)

    def __init__(self) -> None:
        self.now_s = 0.0
        self.looks = 0

    def monotonic(self) -> float:
        self.looks += 1
        return self.now_s

    def wait_for_looks(self) -> None:
        """Return once the request has looked at this time."""
        seen = self.looks
        wait_until(lambda: self.looks >= seen + 3)


def resolve(running: Service, event: dict[str, Any]) -> Callable[[], Any]:
    return partial(running.creator.client.post, f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0})


def cancel(running: Service, event: dict[str, Any]) -> Callable[[], Any]:
    return partial(running.creator.client.post, f"/events/{event['id']}/cancel")


def shown_in(answer: dict[str, Any]) -> tuple[int, str]:
    """Return the result and the state of the pool in an answer of either."""
    (made,) = answer.get("pools", [answer])
    return made["won_side"], made["resolution"]["state"]


def payer_of(running: Service) -> PaymentService:
    """Return another payer, of one position at a time, whose commits the service's responses show at once."""
    return PaymentService(running.app.db, on_commit=running.app.services.payments._on_commit, piece_positions=1)


@pytest.fixture
def traded(fresh_service: Service) -> tuple[Service, dict[str, Any], list[Person]]:
    """A service that pays nothing, and an event with one pool and three traders."""
    event = fresh_service.event()
    traders = [fresh_service.user(balance_kopecks=1_000) for _ in range(3)]
    for trader in traders:
        expect(bet(trader, event["pools"][0]["markets"][0]["id"], "YES", 1_000), 201)
    stop_payments(fresh_service)
    return fresh_service, event, traders


@proves("lifecycle: POST resolve and cancel answer when all is paid,")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("action", "won_side"), [(resolve, 0), (cancel, -1)])
def test_an_answer_waits_until_all_is_paid_by_whichever_process(
    traded: tuple[Service, dict[str, Any], list[Person]],
    monkeypatch: pytest.MonkeyPatch,
    action: Callable[..., Callable[[], Any]],
    won_side: int,
) -> None:
    running, event, traders = traded
    seconds = Seconds()
    monkeypatch.setattr(piecewise, "time", seconds)
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(action(running, event))
        try:
            seconds.wait_for_looks()
            assert not answer.done()
            running.server.run(pay_all(payer_of(running)))
            assert shown_in(expect(answer.result(60), 200)) == (won_side, "paid")
        finally:
            seconds.now_s = piecewise.WAIT_S
    assert all(balance(trader) > 0 for trader in traders)
    assert all(expect(trader.client.get("/market/positions"), 200)["positions"] == [] for trader in traders)


@proves("lifecycle: POST resolve and cancel answer when all is paid, after 10 s as it then stands.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("action", "won_side"), [(resolve, 0), (cancel, -1)])
def test_after_ten_seconds_an_answer_shows_a_payment_under_way(
    traded: tuple[Service, dict[str, Any], list[Person]],
    monkeypatch: pytest.MonkeyPatch,
    action: Callable[..., Callable[[], Any]],
    won_side: int,
) -> None:
    running, event, traders = traded
    seconds = Seconds()
    monkeypatch.setattr(piecewise, "time", seconds)
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(action(running, event))
        try:
            seconds.wait_for_looks()
            seconds.now_s = 9.999
            seconds.wait_for_looks()
            assert not answer.done()
        finally:
            seconds.now_s = 10.0
        assert shown_in(expect(answer.result(60), 200)) == (won_side, "paying")
    assert [balance(trader) for trader in traders] == [0, 0, 0]
    # It goes on in the background.
    running.server.run(pay_all(payer_of(running)))
    assert state(running, event["pools"][0]["id"]) == "paid"
    assert all(balance(trader) > 0 for trader in traders)


@pytest.mark.parametrize("end", [resolve, cancel])
def test_a_payment_is_due_at_once_though_the_clock_was_set_back(
    moving_service: Service, end: Callable[[Service, dict[str, Any]], Callable[[], Any]]
) -> None:
    event, trader = moving_service.event(), moving_service.user(balance_kopecks=1_000)
    expect(bet(trader, event["pools"][0]["markets"][0]["id"], "YES", 1_000), 201)

    moving_service.clock.advance(-HOUR_MS)
    moving_service.sign_out_shared()

    expect(end(moving_service, event)(), 200)
    trader.client.headers["Authorization"] = f"Bearer {moving_service.sign_in(trader.email, trader.password)}"
    assert balance(trader) >= 1_000


@proves("lifecycle: The final verdict commits first;", NO_ORDER_WAITS)
def test_orders_in_another_pool_have_their_turn_between_the_pieces(
    traded: tuple[Service, dict[str, Any], list[Person]],
) -> None:
    running, event, traders = traded
    pool_id = event["pools"][0]["id"]
    (other,) = open_market(running)
    assert running.server.run(running.app.db.write(lambda tx: service.decide(tx, pool_id, ResolveBody(won_side=0))))
    claim_due = running.app.db.write_private(lambda tx: PAYMENTS.claim(tx, now_ms=running.clock(), limit=1))
    payer, (claim,) = payer_of(running), running.server.run(claim_due)
    for trader in traders:
        before = payer.metrics.rows
        held = running.server.run(payer.do_piece(claim))
        assert payer.metrics.rows == before + 1
        assert held is not None
        claim = held
        # Money that was paid may be spent at once, though the pool is still being paid.
        expect(bet(trader, other, "YES", 1_000), 201)
        assert state(running, pool_id) == "paying"
    assert running.server.run(payer._take_turn(claim))
    assert state(running, pool_id) == "paid"


@proves(
    "lifecycle: Of one position, money, closing, statement row, notice, PnL point and open interest commit together."
)
async def test_what_shows_a_payment_commits_with_it(db: Database) -> None:
    made = await crowd(db, payouts=[0.29, 0.31, 0.4])
    payer = PaymentService(db, piece_positions=1)
    claim: Claim | None
    (claim,) = await db.write_private(lambda tx: PAYMENTS.claim(tx, now_ms=2**50, limit=1))
    counts = []
    while claim is not None:
        counts.append(await db.read(partial(paid_positions, made)))
        claim = await payer.do_piece(claim)
    # Nothing, then one more position with every step; the last two steps find none, and return the rest.
    assert counts[0] == 0
    assert counts == [*range(counts[-1] + 1), *counts[-1:] * (len(counts) - counts[-1] - 1)]
    assert counts[-1] == await db.read(partial(paid_positions, made)) > 5


def paid_positions(made: Crowd, tx: ReadTx) -> int:
    """Return how many positions of the pool were paid; money and all that shows it must be that of these."""
    by_people = sa.select(users.c.id).where(users.c.partner_id.is_(None))
    of_pool = positions.c.pool_id == made.pool_id
    closed = sa.select(positions).where(of_pool, positions.c.closed_at_ms.is_not(None))
    rows = tx.execute(closed).mappings().all()
    people = set(tx.execute(by_people).scalars())
    money = sa.select(transfers.c.position_id, transfers.c.amount_kopecks).where(transfers.c.position_id.is_not(None))
    paid = {row["id"]: row["settled_kopecks"] for row in rows if row["settled_kopecks"]}
    assert dict(tx.execute(money).all()) == paid
    lines = sa.select(partner_transactions.c.market_id, partner_transactions.c.user_id)
    settled = tx.execute(lines.where(partner_transactions.c.type == "settlement"))
    assert sorted(map(tuple, settled)) == sorted(
        (row["market_id"], row["user_id"]) for row in rows if row["user_id"] not in people
    )
    notices = sa.select(notifications.c.user_id).where(notifications.c.type == "position_settled")
    assert sorted(tx.execute(notices).scalars()) == sorted(row["user_id"] for row in rows if row["user_id"] in people)
    profits: dict[int, int] = {}
    for row in rows:
        profits[row["user_id"]] = profits.get(row["user_id"], 0) + row["pnl_kopecks"]
    totals = tx.execute(sa.select(pnl_totals.c.user_id, pnl_totals.c.pnl_kopecks))
    assert dict(totals.all()) == profits
    held = tx.execute(sa.select(sa.func.sum(positions.c.shares)).where(of_pool)).scalar_one()
    assert sum(day.open_interest_change_kopecks for day in stats.daily_stats(tx)) == held
    return len(rows)


@proves("lifecycle: Last, the rest of escrow returns, `house_result` counts and `event_resolved` is sent.")
async def test_the_last_step_settles_with_the_house_and_notifies_the_creator(db: Database) -> None:
    made = await crowd(db, won_side=1)
    payer = PaymentService(db, piece_positions=2)
    claim: Claim | None
    (claim,) = await db.write_private(lambda tx: PAYMENTS.claim(tx, now_ms=2**50, limit=1))
    house_before = await db.read(world.house)
    bound = (await db.read(lambda tx: load_pools(tx, [made.pool_id])))[made.pool_id].loss_bound_kopecks
    rest = 0
    while claim is not None:
        assert await db.read(world.house) == house_before
        assert await db.read(partial(house_result_and_notices, made)) == (0, 0)
        rest = await db.read(lambda tx: world.of_pool(tx, AccountKind.ESCROW, made.pool_id))
        claim = await payer.do_piece(claim)
    assert rest > 0
    assert await db.read(lambda tx: world.of_pool(tx, AccountKind.ESCROW, made.pool_id)) == 0
    assert await db.read(world.house) == house_before + rest
    assert await db.read(partial(house_result_and_notices, made)) == (rest - bound, 1)


def house_result_and_notices(made: Crowd, tx: ReadTx) -> tuple[int, int]:
    """Return the house's result so far, kopecks, and how many `event_resolved` the creator has."""
    notices = sa.select(sa.func.count()).where(
        notifications.c.type == "event_resolved", notifications.c.user_id == made.creator.user_id
    )
    result = sum(day.settlement_result_kopecks for day in stats.daily_stats(tx))
    return result, tx.execute(notices).scalar_one()


@proves(NO_ORDER_WAITS)
@pytest.mark.parametrize("database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_orders_in_another_pool_pass_a_piece_that_waits_for_an_account(fresh_service: Service) -> None:
    async def trade_while_held() -> None:
        holder = await asyncpg.connect(fresh_service.database_url)
        try:
            await asyncio.to_thread(trade_beside, fresh_service, holder, asyncio.get_running_loop())
        finally:
            await holder.close()

    asyncio.run(trade_while_held())


def trade_beside(running: Service, holder: asyncpg.Connection, loop: asyncio.AbstractEventLoop) -> None:
    """Let a piece wait for an account that `holder` has locked, holding its pool and its escrow, and bet elsewhere."""

    def tell(statement: str) -> Any:
        return asyncio.run_coroutine_threadsafe(holder.fetchval(statement), loop).result(60)

    event, (other,) = running.event(), open_market(running)
    (made,) = event["pools"]
    first, second = (running.user(balance_kopecks=2_000) for _ in range(2))
    for trader in (first, second):
        expect(bet(trader, made["markets"][0]["id"], "YES", 1_000), 201)
    tell("BEGIN")
    tell(f"SELECT 1 FROM accounts WHERE kind = 'user' AND owner_id = {second.id} FOR UPDATE")
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(resolve(running, event))
        asyncio.run_coroutine_threadsafe(one_waits(holder), loop).result()
        for _ in range(3):
            expect(bet(running.user(balance_kopecks=1_000), other, "YES", 1_000), 201)
        assert tell(WAITING)
        assert not answer.done()
        tell("ROLLBACK")
        assert shown_in(expect(answer.result(60), 200)) == (0, "paid")
