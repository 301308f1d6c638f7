"""Stopping, resuming and changing a series: what later instances are made of."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BadRequest, Forbidden, InvalidState
from foreknow.market.events.schemas import Event
from tests.market.series.scene import HOUR, START_MS, Scene, series_of
from tests.support.proofs import proves
from tests.trading.settlement import world


def ends(event: Event) -> list[str | None]:
    return [pool.finish_at for pool in event.pools]


@proves(
    "lifecycle: twice is 200; the newest instance goes on",
)
async def test_a_stopped_series_opens_nothing_and_its_newest_instance_goes_on(scene: Scene) -> None:
    first = await scene.publish()
    series_id = series_of(first)
    for _ in range(2):
        await scene.stop(series_id)
        view = await scene.series(series_id)
        assert (view.status, view.next_opens_at) == ("stopped", None)
    assert (await scene.instances(series_id))[0].status == "active"
    scene.clock.advance(3 * HOUR)
    await scene.open_due()
    assert await scene.indices(series_id) == [0]
    for _ in range(2):
        await scene.resume(series_id)
        view = await scene.series(series_id)
        assert (view.status, view.next_index) == ("running", 3)
    await scene.open_due()
    assert await scene.indices(series_id) == [0, 3]


async def test_a_series_that_is_resumed_before_its_newest_instance_is_over_loses_nothing(scene: Scene) -> None:
    first = await scene.publish()
    await scene.stop(series_of(first))
    await scene.resume(series_of(first))
    assert (await scene.series(series_of(first))).next_opens_at == iso(START_MS + HOUR)
    scene.clock.advance(HOUR)
    await scene.open_due()
    assert await scene.indices(series_of(first)) == [0, 1]


@proves(
    "lifecycle: fields of create-full, for later instances;",
)
async def test_changed_fields_count_for_later_instances_alone(scene: Scene) -> None:
    first = await scene.publish(tags=["a"], name_ru="Раунд {number}")
    series_id = series_of(first)
    await scene.edit(series_id, name="New {number}", tags=["b"], has_draw=True)
    scene.clock.advance(HOUR)
    await scene.open_due()
    before, after = await scene.instances(series_id)
    assert (before.name, before.tags, before.has_draw) == ("Round 1", ["a"], False)
    assert (after.name, after.name_ru, after.tags, after.has_draw) == ("New 2", "Раунд 2", ["b"], True)


async def test_an_edit_without_changes_changes_nothing(scene: Scene) -> None:
    first = await scene.publish()
    before = await scene.series(series_of(first))
    await scene.edit(series_of(first))
    await scene.edit(series_of(first), name=None, pools=None)
    assert await scene.series(series_of(first)) == before


async def test_another_interval_counts_from_the_newest_instance_on(scene: Scene) -> None:
    first = await scene.publish()
    series_id = series_of(first)
    scene.clock.advance(HOUR)
    await scene.open_due()
    await scene.edit(series_id, loop_interval_minutes=30)
    assert (await scene.series(series_id)).loop_interval_minutes == 30
    scene.clock.advance(HOUR)
    await scene.open_due()
    scene.clock.advance(HOUR // 2)
    await scene.open_due()
    shown = [ends(event) for event in await scene.instances(series_id)]
    assert shown == [[iso(START_MS + minutes * 60_000)] for minutes in (60, 120, 150, 180)]


@proves(
    "lifecycle: `pools` replaces all, its times being those of `next_index` → 200;",
)
async def test_new_pools_have_the_times_of_the_next_instance(scene: Scene) -> None:
    first = await scene.publish(scene.pool(), scene.pool(name="Goes"))
    series_id = series_of(first)
    # Two intervals are missed.
    scene.clock.advance(3 * HOUR - 1)
    assert (await scene.series(series_id)).next_index == 2
    pools = [
        scene.pool(name="New {number}", finish_in_ms=7 * HOUR, live_in_ms=6 * HOUR),
        scene.pool(finish_in_ms=None),
        scene.pool(finish_in_ms=8 * HOUR),
    ]
    await scene.edit(series_id, pools=pools, main_pool_index=2)
    await scene.open_due()
    _, opened = await scene.instances(series_id)
    assert opened.series is not None
    assert (opened.series.index, opened.main_pool_index) == (2, 2)
    assert ends(opened) == [iso(START_MS + 7 * HOUR), None, iso(START_MS + 8 * HOUR)]
    assert (opened.pools[0].name, opened.pools[0].live_at) == ("New 3", iso(START_MS + 6 * HOUR))
    await scene.resolve(opened.pools[1].id)
    scene.clock.now_ms = START_MS + 8 * HOUR
    await scene.open_due()
    last = (await scene.instances(series_id))[-1]
    # Later than 8 h end the first pool from instance 4 on, the last one from instance 3 on.
    assert ends(last) == [iso(START_MS + 9 * HOUR), None, iso(START_MS + 10 * HOUR)]


async def test_names_of_markets_changed_before_publication_stay_unless_pools_are_replaced(scene: Scene) -> None:
    pool = scene.pool() | {"metadata": {"market_names": ["a", "b"]}}
    event_id = await scene.create(pool, name="Round")
    pool_id = (await scene.event(event_id)).pools[0].id
    await scene.edit_pool(pool_id, market_names=["c {number}", "d"], name="Renamed")
    series_id = series_of(await scene.publish_new(event_id))
    await scene.edit(series_id, tags=["kept"])
    scene.clock.advance(HOUR)
    await scene.open_due()
    _, opened = await scene.instances(series_id)
    assert (opened.tags, opened.pools[0].name) == (["kept"], "Renamed")
    assert [market.name for market in opened.pools[0].markets] == ["c 2", "d"]
    assert opened.pools[0].metadata == {"market_names": ["a", "b"]}


async def test_changes_must_go_together_with_what_stays(scene: Scene) -> None:
    first = await scene.publish(scene.pool(), scene.pool(finish_in_ms=None))
    series_id = series_of(first)
    wrong: dict[str, dict[str, Any]] = {
        "main_pool_index": {"main_pool_index": 2},
        "name": {"name": "{live_at}"},
        "pools[0].finish_at": {
            "pools": [{"finish_at": iso(START_MS), "live_at": iso(START_MS)}],
        },
        "pools[0].metadata.resolution.kind": {"pools": [{"metadata": {"resolution": {"kind": "x"}}}]},
        "loop_interval_minutes": {"loop_interval_minutes": 2**62},
        "external_event_url": {
            "pools": [{"finish_at": iso(START_MS + 9 * HOUR), "metadata": {"resolution": {"kind": "external"}}}]
        },
    }
    for path, change in wrong.items():
        with pytest.raises(BadRequest) as refused:
            await scene.edit(series_id, **change)
        assert list(refused.value.details["fields"]) == [path]
    await scene.edit(series_id, main_pool_index=1)
    with pytest.raises(BadRequest) as refused:
        await scene.edit(series_id, pools=[scene.pool()])
    assert list(refused.value.details["fields"]) == ["main_pool_index"]


async def test_a_series_that_has_ended_is_changed_and_resumed_no_more(scene: Scene) -> None:
    scene.clock.now_ms = 253_402_300_799_999 - HOUR
    first = await scene.publish({"finish_at": "9999-12-31T23:59:59.999Z"})
    series_id = series_of(first)
    with pytest.raises(InvalidState):
        await scene.edit(series_id, name="New")
    with pytest.raises(InvalidState):
        await scene.resume(series_id)
    await scene.stop(series_id)
    assert (await scene.series(series_id)).status == "ended"


async def test_a_creator_without_the_role_runs_no_series_and_an_admin_does(scene: Scene) -> None:
    first = await scene.publish()
    series_id = series_of(first)
    await scene.let_create(is_creator=False)
    for work in (scene.stop(series_id), scene.resume(series_id), scene.edit(series_id, name="New")):
        with pytest.raises(Forbidden):
            await work
    scene.creator = scene.admin
    await scene.stop(series_id)
    await scene.edit(series_id, name="New")
    scene.creator = await scene.db.write(lambda tx: world.person(tx, creator=True))
    with pytest.raises(Forbidden):
        await scene.resume(series_id)


async def test_an_interval_may_let_the_next_instance_be_the_last(scene: Scene) -> None:
    scene.clock.now_ms = 253_402_300_799_999 - 5 * HOUR
    first = await scene.publish({"name": "Last", "finish_at": iso(scene.clock() + HOUR)})
    await scene.edit(series_of(first), loop_interval_minutes=4 * 60)
    with pytest.raises(BadRequest):
        await scene.edit(series_of(first), loop_interval_minutes=4 * 60 + 1)
