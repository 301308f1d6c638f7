"""An instance that cannot be opened waits while its pools end ahead, and creator and operators are notified once."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import MINUTE_MS, iso
from foreknow.kernel.terms import Terms
from foreknow.market.events import series_store
from foreknow.market.events.schemas import Event
from foreknow.market.series import opener, opening
from foreknow.platform.db.transactions import ReadTx
from tests.market.series.scene import ASSET, HOUR, START_MS, Scene, series_of
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.proofs import proves

#: Its outcomes depend on the price at publication.
RULE = {"kind": "price", "symbol": ASSET, "outcomes": [{"below": {"times": 1}}, {"from": {"times": 1}}]}
METADATA = {"market_names": ["a", "b"], "resolution": RULE}
#: The bound of the scene's pool: 10,000 · ln 2, in whole kopecks.
BOUND_KOPECKS = 6_932


class Obstacle:
    """Something that keeps instances from being opened, and its end."""

    def __init__(self, scene: Scene, reason: str) -> None:
        self.scene = scene
        self.reason = reason

    async def publish(self) -> Event:
        if self.reason != "price":
            return await self.scene.publish()
        await self.scene.observe(100.0)
        return await self.scene.publish(self.scene.pool() | {"metadata": METADATA})

    async def begin(self) -> None:
        if self.reason == "creator_role":
            await self.scene.let_create(is_creator=False)
        elif self.reason == "house_limit":
            # The first instance is not resolved, so its bound still counts.
            self.scene.opener = self.scene.another_opener(house_limit_kopecks=2 * BOUND_KOPECKS - 1)

    async def end(self) -> None:
        if self.reason == "creator_role":
            await self.scene.let_create(is_creator=True)
        elif self.reason == "house_limit":
            self.scene.opener = self.scene.another_opener(house_limit_kopecks=2 * BOUND_KOPECKS)
        else:
            await self.scene.observe(101.0)


@pytest.fixture(params=["creator_role", "house_limit", "price"])
def obstacle(scene: Scene, request: pytest.FixtureRequest) -> Obstacle:
    return Obstacle(scene, request.param)


async def entries(scene: Scene) -> list[tuple[Any, ...]]:
    return [(entry.kind, entry.series_id, entry.reason, entry.since_ms) for entry in await scene.attention()]


@proves(
    "lifecycle: `series_waiting`.",
    (
        "lifecycle: While its `finish_at` are ahead, opening waits for `creator_role` (its creator is no "
        "Creator), `house_limit` or `price` (no strike, below);"
    ),
)
@FIRST_ON_POSTGRES
async def test_an_instance_waits_and_opens_when_nothing_prevents_it_any_more(scene: Scene, obstacle: Obstacle) -> None:
    first = await obstacle.publish()
    series_id = series_of(first)
    await obstacle.begin()
    scene.clock.advance(HOUR)
    for _ in range(3):
        await scene.open_due()
        view = await scene.series(series_id)
        assert (view.status, view.waiting, view.next_index) == ("running", obstacle.reason, 1)
        assert await scene.indices(series_id) == [0]
        assert await entries(scene) == [("series", series_id, obstacle.reason, START_MS + HOUR)]
        assert len(await scene.notices("series_waiting")) == 1
        scene.clock.advance(MINUTE_MS)
    await obstacle.end()
    await scene.open_due()
    assert await scene.indices(series_id) == [0, 1]
    assert (await scene.series(series_id)).waiting is None
    assert await entries(scene) == []
    # Its creator has been notified: they did not open it themselves.
    assert len(await scene.notices("event_published")) == 1


@proves(
    "lifecycle: While its `finish_at` are ahead, opening waits for `creator_role` (its creator is no "
    "Creator), `house_limit` or `price` (no strike, below);"
)
@FIRST_ON_POSTGRES
async def test_an_instance_that_waited_past_its_end_is_skipped_and_the_next_one_is_tried(
    scene: Scene, obstacle: Obstacle
) -> None:
    first = await obstacle.publish()
    series_id = series_of(first)
    await obstacle.begin()
    for step in range(1, 4):
        scene.clock.advance(HOUR)
        await scene.open_due()
        await scene.open_due()
        view = await scene.series(series_id)
        assert (view.waiting, view.next_index) == (obstacle.reason, step)
        # Once an instance.
        assert len(await scene.notices("series_waiting")) == step
        assert await entries(scene) == [("series", series_id, obstacle.reason, START_MS + step * HOUR)]
    await obstacle.end()
    await scene.open_due()
    assert await scene.indices(series_id) == [0, 3]


@proves("lifecycle: told and alerted once an instance.")
@FIRST_ON_POSTGRES
async def test_creator_and_operators_are_notified_once_an_instance(scene: Scene, obstacle: Obstacle) -> None:
    await obstacle.publish()
    await obstacle.begin()
    for step in range(1, 4):
        scene.clock.advance(HOUR)
        alerts = []
        for _ in range(3):
            await scene.open_due()
            alerts += [(entry.kind, entry.reason) for entry in await scene.take_unalerted()]
            scene.clock.advance(MINUTE_MS)
        assert alerts == [("series", obstacle.reason)]
        assert len(await scene.notices("series_waiting")) == step
        scene.clock.advance(-3 * MINUTE_MS)


async def test_waiting_for_one_thing_after_another_is_one_notification(scene: Scene) -> None:
    first = await scene.publish()
    series_id = series_of(first)
    await scene.let_create(is_creator=False)
    scene.clock.advance(HOUR)
    await scene.open_due()
    scene.opener = scene.another_opener(house_limit_kopecks=1)
    await scene.open_due()
    assert (await scene.series(series_id)).waiting == "creator_role"
    await scene.let_create(is_creator=True)
    await scene.open_due()
    assert (await scene.series(series_id)).waiting == "house_limit"
    assert len(await scene.notices("series_waiting")) == 1
    assert await entries(scene) == [("series", series_id, "house_limit", START_MS + HOUR)]


@FIRST_ON_POSTGRES
async def test_a_stopped_series_waits_for_nothing(scene: Scene, obstacle: Obstacle) -> None:
    first = await obstacle.publish()
    series_id = series_of(first)
    await obstacle.begin()
    scene.clock.advance(HOUR)
    await scene.open_due()
    if obstacle.reason == "creator_role":
        # Only an admin may stop what its creator may not run.
        scene.creator = scene.admin
    await scene.stop(series_id)
    assert (await scene.series(series_id)).waiting is None
    assert await entries(scene) == []
    await scene.open_due()
    assert await entries(scene) == []
    await scene.resume(series_id)
    await scene.open_due()
    assert (await scene.series(series_id)).waiting == obstacle.reason
    assert len(await entries(scene)) == 1


async def test_series_that_wait_delay_no_other(scene: Scene) -> None:
    await scene.observe(100.0)
    pool = scene.pool() | {"metadata": METADATA}
    waiting = [await scene.publish(pool) for _ in range(3)]
    sound = await scene.publish()
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_of(sound)) == [0, 1]
    assert [await scene.indices(series_of(event)) for event in waiting] == [[0]] * 3


async def test_a_series_that_falls_due_meanwhile_comes_before_those_that_wait(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.observe(100.0)
    for _ in range(2):
        await scene.publish(scene.pool() | {"metadata": METADATA})
    sound_id = series_of(await scene.publish(scene.pool(finish_in_ms=HOUR + MINUTE_MS)))
    scene.clock.advance(HOUR)
    await scene.open_due()
    still_waits, newest = opening.still_waits, []

    def look(tx: ReadTx, series_id: int, terms: Terms) -> bool:
        row = series_store.load_series(tx, sound_id)
        assert row is not None
        newest.append(row.newest_index)
        scene.clock.now_ms = START_MS + HOUR + MINUTE_MS
        return still_waits(tx, series_id, terms)

    monkeypatch.setattr(opening, "still_waits", look)
    monkeypatch.setattr(opener, "PAGE", 1)
    await scene.opener.open_due()
    assert newest == [0, 1]


async def test_each_instance_takes_a_strike_of_its_own(scene: Scene) -> None:
    await scene.observe(100.0)
    metadata = {"market_names": ["Below {high}", "{low} or above"], "resolution": RULE}
    first = await scene.publish(scene.pool() | {"metadata": metadata}, name="BTC at {finish_at}: over {price}?")
    scene.clock.advance(HOUR)
    await scene.observe(104.5)
    await scene.open_due()
    before, after = await scene.instances(series_of(first))
    assert before.name == "BTC at 1 October 2027, 13:00: over 100.00?"
    assert after.name == "BTC at 1 October 2027, 14:00: over 104.50?"
    assert [market.name for market in after.pools[0].markets] == ["Below 104.50", "104.50 or above"]
    assert after.pools[0].finish_at == iso(START_MS + 2 * HOUR)


async def test_a_price_of_over_two_minutes_ago_is_none(scene: Scene) -> None:
    await scene.observe(100.0)
    pool = scene.pool() | {"metadata": METADATA}
    event = await scene.publish(pool)
    scene.clock.advance(HOUR - 120_001)
    await scene.observe(100.0)
    scene.clock.advance(120_001)
    await scene.open_due()
    assert (await scene.series(series_of(event))).waiting == "price"


async def test_the_notification_says_what_to_do(scene: Scene) -> None:
    await scene.publish()
    await scene.let_create(is_creator=False)
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.notices("series_waiting") == ["The next instance of “Round 1” cannot open: you are no Creator."]
