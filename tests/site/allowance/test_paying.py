"""Allowances are paid once a user and period, to who was active in the one before, up to a worth."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.kernel.grant_settings import AllowanceTerms
from foreknow.kernel.settings import Settings
from foreknow.money import stats
from foreknow.money.ledger import AccountKind, Transfer, TransferKind, balances_kopecks, house_account, post
from foreknow.money.stats import TradeStats
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.active_days import note_active
from foreknow.people.users.sessions import open_session
from foreknow.people.users.store import UserRow
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.site.allowance import service
from foreknow.site.allowance import state as states
from foreknow.site.allowance.granting import GrantPiece, find_piece, grant
from foreknow.site.allowance.service import AllowanceService
from foreknow.site.allowance.state import PeriodBounds, period_of
from foreknow.trading.desk.tables import trades
from foreknow.trading.positions.tables import positions
from tests.support.clock import ShiftableClock
from tests.support.rows import insert_pool

DAILY = AllowanceTerms(kopecks=1_000, every="day", up_to=2_500)
#: Monday, 3 January 2028, at noon.
MONDAY = 21_186 * DAY_MS + 12 * HOUR_MS


@dataclass
class Town:
    """A database with people, at a time that stands still."""

    db: Database
    clock: ShiftableClock

    def process(self, terms: AllowanceTerms | None = DAILY, *, verified_only: bool = False) -> AllowanceService:
        """Return the payments of one process."""
        given = Settings(
            allowance=terms,
            email_verification="on" if verified_only else "off",
            smtp_url=SecretStr("smtp://127.0.0.1:9") if verified_only else SecretStr(""),
            email_from="a@example.org",
            public_url="https://example.org",
        )
        return AllowanceService(self.db, LiveSettings(given))

    async def pay(self, terms: AllowanceTerms | None = DAILY, *, verified_only: bool = False) -> None:
        """Let a process that has just begun pay what is due."""
        process = self.process(terms, verified_only=verified_only)
        while await process.pay():
            pass

    async def at(self, at_ms: int, terms: AllowanceTerms | None = DAILY) -> None:
        """Let it be this time, and what is due be paid."""
        self.clock.stop_at(at_ms)
        await self.pay(terms)

    async def people(self, count: int, *, balance_kopecks: int = 0) -> list[UserRow]:
        """Make people who are signed up and have done nothing."""
        return await self.db.write(partial(_people, count=count, balance_kopecks=balance_kopecks))

    async def sign_in(self, *people: UserRow) -> None:
        """Let people begin a session."""
        await self.db.write(lambda tx: [open_session(tx, user_id=one.id, now_ms=self.clock()) for one in people])

    async def balances(self, people: list[UserRow]) -> list[int]:
        """Return what they have."""
        ids = [one.id for one in people]
        found = await self.db.read(lambda tx: balances_kopecks(tx, kind=AccountKind.USER, owner_ids=ids))
        return [found[user_id] for user_id in ids]


def _people(tx: WriteTx, *, count: int, balance_kopecks: int) -> list[UserRow]:
    taken = tx.execute(sa.select(sa.func.count()).select_from(users)).scalar_one()
    made = []
    for number in range(taken, taken + count):
        person = NewPerson(email=f"p{number}@example.org", password="", name="P", nickname="")
        made.append(create_user(tx, person, password_hash=None, at_ms=0))
        if balance_kopecks:
            give(tx, made[-1], balance_kopecks)
    return made


def give(tx: WriteTx, person: UserRow, amount_kopecks: int) -> None:
    source = house_account(tx)
    credit = Transfer(kind=TransferKind.CREDIT, source=source, target=person.account_id, amount_kopecks=amount_kopecks)
    post(tx, [credit], at_ms=0)


def hold(tx: WriteTx, person: UserRow, *, shares: int, at_ms: int) -> None:
    """Let a person hold shares at a probability of one half."""
    made = insert_pool(tx)
    row = {
        "user_id": person.id,
        "market_id": made.market_ids[0],
        "pool_id": made.pool_id,
        "event_id": made.event_id,
        "side": "YES",
        "shares": shares,
        "cost_kopecks": 1,
        "left_shares": 0,
        "left_cost_kopecks": 0,
        "pnl_kopecks": 0,
        "opened_at_ms": at_ms,
    }
    tx.execute(positions.insert().values(row))


@pytest.fixture
async def town(db: Database, clock: ShiftableClock) -> Town:
    """A town on a Monday, whose allowance was set that day."""
    clock.stop_at(MONDAY)
    made = Town(db, clock)
    await made.pay()
    return made


async def test_who_was_active_is_filled_up_once_a_period(town: Town) -> None:
    active = await town.people(4)
    idle, rich = (await town.people(1))[0], (await town.people(1, balance_kopecks=2_500))[0]
    await town.db.write(lambda tx: give(tx, active[1], 2_000))
    # Worth 1,800, and worth more than 2,500, by what they hold.
    await town.db.write(lambda tx: hold(tx, active[2], shares=3_600, at_ms=MONDAY))
    await town.db.write(lambda tx: hold(tx, active[3], shares=5_000, at_ms=MONDAY))
    await town.sign_in(*active, rich)
    await town.pay()
    assert await town.balances([*active, idle, rich]) == [0, 2_000, 0, 0, 0, 2_500]

    await town.at(MONDAY + 12 * HOUR_MS)
    assert await town.balances([*active, idle, rich]) == [1_000, 2_500, 700, 0, 0, 2_500]
    await town.at(MONDAY + 30 * HOUR_MS)
    assert (await town.balances(active))[0] == 1_000
    # No one was there on Tuesday.
    await town.at(MONDAY + 40 * HOUR_MS)
    assert (await town.balances(active))[0] == 1_000
    assert await town.db.read(lambda tx: [day.grants_kopecks for day in stats.daily_stats(tx) if day.day]) == [2_200]


async def test_past_periods_are_not_made_up(town: Town) -> None:
    ann, bob = await town.people(2)
    await town.sign_in(ann)
    town.clock.stop_at(MONDAY + 3 * DAY_MS)
    await town.sign_in(bob)
    await town.at(MONDAY + 4 * DAY_MS)
    assert await town.balances([ann, bob]) == [0, 1_000]


async def test_after_a_clock_that_ran_far_ahead_the_next_period_is_paid(town: Town) -> None:
    [ann] = await town.people(1)
    await town.pay()
    await town.at(MONDAY + 800 * DAY_MS)
    # Set right, it is not known whether the present period was paid, so it is not.
    await town.at(MONDAY)
    await town.sign_in(ann)
    await town.at(MONDAY + HOUR_MS)
    assert await town.balances([ann]) == [0]
    await town.at(MONDAY + DAY_MS)
    assert await town.balances([ann]) == [1_000]


async def test_a_clock_that_is_set_back_a_little_pays_no_period_twice(town: Town) -> None:
    [ann] = await town.people(1)
    await town.pay()
    await town.sign_in(ann)
    await town.at(MONDAY + 12 * HOUR_MS)
    assert await town.balances([ann]) == [1_000]
    # Back before midnight, and over it again.
    await town.at(MONDAY + 11 * HOUR_MS)
    await town.at(MONDAY + 12 * HOUR_MS)
    assert await town.balances([ann]) == [1_000]


async def test_every_kind_of_activity_counts(town: Town) -> None:
    people = await town.people(5)
    began, noted, traded, later, key = people
    at_ms = MONDAY + DAY_MS

    def work(tx: WriteTx) -> None:
        note_active(tx, noted.id, at_ms=at_ms)
        for trader, when_ms in ((traded, at_ms), (later, at_ms + DAY_MS), (key, at_ms), (key, at_ms + DAY_MS)):
            _trade(tx, trader, when_ms)

    town.clock.stop_at(at_ms)
    await town.sign_in(began)
    await town.db.write(work)
    # A refresh on the day of payment must not hide the activity of the day before.
    town.clock.stop_at(at_ms + DAY_MS)

    def return_again(tx: WriteTx) -> None:
        for one in (began, noted):
            note_active(tx, one.id, at_ms=at_ms + DAY_MS)

    await town.db.write(return_again)
    await town.pay()
    assert await town.balances(people) == [1_000, 1_000, 1_000, 0, 1_000]


def _trade(tx: WriteTx, trader: UserRow, at_ms: int) -> None:
    made = insert_pool(tx)
    hold(tx, trader, shares=1, at_ms=at_ms)
    row = {
        "event_id": made.event_id,
        "pool_id": made.pool_id,
        "market_id": made.market_ids[0],
        "user_id": trader.id,
        "position_id": tx.execute(sa.select(sa.func.max(positions.c.id))).scalar_one(),
        "action": "buy",
        "side": "YES",
        "amount_kopecks": 1,
        "fee_kopecks": 0,
        "shares": 1,
        "pnl_kopecks": 0,
        "probability_before": 0.5,
        "probability_after": 0.5,
        "created_at_ms": at_ms,
    }
    tx.execute(trades.insert().values(row))
    figures = TradeStats(user_id=trader.id, at_ms=at_ms, volume_kopecks=1, fee_kopecks=0, shares_change=1)
    stats.record_trades(tx, [figures])


async def test_accounts_that_are_not_active_or_not_verified_get_none(town: Town) -> None:
    gone, unverified, verified = people = await town.people(3)

    def work(tx: WriteTx) -> None:
        tx.execute(users.update().where(users.c.id == gone.id).values(is_active=False))
        tx.execute(users.update().where(users.c.id != unverified.id).values(email_verified=True))

    await town.sign_in(*people)
    await town.db.write(work)
    town.clock.stop_at(MONDAY + DAY_MS)
    await town.pay(verified_only=True)
    assert await town.balances([gone, unverified, verified]) == [0, 0, 1_000]


async def test_a_change_counts_from_the_next_period(town: Town) -> None:
    more, weekly = (
        DAILY.model_copy(update={"kopecks": 7, "up_to": 10**6}),
        AllowanceTerms(kopecks=5, every="week", up_to=10**6),
    )
    [ann] = await town.people(1)

    async def balance_after(day: int, terms: AllowanceTerms | None) -> int:
        await town.at(MONDAY + day * DAY_MS, terms)
        await town.sign_in(ann)
        return (await town.balances([ann]))[0]

    assert await balance_after(0, DAILY) == 0
    # Set while no process lived: the day that has begun is still one of the old terms.
    assert await balance_after(1, more) == 1_000
    assert await balance_after(2, more) == 1_007
    # Wednesday has its terms; the week that Thursday lies in began before, the next one pays.
    assert await balance_after(2, weekly) == 1_007
    assert await balance_after(3, weekly) == 1_007
    assert await balance_after(6, weekly) == 1_007
    assert await balance_after(7, weekly) == 1_012
    assert await balance_after(8, None) == 1_012
    assert await balance_after(14, None) == 1_012
    assert await balance_after(14, DAILY) == 1_012
    assert await balance_after(15, DAILY) == 2_012


async def test_two_processes_and_one_that_is_killed_pay_each_user_once(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PIECE", 3)
    people = await town.people(20)
    await town.sign_in(*people)
    town.clock.stop_at(MONDAY + DAY_MS)
    killed = town.process()
    assert await killed.pay()
    assert await killed.pay()
    assert sorted(await town.balances(people)) == [0] * 17 + [1_000] * 3
    tasks = [asyncio.create_task(town.pay()) for _ in range(3)]
    tasks[0].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert await town.balances(people) == [1_000] * 20


async def test_what_changed_since_the_look_is_valued_again(town: Town) -> None:
    [ann, bob] = await town.people(2)
    await town.sign_in(ann, bob)
    town.clock.stop_at(MONDAY + DAY_MS)
    assert await town.process().pay()

    def look(tx: ReadTx) -> GrantPiece:
        found = states.find(tx)
        assert found is not None
        return find_piece(tx, found, DAILY, size=10, verified_only=False)

    def change(tx: WriteTx) -> None:
        give(tx, ann, 2_200)
        tx.execute(users.update().where(users.c.id == bob.id).values(is_active=False))

    piece = await town.db.read(look)
    assert [payee.grant_kopecks for payee in piece.payees] == [1_000, 1_000]
    await town.db.write(change)
    assert await town.db.write(lambda tx: grant(tx, piece)) == 1
    # The same piece again: it is paid.
    assert await town.db.write(lambda tx: grant(tx, piece)) == 0
    assert await town.balances([ann, bob]) == [2_500, 0]


def test_periods_begin_at_midnight_on_monday_and_on_the_first() -> None:
    day = MONDAY // DAY_MS
    assert period_of("day", MONDAY) == PeriodBounds(day * DAY_MS, (day + 1) * DAY_MS)
    for at_ms in (day * DAY_MS, MONDAY, (day + 7) * DAY_MS - 1):
        assert period_of("week", at_ms) == PeriodBounds(day * DAY_MS, (day + 7) * DAY_MS)
    january = PeriodBounds((day - 2) * DAY_MS, (day + 29) * DAY_MS)
    assert [period_of("month", at_ms) for at_ms in (january.start_ms, january.end_ms - 1)] == [january] * 2
    assert period_of("month", january.start_ms - 1).end_ms == january.start_ms
