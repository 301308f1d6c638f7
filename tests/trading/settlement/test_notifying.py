"""Holders are notified of a verdict once each, with what they will be paid, whatever process dies."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS
from foreknow.market.pools.store import load_pools
from foreknow.money.pricing import Side
from foreknow.people.follows import pool_news, store
from foreknow.people.follows.pool_news import CLARIFIED_EVERY_MS, POOL_NEWS
from foreknow.people.follows.tables import pool_news as news_table
from foreknow.people.follows.tables import rule_notices
from foreknow.people.notifications.tables import notifications
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs.piecewise import LeaseLost
from foreknow.trading.positions.tables import positions
from foreknow.trading.settlement import notifying, service
from foreknow.trading.settlement.notifying import HolderNotifier
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.clock import ShiftableClock
from tests.trading.settlement import world
from tests.trading.settlement.crowds import THREE, Crowd, pay_all
from tests.trading.settlement.windows import DISPUTABLE_MINUTES, give_window

RESULTS: list[dict[str, Any]] = [{"won_side": 1}, {"payouts": [0.29, 0.31, 0.4]}, {"void": True}]


@pytest.fixture
def clock() -> ShiftableClock:
    """It stands still but for what a test says."""
    return ShiftableClock.standing()


async def decided(db: Database, *, people: int = 6, **result: Any) -> Crowd:
    """Make a crowd with a verdict that can be corrected."""

    def work(tx: WriteTx) -> Crowd:
        made = Crowd(tx, people=people)
        give_window(tx, made.pool_id)
        made.resolve(tx, **result)
        return made

    return await db.write(work)


async def notify_all(notifier: HolderNotifier) -> None:
    """Tell until nothing is due."""
    while await notifier.run_due():
        pass


def notified(tx: ReadTx, kind: str = "verdict_decided") -> list[tuple[int, dict[str, Any]]]:
    """Return who was notified of what."""
    query = sa.select(notifications.c.user_id, notifications.c.params).where(notifications.c.type == kind)
    return [(user_id, params) for user_id, params in tx.execute(query.order_by(notifications.c.id))]


def people_among(tx: ReadTx, user_ids: Sequence[int]) -> set[int]:
    return set(
        tx.execute(sa.select(users.c.id).where(users.c.id.in_(user_ids), users.c.partner_id.is_(None))).scalars()
    )


def was_paid(tx: ReadTx, pool_id: int) -> dict[int, int]:
    query = sa.select(positions.c.user_id, sa.func.sum(positions.c.settled_kopecks))
    rows = tx.execute(query.where(positions.c.pool_id == pool_id).group_by(positions.c.user_id))
    return {user_id: int(kopecks) for user_id, kopecks in rows}


@pytest.mark.parametrize("result", RESULTS)
async def test_each_holder_is_notified_once_what_their_shares_are_paid_then(
    db: Database, clock: ShiftableClock, result: dict[str, Any]
) -> None:
    made = await decided(db, people=12, **result)
    # Positions on both sides and of several outcomes, in pieces that part them.
    await notify_all(HolderNotifier(db, piece_people=3))
    found = await db.read(notified)
    holders = await db.read(lambda tx: people_among(tx, made.traders))
    assert sorted(user_id for user_id, _ in found) == sorted(holders)
    clock.advance(HOUR_MS)
    await pay_all(PaymentService(db))
    paid = await db.read(lambda tx: was_paid(tx, made.pool_id))
    assert {user_id: params["payout_kopecks"] for user_id, params in found} == {one: paid[one] for one in holders}
    assert await db.read(notified) == found
    assert await db.read(lambda tx: tx.execute(sa.select(news_table.c.id)).all()) == []


async def test_processes_beside_each_other_notify_each_once(db: Database) -> None:
    made = await decided(db, people=12, won_side=0)
    await asyncio.gather(*(notify_all(HolderNotifier(db, piece_people=1)) for _ in range(4)))
    found = Counter(user_id for user_id, _ in await db.read(notified))
    assert found == dict.fromkeys(await db.read(lambda tx: people_among(tx, made.traders)), 1)


async def test_after_a_kill_another_process_goes_on_where_it_was(db: Database, clock: ShiftableClock) -> None:
    made = await decided(db, people=12, won_side=0)
    killed, other = HolderNotifier(db, piece_people=2), HolderNotifier(db, piece_people=2)
    (claim,) = await db.write_private(lambda tx: POOL_NEWS.claim(tx, now_ms=clock(), limit=1))
    held = await killed.do_piece(claim)
    before = await db.read(notified)
    assert before
    # Its lease ends; what it commits late finds that all are notified.
    clock.advance(MINUTE_MS)
    await notify_all(other)
    assert held is not None
    with pytest.raises(LeaseLost):
        await killed.do_piece(held)
    found = [user_id for user_id, _ in await db.read(notified)]
    assert sorted(found) == sorted(await db.read(lambda tx: people_among(tx, made.traders)))


async def test_a_failed_transaction_notifies_no_one(db: Database, clock: ShiftableClock) -> None:
    await decided(db, people=6, won_side=0)

    def notify_and_fail(tx: WriteTx) -> None:
        pool_id = tx.execute(sa.select(news_table.c.pool_id)).scalar_one()
        assert notifying.notify_of_verdicts(tx, pool_id, size=100)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await db.write(notify_and_fail)
    assert await db.read(notified) == []
    await notify_all(HolderNotifier(db))
    assert await db.read(notified)


async def test_a_verdict_that_is_replaced_meanwhile_is_notified_too(db: Database) -> None:
    """Each as it was: what the first would have paid follows from its own row."""
    made = await decided(db, people=6, won_side=0)

    def correct(tx: WriteTx) -> None:
        service.resolve(tx, made.pool_id, ResolveBody(won_side=2), world.person(tx, admin=True))

    await db.write(correct)
    await notify_all(HolderNotifier(db, piece_people=2))
    found = await db.read(notified)
    by_result = Counter((user_id, params["result"]) for user_id, params in found)
    holders = await db.read(lambda tx: people_among(tx, made.traders))
    assert by_result == {(one, name): 1 for one in holders for name in ("a", "c")}
    for name in ("a", "c"):
        assert any(params["payout_kopecks"] for _, params in found if params["result"] == name)


async def test_a_pool_that_is_final_is_paid_once_all_are_notified(db: Database, clock: ShiftableClock) -> None:
    """The clock leaps over the window before anyone is notified."""
    made = await decided(db, people=9, won_side=0)
    clock.advance(DISPUTABLE_MINUTES * MINUTE_MS)
    await pay_all(PaymentService(db, piece_positions=2))
    found = [user_id for user_id, _ in await db.read(notified)]
    holders = await db.read(lambda tx: people_among(tx, made.traders))
    assert sorted(found) == sorted(holders)
    pool = (await db.read(lambda tx: load_pools(tx, [made.pool_id])))[made.pool_id]
    assert not pool.paying
    await notify_all(HolderNotifier(db))
    assert len(await db.read(notified)) == len(holders)


async def test_a_hold_is_notified_to_holders_alone(db: Database, clock: ShiftableClock) -> None:
    made = await decided(db, people=6, won_side=0)

    def hold(tx: WriteTx) -> None:
        pool = load_pools(tx, [made.pool_id])[made.pool_id]
        notifying.write_held(tx, pool, held_until_ms=clock() + HOUR_MS, at_ms=clock())

    await db.write(hold)
    await notify_all(HolderNotifier(db, piece_people=2))
    found = await db.read(lambda tx: notified(tx, "verdict_held"))
    assert sorted(user_id for user_id, _ in found) == sorted(await db.read(lambda tx: people_among(tx, made.traders)))
    assert {params["held_until"][:10] for _, params in found}


async def test_of_an_events_rules_one_is_notified_once_an_hour(db: Database, clock: ShiftableClock) -> None:
    """Holders of the pool and followers of the event, but not whose act it is."""

    def make(tx: WriteTx) -> tuple[Any, list[int], int]:
        creator = world.person(tx, creator=True)
        event = world.event(tx, creator, THREE, {**THREE, "name": "Where?"})
        holder, follower = world.person(tx, balance_kopecks=5_000), world.person(tx)
        for market in event.pools[0].markets[:2]:
            world.bet(tx, holder, market.id, Side.YES, stake_kopecks=1_000)
        for user_id in (follower.user_id, holder.user_id, creator.user_id):
            store.follow_event(tx, user_id, event.id)
        return event, [holder.user_id, follower.user_id], creator.user_id

    event, expected, creator_id = await db.write(make)

    async def clarify(pool: int) -> Counter[int]:
        def write(tx: WriteTx) -> None:
            row = load_pools(tx, [event.pools[pool].id])[event.pools[pool].id]
            pool_news.write_clarified(tx, row, by_id=creator_id, at_ms=clock())

        await db.write(write)
        await asyncio.gather(*(notify_all(HolderNotifier(db, piece_people=1)) for _ in range(2)))
        return Counter(user_id for user_id, _ in await db.read(lambda tx: notified(tx, "rules_clarified")))

    assert await clarify(0) == dict.fromkeys(expected, 1)
    clock.advance(CLARIFIED_EVERY_MS - 1)
    assert await clarify(1) == dict.fromkeys(expected, 1)
    clock.advance(1)
    assert await clarify(1) == dict.fromkeys(expected, 2)
    await db.write(lambda tx: store.forget(tx, expected[1]))
    assert await db.read(lambda tx: tx.execute(sa.select(rule_notices.c.user_id)).scalars().all()) == expected[:1]
