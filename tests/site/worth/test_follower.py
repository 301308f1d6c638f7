"""Whatever happens, what is kept of a day is what people were worth when it ended."""

from __future__ import annotations

import pytest

from foreknow.commands.audit import audit
from foreknow.kernel.clock import DAY_MS
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.worth import WorthFollower
from foreknow.site.worth.past_people import read_piece
from foreknow.site.worth.store import KeptDay, PersonDay, add, kept_days, last_kept
from foreknow.site.worth.tables import worth_cursor, worth_days
from tests.site.worth.life import WorthLife
from tests.support.clock import ShiftableClock
from tests.support.lengths import LONG, length


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foreknow.site.worth.follower.REST_SHARE", 0)


@LONG
@pytest.mark.parametrize(
    ("database_kind", "seed"),
    [
        *(("sqlite", seed) for seed in range(length(short=3, long=12))),
        *(pytest.param("postgres", seed, marks=pytest.mark.postgres) for seed in length(short=(5,), long=(4, 5, 6, 7))),
    ],
    indirect=["database_kind"],
)
async def test_after_random_lives_and_kills_each_day_is_kept_as_it_was(
    db: Database, clock: ShiftableClock, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:
        # Small pieces.
        monkeypatch.setattr("foreknow.site.worth.past_people.PIECE_PEOPLE", 2)
        monkeypatch.setattr("foreknow.site.worth.past_people.PAGE_TRADES", 3)
        monkeypatch.setattr("foreknow.site.worth.follower.PIECE_ROWS", 2)
        monkeypatch.setattr("foreknow.site.worth.past_pools.CACHE_BYTES_MAX", 20_000)
    life = WorthLife(db, clock, seed)
    await life.begin()
    await life.live(length(short=150, long=400))
    await life.pass_time()
    await life.catch_up()
    assert life.expected
    assert await life.kept() == life.expected
    assert [finding for finding in await db.read(audit) if finding.check == "added money"] == []

    # A follower that starts from nothing, as after an upgrade, makes the same of what there is.
    def forget(tx: WriteTx) -> None:
        tx.execute(worth_days.delete())
        tx.execute(worth_cursor.delete())

    await db.write(forget)
    life.followers = [WorthFollower(db), WorthFollower(db)]
    assert await life.kept() == {}
    await life.catch_up()
    assert await life.kept() == life.expected


async def test_days_of_a_wrong_clock_are_kept_again_when_they_have_come(db: Database, clock: ShiftableClock) -> None:
    life = WorthLife(db, clock, 3)
    await life.begin()
    for _ in range(10):
        await life.trade()
    right_ms = life.now_ms
    clock.stop_at(right_ms + 5 * DAY_MS)
    follow = life.followers[0].follow
    while await follow():
        pass
    clock.stop_at(right_ms)
    while await follow():
        pass
    assert await life.kept() == {}
    for _ in range(4):
        for _ in range(5):
            await life.trade()
        await life.pass_time()
    await life.catch_up()
    assert any(life.expected.values())
    assert await life.kept() == life.expected


async def test_nothing_is_kept_of_who_deletes_their_account_meanwhile(db: Database, clock: ShiftableClock) -> None:
    life = WorthLife(db, clock, 3)
    await life.begin()
    gone, staying = life.people[0].user_id, life.people[1].user_id
    clock.stop_at(life.now_ms + DAY_MS)
    piece = await db.read(lambda tx: read_piece(tx, after_id=0, from_day=0))
    assert piece is not None
    assert {gone, staying} <= piece.people.keys()

    def delete(tx: WriteTx) -> None:
        tx.execute(users.update().where(users.c.id == gone).values(deleted_at_ms=life.now_ms))

    await db.write(delete)
    rows = [PersonDay(user_id, 20_000, 1, 1) for user_id in (gone, staying)]
    await db.write(lambda tx: add(tx, rows))
    assert await db.read(lambda tx: last_kept(tx, [gone, staying], through_day=30_000)) == {
        staying: KeptDay(20_000, 1, 1)
    }

    # A process of the release before has deleted an account, and erased no days.
    await db.write(lambda tx: tx.execute(worth_days.insert().values(rows[0]._asdict())))
    while await life.followers[0].follow():
        pass
    assert await db.read(lambda tx: kept_days(tx, gone, from_day=0, through_day=30_000)) == []
    assert await db.read(lambda tx: kept_days(tx, staying, from_day=0, through_day=30_000))
