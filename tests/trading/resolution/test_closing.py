"""The creator is notified once of a closed event whose pools wait to be resolved by hand."""

from __future__ import annotations

import asyncio

from foreknow.trading.resolution.store import NEVER_MS
from tests.support.kinds import ONCE
from tests.trading.resolution.scene import HOUR, MINUTE, SECOND, Scene

CLOSED = ["event_closed"]


async def test_an_event_closes_with_its_last_pool(scene: Scene) -> None:
    end = scene.ends_at_ms
    first, *_ = await scene.event(
        scene.manual(ends_at_ms=end), scene.manual(ends_at_ms=end + MINUTE), scene.manual(ends_at_ms=end + MINUTE)
    )
    await scene.work_at(end)
    assert (await scene.notices(), await scene.due_at_ms(first)) == ([], end + MINUTE)
    await scene.work_at(end + MINUTE)
    assert await scene.notices() == CLOSED
    await scene.work_at(end + HOUR)
    assert await scene.notices() == CLOSED
    # A notice is no entry for operators: an ordinary event waits for its creator.
    assert await scene.attention() == []


async def test_a_resolution_by_hand_may_close_an_event(scene: Scene) -> None:
    ends, open_ended = await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms), scene.manual())
    await scene.work_at(scene.ends_at_ms + HOUR)
    assert (await scene.notices(), await scene.due_at_ms(ends)) == ([], NEVER_MS)
    await scene.resolve_by_hand(open_ended)
    await scene.work()
    assert await scene.notices() == CLOSED
    await scene.resolve_by_hand(ends)
    await scene.work_at(scene.ends_at_ms + 2 * HOUR)
    assert await scene.notices() == CLOSED


async def test_a_resolution_by_hand_before_the_end_leaves_nothing_to_wait_for(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms))
    await scene.resolve_by_hand(pool_id)
    await scene.work_at(scene.ends_at_ms + HOUR)
    assert await scene.notices() == []


async def test_a_resolution_of_a_closed_event_repeats_no_notice(scene: Scene) -> None:
    first, _ = await scene.event(*[scene.manual(ends_at_ms=scene.ends_at_ms)] * 2)
    await scene.work_at(scene.ends_at_ms)
    assert await scene.notices() == CLOSED
    await scene.resolve_by_hand(first)
    await scene.work_at(scene.ends_at_ms + HOUR)
    assert await scene.notices() == CLOSED


@ONCE
async def test_a_result_that_can_still_be_disputed_closes_an_event_like_any_other(scene: Scene) -> None:
    disputable = scene.manual(ends_at_ms=scene.ends_at_ms + HOUR)
    disputable["metadata"] = {"resolution": {"kind": "manual", "dispute_minutes": 600}}
    _, decided = await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms), disputable)
    await scene.resolve_by_hand(decided)
    await scene.work_at(scene.ends_at_ms)
    assert await scene.notices() == CLOSED


async def test_pools_that_resolve_themselves_wait_for_no_hand(scene: Scene) -> None:
    await scene.event(scene.price())
    await scene.work_at(scene.ends_at_ms + SECOND)
    assert await scene.notices() == []


async def test_a_pool_that_resolves_itself_may_close_an_event(scene: Scene) -> None:
    await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms - MINUTE), scene.price())
    await scene.work_at(scene.ends_at_ms - SECOND)
    assert await scene.notices() == []
    await scene.work_at(scene.ends_at_ms)
    assert await scene.notices() == CLOSED


async def test_many_resolvers_at_once_notify_once(scene: Scene) -> None:
    await scene.event(*[scene.manual(ends_at_ms=scene.ends_at_ms)] * 10)
    scene.clock.advance(HOUR + SECOND)
    others = [scene.another_resolver() for _ in range(4)]
    for _ in range(10):
        await asyncio.gather(*(one.work() for one in others))
    assert await scene.notices() == CLOSED
