"""The next instance of a series opens once the newest one is over."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from foreknow.kernel.clock import MINUTE_MS, iso
from foreknow.kernel.terms import Terms
from foreknow.market.events.schemas import Event
from foreknow.market.events.tables import events, series
from foreknow.market.series.opener import BACK_OFF
from foreknow.market.series.opening import open_next
from foreknow.money.ledger import AccountKind
from foreknow.money.pricing import Side
from foreknow.platform.db.transactions import WriteTx
from tests.market.series.scene import DAY, HOUR, START_MS, Scene, series_of
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.proofs import proves
from tests.trading.settlement import world

TERMS = Terms()


def times(event: Event) -> list[tuple[str | None, str | None]]:
    return [(pool.live_at, pool.finish_at) for pool in event.pools]


@proves(
    "lifecycle: Taken over: creator, names, tags, versus fields, `has_draw`, image, `external_event_url`, "
    "`main_pool_index`; of each pool names, rules, margin and `metadata` as sent, so b and priors as at "
    "first."
)
async def test_an_instance_takes_place_an_interval_later_and_takes_over_all_else(scene: Scene) -> None:
    metadata = {
        "market_names": ["Up {number}", "Down"],
        "market_probabilities": [0.3, 0.7],
        "lmsr_b_kopecks": 5_000,
        "mine": {"x": [None]},
    }
    first = await scene.publish(
        scene.pool(live_in_ms=-HOUR, name="Pool {number}", name_ru="Пул {number}", rules="Rules {number}", margin=0.02)
        | {"metadata": metadata},
        scene.pool(finish_in_ms=HOUR // 2),
        name_ru="Раунд {number}",
        tags=["hourly", "{number}"],
        versus_names=["A {number}", "B"],
        versus_images=["https://example.org/a.png", ""],
        has_draw=True,
        image_url="https://example.org/cover.png",
        external_event_url="https://example.org/elsewhere",
        main_pool_index=1,
    )

    def bet(tx: WriteTx) -> None:
        trader = world.person(tx, balance_kopecks=10_000)
        world.bet(tx, trader, first.pools[0].markets[0].id, Side.YES, stake_kopecks=5_000)

    await scene.db.write(bet)
    scene.clock.advance(HOUR)
    await scene.open_due()
    before, after = await scene.instances(series_of(first))
    assert (before.name, after.name) == ("Round 1", "Round 2")
    assert (after.name_ru, after.versus_names) == ("Раунд 2", ["A 2", "B"])
    for field in (
        *("tags", "versus_images", "has_draw", "image_url", "external_event_url", "main_pool_index"),
        "loop_interval_minutes",
    ):
        assert getattr(after, field) == getattr(before, field), field
    assert times(after) == [
        (iso(START_MS), iso(START_MS + 2 * HOUR)),
        (None, iso(START_MS + HOUR // 2 + HOUR)),
    ]
    pool = after.pools[0]
    assert (pool.name, pool.name_ru, pool.rules, pool.margin) == ("Pool 2", "Пул 2", "Rules 2", 0.02)
    assert pool.metadata == metadata
    assert [(market.name, market.yes_probability, market.b, market.q_yes) for market in pool.markets] == [
        ("Up 2", 0.3, 5_000, 0),
        ("Down", 0.7, 5_000, 0),
    ]
    assert (after.status, after.created_at) == ("active", iso(START_MS + HOUR))
    assert (await scene.notices("event_published"))[-1] == "Your event “Round 2” was published."


@proves("lifecycle: The house pays each instance's bound.")
async def test_the_house_pays_the_bound_of_each_instance_as_it_opens(scene: Scene) -> None:
    first = await scene.publish()
    paid = []
    for _ in range(3):
        before = await scene.db.read(world.house)
        scene.clock.advance(HOUR)
        await scene.open_due()
        newest = (await scene.instances(series_of(first)))[-1].pools[0].id
        escrow = await scene.db.read(partial(world.of_pool, kind=AccountKind.ESCROW, pool_id=newest))
        paid.append((before - await scene.db.read(world.house), escrow))
    # 10,000 · ln 2, in whole kopecks.
    assert paid == [(6_932, 6_932)] * 3


async def test_instances_know_their_neighbours(scene: Scene) -> None:
    first = await scene.publish()
    series_id = series_of(first)
    scene.clock.advance(HOUR)
    await scene.open_due()
    # Three instances are never made.
    scene.clock.advance(4 * HOUR)
    await scene.open_due()
    made = await scene.instances(series_id)
    ids = [event.id for event in made]
    assert await scene.indices(series_id) == [0, 1, 5]
    shown = [(event.series.previous_event_id, event.series.next_event_id) for event in made if event.series]
    assert shown == [(None, ids[1]), (ids[0], ids[2]), (ids[1], None)]
    view = await scene.series(series_id)
    assert (view.first_event_id, view.current_event_id, view.next_index) == (ids[0], ids[2], 6)
    assert view.next_opens_at == iso(START_MS + 6 * HOUR)


@proves(
    "lifecycle: The newest instance is over once each pool with a `finish_at` is past it and each other pool "
    "has its verdict;"
)
async def test_nothing_opens_a_millisecond_before_the_newest_instance_is_over(scene: Scene) -> None:
    first = await scene.publish(scene.pool(), scene.pool(finish_in_ms=HOUR // 2))
    scene.clock.advance(HOUR - 1)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0]
    scene.clock.advance(1)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0, 1]


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("end", ["result", "cancellation"])
@proves(
    "lifecycle: an early verdict or a cancellation opens nothing sooner.",
)
async def test_an_early_result_or_a_cancellation_opens_nothing_sooner(scene: Scene, end: str) -> None:
    first = await scene.publish()
    if end == "result":
        await scene.resolve(first.pools[0].id)
    else:
        await scene.cancel(first.id)
    scene.clock.advance(HOUR - 1)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0]
    scene.clock.advance(1)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0, 1]


@proves(
    "lifecycle: The newest instance is over once each pool with a `finish_at` is past it and each other pool "
    "has its verdict;"
)
async def test_a_pool_without_an_end_is_over_with_its_result(scene: Scene) -> None:
    first = await scene.publish(scene.pool(finish_in_ms=None), scene.pool())
    series_id = series_of(first)
    assert (await scene.series(series_id)).next_opens_at is None
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_id) == [0]
    await scene.resolve(first.pools[0].id)
    assert (await scene.series(series_id)).next_opens_at == iso(START_MS + HOUR)
    await scene.open_due()
    assert await scene.indices(series_id) == [0, 1]
    # Its own open-ended pool has no result yet.
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_id) == [0, 1]


async def test_instances_without_any_end_follow_each_result(scene: Scene) -> None:
    first = await scene.publish(scene.pool(finish_in_ms=None))
    for index in range(3):
        newest = (await scene.instances(series_of(first)))[-1]
        await scene.open_due()
        assert await scene.indices(series_of(first)) == list(range(index + 1))
        await scene.resolve(newest.pools[0].id)
        await scene.open_due()
        assert await scene.indices(series_of(first)) == list(range(index + 2))


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("minutes", "pause_ms"),
    [(60, 10 * HOUR), (15, 366 * DAY), (24 * 60, 180 * DAY), (7, 3 * DAY + 1)],
    ids=["ten intervals", "a year with 29 February", "a change of summer time", "no whole number of intervals"],
)
@proves(
    (
        "lifecycle: Instance j has the times of instance 0 plus exactly j intervals of UTC minutes, whatever "
        "daylight saving does."
    ),
    "lifecycle: the lowest above the newest whose `finish_at` are all still ahead.",
    "lifecycle: Skipped ones never come to be;",
)
async def test_after_a_stop_the_first_instance_that_still_ends_ahead_opens(
    scene: Scene, minutes: int, pause_ms: int
) -> None:
    interval_ms = minutes * MINUTE_MS
    first = await scene.publish(scene.pool(finish_in_ms=interval_ms), minutes=minutes)
    scene.clock.advance(interval_ms + pause_ms)
    await scene.open_due()
    _, after = await scene.instances(series_of(first))
    index = pause_ms // interval_ms + 1
    assert await scene.indices(series_of(first)) == [0, index]
    # Whole intervals later, in UTC.
    assert times(after) == [(None, iso(START_MS + (index + 1) * interval_ms))]
    assert scene.clock() < START_MS + (index + 1) * interval_ms <= scene.clock() + interval_ms
    assert after.name == f"Round {index + 1}"


@proves(
    "lifecycle: the lowest above the newest whose `finish_at` are all still ahead.",
)
async def test_the_last_pool_of_an_instance_must_end_ahead_too(scene: Scene) -> None:
    """Pools end at different times: an instance one of whose pools is past is skipped."""
    first = await scene.publish(scene.pool(finish_in_ms=10 * HOUR), scene.pool(finish_in_ms=HOUR))
    scene.clock.advance(10 * HOUR)
    await scene.open_due()
    _, after = await scene.instances(series_of(first))
    assert after.series is not None
    # Instance 9 of the second pool ends just now, excluded.
    assert after.series.index == 10
    assert [pool.finish_at for pool in after.pools] == [iso(START_MS + 20 * HOUR), iso(START_MS + 11 * HOUR)]


async def test_a_clock_set_back_opens_nothing_twice(scene: Scene) -> None:
    first = await scene.publish(minutes=30)
    scene.clock.advance(HOUR)
    await scene.open_due()
    scene.clock.advance(-HOUR)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0, 1]
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0, 1]
    scene.clock.advance(HOUR // 2)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0, 1, 2]


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("minutes", [60, 2**62])
@proves(
    "lifecycle: It has `ended` where the next would pass the year 9999.",
)
async def test_a_series_has_ended_where_the_next_instance_would_pass_the_year_9999(scene: Scene, minutes: int) -> None:
    scene.clock.now_ms = 253_402_300_799_999 - HOUR
    last = [{"name": "Last", "finish_at": "9999-12-31T23:59:59.999Z"}]
    first = await scene.publish(*last, minutes=minutes)
    view = await scene.series(series_of(first))
    assert (view.status, view.next_opens_at) == ("ended", None)
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0]


@proves(
    "lifecycle: It has `ended` where the next would pass the year 9999.",
)
async def test_a_series_ends_with_the_last_instance_that_has_a_date(scene: Scene) -> None:
    scene.clock.now_ms = 253_402_300_799_999 - 2 * HOUR
    pool = {"name": "Last", "finish_at": iso(scene.clock() + HOUR)}
    first = await scene.publish(pool)
    assert (await scene.series(series_of(first))).status == "running"
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert (await scene.series(series_of(first))).status == "ended"
    assert await scene.indices(series_of(first)) == [0, 1]


async def test_a_series_that_slept_past_the_year_9999_ends(scene: Scene) -> None:
    scene.clock.now_ms = 253_402_300_799_999 - 2 * HOUR
    pool = {"name": "Last", "finish_at": iso(scene.clock() + HOUR)}
    first = await scene.publish(pool)
    scene.clock.advance(5 * HOUR)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0]
    row = sa.select(series.c.status, series.c.due_at_ms)
    assert tuple(await scene.db.read(lambda tx: tx.execute(row).one())) == ("ended", None)


async def test_an_end_that_is_moved_moves_the_opening(scene: Scene) -> None:
    first = await scene.publish()
    series_id, pool_id = series_of(first), first.pools[0].id
    await scene.move_end(pool_id, START_MS + 2 * HOUR)
    assert (await scene.series(series_id)).next_opens_at == iso(START_MS + 2 * HOUR)
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_id) == [0]
    await scene.move_end(pool_id, START_MS + HOUR + 1)
    scene.clock.advance(1)
    await scene.open_due()
    # It keeps the times of its own; only when it opens has changed.
    assert times((await scene.instances(series_id))[1]) == [(None, iso(START_MS + 2 * HOUR))]


async def test_the_end_of_an_older_instance_moves_nothing(scene: Scene) -> None:
    first = await scene.publish(scene.pool(finish_in_ms=None), scene.pool())
    series_id = series_of(first)
    await scene.resolve(first.pools[0].id)
    # The second pool of instance 0 goes on, though the clock of another server opened the next one: it went back.
    scene.clock.advance(HOUR)
    await scene.open_due()
    scene.clock.advance(-HOUR)
    opens_at = (await scene.series(series_id)).next_opens_at
    await scene.move_end(first.pools[1].id, START_MS + 9 * HOUR)
    assert (await scene.series(series_id)).next_opens_at == opens_at


async def test_many_processes_open_an_instance_once(scene: Scene) -> None:
    first = await scene.publish()
    for step in range(1, 4):
        scene.clock.advance(HOUR)
        ended = await scene.together(*(scene.another_opener().open_due() for _ in range(8)))
        assert sorted(ended, key=str) == [False] * 7 + [True]
        assert await scene.indices(series_of(first)) == list(range(step + 1))
    await scene.open_due()


@proves(
    "lifecycle: (series, index) is unique by the database's own rule.",
)
async def test_the_database_refuses_an_index_twice(scene: Scene) -> None:
    first = await scene.publish()
    other = await scene.publish()
    twin = events.update().where(events.c.id == other.id).values(series_id=series_of(first))
    with pytest.raises(IntegrityError, match=r"uq_events_series|events\.series_index"):
        await scene.db.write(lambda tx: tx.execute(twin))


class Killed(Exception):
    """Ends a transaction before its commit, as the death of its process does."""


@proves(
    "lifecycle: Then one transaction makes and publishes instance j:",
)
async def test_a_process_that_dies_before_the_commit_leaves_the_opening_to_another(scene: Scene) -> None:
    first = await scene.publish()
    scene.clock.advance(HOUR)

    def die(tx: WriteTx) -> None:
        assert open_next(tx, series_of(first), TERMS)
        raise Killed

    with pytest.raises(Killed):
        await scene.db.write(die)
    assert await scene.indices(series_of(first)) == [0]
    await scene.open_due(scene.another_opener())
    assert await scene.indices(series_of(first)) == [0, 1]


@proves(
    "lifecycle: Then one transaction makes and publishes instance j:",
)
async def test_a_process_that_dies_after_the_commit_leaves_nothing_to_do(scene: Scene) -> None:
    first = await scene.publish()
    scene.clock.advance(HOUR)
    assert await scene.db.write(lambda tx: open_next(tx, series_of(first), TERMS))
    assert not await scene.another_opener().open_due()
    assert await scene.indices(series_of(first)) == [0, 1]


async def test_a_series_that_cannot_go_on_keeps_no_other_from_it(scene: Scene) -> None:
    broken, sound = await scene.publish(), await scene.publish()
    query = sa.select(series.c.draft).where(series.c.id == series_of(broken))
    plan: dict[str, Any] = await scene.db.read(lambda tx: tx.execute(query).scalar_one())
    spoilt = series.update().where(series.c.id == series_of(broken)).values(draft=plan | {"name": "{"})
    await scene.db.write(lambda tx: tx.execute(spoilt))
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_of(broken)) == [0]
    assert await scene.indices(series_of(sound)) == [0, 1]
    repaired = series.update().where(series.c.id == series_of(broken)).values(draft=plan)
    await scene.db.write(lambda tx: tx.execute(repaired))
    scene.clock.advance(BACK_OFF.first_ms)
    await scene.open_due()
    assert await scene.indices(series_of(broken)) == [0, 1]


async def test_a_series_whose_statements_fail_keeps_no_other_from_going_on(scene: Scene) -> None:
    broken, sound = await scene.publish(), await scene.publish()
    taken = {"series_id": series_of(broken), "series_index": 1}
    other_id = await scene.create()
    await scene.db.write(lambda tx: tx.execute(events.update().where(events.c.id == other_id).values(**taken)))
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_of(sound)) == [0, 1]
    assert (await scene.series(series_of(broken))).current_event_id == broken.id
