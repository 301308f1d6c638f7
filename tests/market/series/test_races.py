"""An instance is opened once and completely, whatever happens to its series at the same moment."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest

from foreknow.kernel.errors import InvalidState
from foreknow.market.series import SeriesOpener
from foreknow.market.series.opener import BACK_OFF
from tests.market.series.scene import HOUR, START_MS, Scene, series_of
from tests.support.lengths import LONG, length
from tests.support.postgres import one_waits

#: Where among the openers something else comes.
TIMES = length(short=(0, 2, 4), long=range(6))


async def others(scene: Scene, count: int = 4) -> list[SeriesOpener]:
    return [scene.another_opener() for _ in range(count)]


@LONG
@pytest.mark.parametrize("attempt", TIMES)
async def test_a_stop_comes_before_the_opening_or_after_it(scene: Scene, attempt: int) -> None:
    first = await scene.publish()
    series_id = series_of(first)
    scene.clock.advance(HOUR)
    openings: list[Any] = [opener.open_due() for opener in await others(scene)]
    openings.insert(attempt % 5, scene.stop(series_id))
    await scene.together(*openings)
    view = await scene.series(series_id)
    indices = await scene.indices(series_id)
    assert indices in ([0], [0, 1])
    assert (view.status, view.current_event_id) == ("stopped", (await scene.instances(series_id))[-1].id)
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_id) == indices


@LONG
@pytest.mark.parametrize("attempt", TIMES)
async def test_an_edit_changes_an_instance_wholly_or_the_next_one(scene: Scene, attempt: int) -> None:
    first = await scene.publish()
    series_id = series_of(first)
    scene.clock.advance(HOUR)
    change = {"name": "Changed {number}", "tags": ["changed"], "loop_interval_minutes": 120}
    works: list[Any] = [opener.open_due() for opener in await others(scene)]
    works.insert(attempt % 5, scene.edit(series_id, **change))
    assert None in await scene.together(*works)
    await scene.open_due()
    _, opened = await scene.instances(series_id)
    assert (opened.name, opened.tags, opened.loop_interval_minutes) in (
        ("Round 2", [], 60),
        ("Changed 2", ["changed"], 120),
    )
    scene.clock.advance(2 * HOUR)
    await scene.open_due()
    assert (await scene.instances(series_id))[-1].tags == ["changed"]


@LONG
@pytest.mark.parametrize("attempt", TIMES)
async def test_a_role_that_is_taken_lets_the_instance_open_before_or_wait(scene: Scene, attempt: int) -> None:
    first = await scene.publish()
    series_id = series_of(first)
    scene.clock.advance(HOUR)
    works: list[Any] = [opener.open_due() for opener in await others(scene)]
    works.insert(attempt % 5, scene.let_create(is_creator=False))
    await scene.together(*works)
    await scene.open_due()
    waiting = (await scene.series(series_id)).waiting
    assert (await scene.indices(series_id), waiting) in (([0, 1], None), ([0], "creator_role"))
    assert len(await scene.notices("series_waiting")) == (waiting is not None)
    assert len(await scene.attention()) == (waiting is not None)


async def test_two_series_of_one_creator_do_not_pass_the_house_limit_together(scene: Scene) -> None:
    made = [await scene.publish() for _ in range(4)]
    for event in made:
        await scene.resolve(event.pools[0].id)
    scene.clock.advance(HOUR)
    openers = [scene.another_opener(house_limit_kopecks=2 * 6_932) for _ in range(4)]
    await scene.together(*(opener.open_due() for opener in openers))
    opened = [await scene.indices(series_of(event)) for event in made]
    assert sorted(opened) == [[0], [0], [0, 1], [0, 1]]
    views = [await scene.series(series_of(event)) for event in made]
    assert sorted(view.waiting or "" for view in views) == ["", "", "house_limit", "house_limit"]
    assert len(await scene.notices("series_waiting")) == 2


@LONG
@pytest.mark.parametrize("attempt", TIMES)
async def test_the_end_of_the_newest_instance_moves_or_it_is_over(scene: Scene, attempt: int) -> None:
    """Never both: an instance that goes on beside one that was opened because it was over."""
    first = await scene.publish()
    series_id, pool_id = series_of(first), first.pools[0].id
    scene.clock.advance(HOUR - 1)

    async def pass_the_end() -> None:
        scene.clock.advance(1)

    works: list[Any] = [opener.open_due() for opener in await others(scene, 3)]
    works.insert(attempt % 3, scene.move_end(pool_id, START_MS + 2 * HOUR))
    works.insert(attempt % 4, pass_the_end())
    ended = await scene.together(*works)
    has_moved = not any(isinstance(one, InvalidState) for one in ended)
    await scene.open_due()
    assert await scene.indices(series_id) == ([0] if has_moved else [0, 1])


async def test_an_edit_under_way_keeps_its_instance_from_being_over(scene: Scene) -> None:
    if scene.db.is_sqlite:
        pytest.skip("has one writer: no edit is under way beside an opening")
    first = await scene.publish()
    pool_id = first.pools[0].id
    holder, watcher = await asyncpg.connect(scene.db.url), await asyncpg.connect(scene.db.url)
    try:
        # The edit writes this row after it has read the time, and waits.
        await holder.execute(f"BEGIN; SELECT 1 FROM pool_deadlines WHERE pool_id = {pool_id} FOR UPDATE")
        scene.clock.advance(HOUR - 1)
        editing = asyncio.create_task(scene.move_end(pool_id, START_MS + 2 * HOUR))
        await one_waits(watcher)
        # Now the instance would be over, were it not for the edit.
        scene.clock.advance(1)
        assert not await scene.opener.open_due()
        await holder.execute("COMMIT")
        await editing
    finally:
        await holder.close()
        await watcher.close()
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a lock for a moment only."""
    monkeypatch.setattr("foreknow.platform.db.postgres.database.LOCK_S", 0.5)


@pytest.mark.usefixtures("impatient")
async def test_a_series_that_waits_for_a_lock_keeps_no_other_from_going_on(scene: Scene) -> None:
    if scene.db.is_sqlite:
        pytest.skip("has one lock, for which all wait")
    stuck, other = await scene.publish(), await scene.publish()
    scene.clock.advance(HOUR)
    holder = await asyncpg.connect(scene.db.url)
    try:
        # The opening marks this instance as no longer the newest.
        await holder.execute(f"BEGIN; SELECT 1 FROM events WHERE id = {stuck.id} FOR UPDATE")
        assert await scene.opener.open_due()
        assert await scene.indices(series_of(stuck)) == [0]
        assert await scene.indices(series_of(other)) == [0, 1]
    finally:
        await holder.close()
    scene.clock.advance(BACK_OFF.first_ms)
    await scene.open_due()
    assert await scene.indices(series_of(stuck)) == [0, 1]


async def test_an_opening_under_load_of_edits_and_openers_ends(scene: Scene) -> None:
    """Locks are taken in one order: nothing is given up as a deadlock."""
    first = await scene.publish()
    series_id = series_of(first)
    for step in range(1, 6):
        newest = (await scene.instances(series_id))[-1]
        pool_id = newest.pools[0].id
        end_ms = START_MS + step * HOUR
        edits = [scene.move_end(pool_id, end_ms) for _ in range(4)]
        changes = [scene.edit(series_id, tags=[str(number)]) for number in range(4)]
        openings = [opener.open_due() for opener in await others(scene)]
        ended = await asyncio.gather(*edits, *changes, *openings)
        assert not any(ended)
        scene.clock.now_ms = end_ms
        await scene.together(*(opener.open_due() for opener in await others(scene)))
        assert await scene.indices(series_id) == list(range(step + 1))
