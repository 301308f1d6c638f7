"""Positions of Other turned piece by piece: nothing jumps, nothing is turned twice; what one leaves, another does."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from foreknow.commands.audit import audit
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.settings import Settings
from foreknow.market.pools.failing import note_failing
from foreknow.market.pools.store import load_pools
from foreknow.money import stats
from foreknow.money.ledger import AccountKind
from foreknow.people.attention.tables import attention
from foreknow.people.notifications.tables import notifications
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs.piecewise import LEASE_MS
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.kinds import Buy, Sell
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.effects.turning import turn_piece
from foreknow.trading.lists.tables import split_turns
from foreknow.trading.lists.worker import TURNS, SplitTurner
from foreknow.trading.positions.tables import position_splits, positions
from foreknow.trading.positions.valuation import valued_positions
from foreknow.trading.settlement import service
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import ResolveBody
from foreknow.trading.settlement.store import PAYMENTS
from foreknow.web.responses import Empty
from tests.support.clock import ShiftableClock
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.trading.lists.crowds import ListCrowd, read_list, split_crowd, turn_all, turned_count
from tests.trading.settlement import world
from tests.trading.settlement.crowds import pay_all, wealth

RESULTS: list[dict[str, Any]] = [{"won_side": 2}, {"won_side": 3}, {"payouts": [0.1, 0.2, 0.3, 0.4]}, {"void": True}]


@pytest.fixture
def clock() -> ShiftableClock:
    """It stands still: a lease or a pause ends when a test says so, however slow the machine is."""
    return ShiftableClock.standing()


@proves(
    "lists: Positions are turned piece by piece as in Payment (lifecycle.md)",
    "lists: one that waits is listed as of Other alone, worth floor(shares · the sum of both prices); once turned, "
    "each its own floor.",
    "decisions: every q its trades (and splits, lists.md)",
)
async def test_no_moment_of_it_shows_a_jump(db: Database) -> None:
    """After every transaction: everyone has what they had, but for what two floors are less than one."""
    made = await db.write(ListCrowd)
    expected = await db.read(lambda tx: wealth(tx, made.traders))
    await db.write(made.split)
    turner = SplitTurner(db, piece_positions=2)
    seen = 0

    async def look() -> None:
        nonlocal seen
        seen += 1
        worth = await db.read(lambda tx: wealth(tx, made.traders))
        assert all(expected[user_id] - 1 <= worth[user_id] <= expected[user_id] for user_id in expected)
        if seen == 1:
            assert worth == expected
        findings = await db.read(audit)
        assert not findings, findings

    await look()
    claims = await db.write_private(lambda tx: TURNS.claim(tx, now_ms=2**50, limit=1))
    claim: Any = claims[0]
    while claim is not None:
        claim = await turner.do_piece(claim)
        await look()
    assert seen > 4
    assert not (await db.read(lambda tx: read_list(tx, made))).turning
    assert await db.read(turned_count) == 7
    assert await db.read(lambda tx: tx.execute(sa.select(split_turns)).all()) == []
    notified = sa.select(sa.func.count()).where(notifications.c.type == "outcome_added")
    assert await db.read(lambda tx: tx.execute(notified).scalar_one()) == 5
    held = sa.select(sa.func.sum(positions.c.shares))
    days = await db.read(stats.daily_stats)
    whole = await db.read(lambda tx: int(tx.execute(held).scalar_one()))
    assert sum(day.open_interest_change_kopecks for day in days) == whole


async def test_several_processes_turn_every_position_once(db: Database) -> None:
    made = await split_crowd(db, people=12)
    await asyncio.gather(*(turn_all(SplitTurner(db, piece_positions=2)) for _ in range(4)))
    assert not (await db.read(lambda tx: read_list(tx, made))).turning
    assert await db.read(turned_count) == 14
    assert not await db.read(audit)


async def test_the_database_refuses_to_turn_a_position_twice(db: Database) -> None:
    made = await split_crowd(db)
    await turn_all(SplitTurner(db))

    def again(tx: WriteTx) -> None:
        row = dict(tx.execute(sa.select(position_splits).limit(1)).mappings().one())
        tx.execute(position_splits.insert().values({**row, "id": 10**9}))

    with pytest.raises(IntegrityError):
        await db.write_private(again)
    pool = await db.read(lambda tx: read_list(tx, made))
    # One that comes late finds nothing to turn.
    assert await db.write(lambda tx: turn_piece(tx, pool, size=100)) is None
    assert await db.read(turned_count) == 7


@proves("lists: the last split still being turned")
async def test_a_second_split_waits_for_the_first(db: Database) -> None:
    made = await split_crowd(db)
    with pytest.raises(InvalidState):
        await db.write(lambda tx: made.split(tx, "Eve"))
    await turn_all(SplitTurner(db, piece_positions=2))
    for number in range(3):
        await db.write(lambda tx, number=number: made.split(tx, f"Eve {number}", percent=50))  # type: ignore[misc]
        await turn_all(SplitTurner(db, piece_positions=3))
    assert await db.read(turned_count) == 4 * 7
    findings = await db.read(audit)
    assert not findings, findings


async def test_a_process_that_left_the_split_before_turns_the_next_from_its_beginning(
    db: Database, clock: ShiftableClock
) -> None:
    """Its place of then is past positions of now: their holders would lose their share of the new outcome."""
    made = await split_crowd(db)
    leaving, staying = SplitTurner(db, piece_positions=6), SplitTurner(db, piece_positions=2)
    (claim,) = await db.write_private(lambda tx: TURNS.claim(tx, now_ms=clock(), limit=1))
    assert await leaving.do_piece(claim)
    clock.advance(LEASE_MS + 1)
    await turn_all(staying)
    assert await db.read(turned_count) == 7
    await db.write(lambda tx: made.split(tx, "Eve"))
    await turn_all(leaving)
    assert not (await db.read(lambda tx: read_list(tx, made))).turning
    assert await db.read(turned_count) == 2 * 7
    findings = await db.read(audit)
    assert not findings, findings


@proves("lists: a trader's own at the latest by their next order in that pool")
async def test_a_traders_own_is_turned_by_their_next_order(db: Database) -> None:
    made = await split_crowd(db)
    desk = TradeDesk(db, LiveSettings(Settings()))
    desk.start()
    caller = made.people[2]
    new = (await db.read(lambda tx: read_list(tx, made))).markets[3].id

    def order(kind: partial[Any], market_id: int) -> OrderKind:
        made: OrderKind = kind(caller=caller, market_id=market_id, outcomes=4, receipt=lambda _: Empty())
        return made

    def shares(tx: ReadTx) -> dict[int, int]:
        held = sa.select(positions.c.market_id, positions.c.shares).where(
            positions.c.user_id == caller.user_id, positions.c.side == "YES", positions.c.closed_at_ms.is_(None)
        )
        return {market_id: count for market_id, count in tx.execute(held)}  # noqa: C416 - rows

    before = (await db.read(shares))[made.market_ids[2]]
    assert isinstance(await desk.place(order(partial(Sell, shares=before), new)), Receipt)
    after = await db.read(shares)
    assert (after[made.market_ids[2]], after.get(new)) == (before, None)
    assert await db.read(turned_count) == 1
    await desk.place(order(partial(Buy, stake_kopecks=100), made.market_ids[2]))
    assert await db.read(turned_count) == 1
    # Bought after the split: nothing to turn.
    await turn_all(SplitTurner(db, piece_positions=1))
    assert await db.read(turned_count) == 7
    await desk.stop()
    findings = await db.read(audit)
    assert not findings, findings


@proves("lists: A verdict is paid after that.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("result", RESULTS)
async def test_a_result_in_the_middle_is_paid_after_it(
    db: Database, clock: ShiftableClock, result: dict[str, Any]
) -> None:
    made = await split_crowd(db)
    turner, payer = SplitTurner(db, piece_positions=2), PaymentService(db, piece_positions=2)
    (claim,) = await db.write_private(lambda tx: TURNS.claim(tx, now_ms=clock(), limit=1))
    assert await turner.do_piece(claim)
    await db.write(lambda tx: service.resolve(tx, made.pool_id, ResolveBody(**result), made.creator))
    expected = await db.read(lambda tx: wealth(tx, made.traders))
    assert not await db.read(audit)

    await pay_all(payer)

    worth = await db.read(lambda tx: wealth(tx, made.traders))
    assert worth == expected
    assert await db.read(turned_count) == 7
    assert not (await db.read(lambda tx: load_pools(tx, [made.pool_id])))[made.pool_id].paying
    assert await db.read(lambda tx: world.of_pool(tx, AccountKind.ESCROW, made.pool_id)) == 0
    assert await db.read(lambda tx: [valued_positions(tx, one, now_ms=0) for one in made.traders]) == [[]] * 7
    findings = await db.read(audit)
    assert not findings, findings
    clock.advance(LEASE_MS + 1_000)
    await turn_all(turner)
    assert await db.read(lambda tx: tx.execute(sa.select(split_turns)).all()) == []


async def test_a_cancellation_in_the_middle_pays_all(db: Database) -> None:
    made = await split_crowd(db)
    await db.write(lambda tx: service.void_event(tx, made.event_id, made.creator))
    await pay_all(PaymentService(db, piece_positions=3))
    assert await db.read(turned_count) == 7
    findings = await db.read(audit)
    assert not findings, findings


@ONCE
async def test_a_payment_goes_on_turning_where_its_last_piece_ended(db: Database, clock: ShiftableClock) -> None:
    """Looking for what is left from the first position on would make a hundred thousand of them quadratic."""
    made = await split_crowd(db)
    await db.write(lambda tx: service.void_event(tx, made.event_id, made.creator))
    payer: Any = PaymentService(db, piece_positions=2)
    claims = await db.write_private(lambda tx: PAYMENTS.claim(tx, now_ms=clock(), limit=1))
    claim: Any = claims[0]
    turned: list[int] = []
    while claim is not None and (await db.read(lambda tx: read_list(tx, made))).turning:
        claim = await payer.do_piece(claim)
        turned.append(payer._places[made.pool_id].turned_id)
    assert turned[:3] == sorted(set(turned[:3]))
    assert await db.read(turned_count) == 7


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("reason", "is_closed"), [("split_failed", True), ("order_payment_failed", False)])
async def test_the_end_of_a_split_closes_its_own_entry_alone(db: Database, reason: str, is_closed: bool) -> None:
    made = await split_crowd(db)
    await db.write(lambda tx: note_failing(tx, made.pool_id, reason=reason))
    await turn_all(SplitTurner(db))
    (entry,) = await db.read(lambda tx: tx.execute(sa.select(attention)).mappings().all())
    assert (entry["reason"], entry["closed_at_ms"] is not None) == (reason, is_closed)


async def test_who_is_deleted_in_the_middle_is_turned_and_not_notified(db: Database) -> None:
    made = await split_crowd(db)
    gone = made.people[0].user_id
    await db.write(lambda tx: tx.execute(users.update().where(users.c.id == gone).values(deleted_at_ms=1)))
    await turn_all(SplitTurner(db, piece_positions=2))
    assert await db.read(turned_count) == 7
    about = sa.select(sa.func.count()).where(notifications.c.user_id == gone, notifications.c.type == "outcome_added")
    assert await db.read(lambda tx: tx.execute(about).scalar_one()) == 0


@proves("lists: after 10 s as it then stands.")
@ONCE
async def test_a_request_waits_no_longer_than_it_may(db: Database) -> None:
    made = await split_crowd(db)
    turner = SplitTurner(db)
    await turner.wait_until_turned(made.pool_id, wait_s=0.02)
    assert (await db.read(lambda tx: read_list(tx, made))).turning
    waiting = asyncio.create_task(turner.wait_until_turned(made.pool_id, wait_s=600))
    await turn_all(turner)
    await waiting
