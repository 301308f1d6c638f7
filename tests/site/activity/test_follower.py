"""Whatever happens, what is counted of trades is what a recount finds."""

from __future__ import annotations

import pytest

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.platform.db.engine import Database
from tests.site.activity.life import Life
from tests.support.clock import ShiftableClock
from tests.support.lengths import LONG, length
from tests.support.proofs import proves


@proves(
    "client: what a page counts (volumes, traders, sums by period, tags) is written with what it counts: with the "
    "trade, or, where that would cost a bet more than a few per cent, by a follower of the trades that is never more "
    "than 2 s behind and never wrong for good.",
)
@LONG
@pytest.mark.parametrize(
    ("database_kind", "seed"),
    [
        *(("sqlite", seed) for seed in range(length(short=2, long=4))),
        *(pytest.param("postgres", seed, marks=pytest.mark.postgres) for seed in length(short=(5,), long=(4, 5, 6, 7))),
    ],
    indirect=["database_kind"],
)
async def test_after_random_lives_and_kills_everything_is_counted_once(
    db: Database, clock: ShiftableClock, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:
        # Pieces that grow and shrink.
        monkeypatch.setattr("foreknow.platform.jobs.follower.PIECE_MIN", 2)
        monkeypatch.setattr("foreknow.platform.jobs.follower.PIECE_MAX", 16)
        monkeypatch.setattr("foreknow.platform.jobs.follower.PIECE_ROWS", 6)
    life = Life(db, clock, seed)
    await life.begin()
    await life.live(length(short=60, long=150))
    await life.catch_up()
    counted = await life.counted()
    recounted = await life.recounted()
    for name, rows in recounted.items():
        assert counted[name] == rows, name
    assert counted.keys() == recounted.keys()

    # So does the migration that first counted some of it, in the middle of a life.
    await life.forget_own_record()
    assert await life.counted() == recounted

    # A follower that starts from nothing makes the same rows of what there is.
    await life.forget()
    await life.catch_up()
    assert await life.counted() == recounted


async def test_what_is_paid_after_a_wrong_clock_was_set_back_is_counted(db: Database, clock: ShiftableClock) -> None:
    life = Life(db, clock, 3)
    await life.begin()
    right_ms = life.now_ms
    # Nothing waits: all that is resolved is counted up to a moment of next week.
    clock.stop_at(right_ms + 7 * DAY_MS)
    await life.catch_up()
    clock.stop_at(right_ms)
    await life.catch_up()
    await life.make_event()
    for _ in range(20):
        await life.trade()
    await life.end()
    # However late it is counted.
    clock.stop_at(right_ms + HOUR_MS)
    await life.catch_up()
    assert await life.counted() == await life.recounted()
