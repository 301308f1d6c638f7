"""The worker that calls a person to overdue pools: once each, however many processes look."""

from __future__ import annotations

import asyncio

from foreknow.people import attention
from foreknow.trading.resolution.overdue import BATCH_MAX, OverduePools
from tests.trading.resolution.scene import HOUR, SECOND, Scene

LATE = 72 * HOUR


async def look(scene: Scene) -> None:
    while await OverduePools(scene.db).work():
        pass


async def test_many_that_look_at_once_open_one_entry_a_pool(scene: Scene) -> None:
    late = await scene.event(*[scene.manual(ends_at_ms=scene.ends_at_ms)] * 3)
    scene.clock.advance(HOUR + LATE + SECOND)
    await asyncio.gather(*(OverduePools(scene.db).work() for _ in range(4)))
    assert sorted(await scene.attention()) == [("overdue", pool_id, "overdue") for pool_id in late]


async def test_more_than_one_batch_is_done_at_once(scene: Scene) -> None:
    late = await scene.event(*[scene.manual(ends_at_ms=scene.ends_at_ms)] * BATCH_MAX)
    late += await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms))
    scene.clock.advance(HOUR + LATE + SECOND)
    await look(scene)
    assert {pool_id for _, pool_id, _ in await scene.attention()} == set(late)


async def test_a_pool_with_a_rule_or_without_an_end_is_never_overdue(scene: Scene) -> None:
    await scene.event(scene.price(), scene.manual(), scene.external())
    await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms), publish=False)
    scene.clock.advance(HOUR + LATE + SECOND)
    await look(scene)
    assert await scene.attention() == []


async def test_an_entry_that_a_server_of_the_release_before_left_is_closed(scene: Scene) -> None:
    (late,) = await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms))
    scene.clock.advance(HOUR + LATE + SECOND)
    await look(scene)
    await scene.resolve_by_hand(late)
    assert await scene.attention() == []
    await scene.db.write(
        lambda tx: attention.open_entry(tx, "overdue", reason="overdue", pool_id=late, at_ms=scene.clock())
    )
    await look(scene)
    assert await scene.attention() == []


async def test_the_creator_is_notified_of_the_end_as_ever(scene: Scene) -> None:
    late, _ = await scene.event(
        scene.manual(ends_at_ms=scene.ends_at_ms), scene.manual(ends_at_ms=scene.ends_at_ms + 2 * LATE)
    )
    scene.clock.advance(HOUR + LATE + SECOND)
    await look(scene)
    await scene.work()
    assert (await scene.notices(), len(await scene.attention())) == ([], 1)
    await scene.work_at(scene.ends_at_ms + 2 * LATE)
    assert await scene.notices() == ["event_closed"]
    assert await scene.decision(late) is None
