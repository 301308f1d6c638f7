"""The result of an event elsewhere resolves a pool: two rounds running must agree."""

from __future__ import annotations

import asyncio

import pytest

from foreknow.kernel.clock import iso
from foreknow.platform.fetching import FetchFailed
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.trading.resolution.scene import (
    API_URL,
    HOUR,
    MINUTE,
    OTHER_URL,
    ROUND_S,
    SECOND,
    SOURCE,
    UNASKED_URL,
    Answer,
    Scene,
)

SECOND_WON = Answer("b", 1)
FIRST_WON = Answer("a", 0)
CANCELLED = Answer("CANCEL", None)
ROUND = ROUND_S * SECOND


async def rounds(scene: Scene, *answers: Answer | FetchFailed | None) -> None:
    """Let one round pass for each answer, the first of all at the pool's end."""
    for answer in answers:
        scene.source.answer = answer
        await scene.work_at(max(scene.clock() + ROUND + SECOND, scene.ends_at_ms))


@proves("lifecycle: counts where two rounds running give the same final result:")
async def test_two_rounds_running_with_one_result_resolve_a_pool(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.external())
    await rounds(scene, SECOND_WON)
    assert await scene.won(pool_id) is None
    await rounds(scene, SECOND_WON)
    decision = await scene.decision(pool_id)
    assert decision is not None
    assert (await scene.won(pool_id), decision.by) == (1, "rule")
    assert decision.evidence is not None
    assert decision.evidence == {"url": API_URL, "result": "b", "fetched_at": decision.evidence["fetched_at"]}
    # Of the second round.
    assert iso(scene.ends_at_ms + ROUND) < decision.evidence["fetched_at"] <= iso(decision.at_ms)
    assert (await scene.attention(), await scene.notices()) == ([], [])


@proves("lifecycle: **External verdict**: asked from `finish_at` on;")
@ONCE
async def test_a_source_is_asked_from_the_pools_end_on_once_a_round(scene: Scene) -> None:
    await scene.event(scene.external())
    await scene.work_at(scene.ends_at_ms - SECOND)
    assert scene.source.asked == []
    await scene.work_at(scene.ends_at_ms)
    assert len(scene.source.asked) == 1
    await scene.work_at(scene.ends_at_ms + ROUND - 2 * SECOND)
    assert len(scene.source.asked) == 1
    await scene.work_at(scene.ends_at_ms + ROUND + 2 * SECOND)
    assert len(scene.source.asked) == 2


@proves("lifecycle: counts where two rounds running give the same final result:")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("between", [None, FIRST_WON, CANCELLED, FetchFailed("it is down")])
async def test_another_answer_in_between_begins_again(scene: Scene, between: Answer | FetchFailed | None) -> None:
    (pool_id,) = await scene.event(scene.external())
    await rounds(scene, SECOND_WON, between, SECOND_WON)
    assert await scene.won(pool_id) is None
    await rounds(scene, SECOND_WON)
    assert await scene.won(pool_id) == 1


async def test_an_end_without_a_single_winner_needs_a_person(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.external())
    await rounds(scene, CANCELLED, CANCELLED)
    assert await scene.attention() == [("resolution", pool_id, "no_single_winner")]
    assert await scene.notices() == ["resolution_needed"]
    assert await scene.due_at_ms(pool_id) is None
    asked = len(scene.source.asked)
    await rounds(scene, SECOND_WON, SECOND_WON)
    assert await scene.won(pool_id) is None
    assert len(scene.source.asked) == asked


@proves("lifecycle: or none within `wait_minutes`: `attention`.")
async def test_without_a_result_in_time_a_person_is_needed(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.external(wait_minutes=2))
    await rounds(scene, None, None)
    await scene.work_at(scene.ends_at_ms + 2 * MINUTE - 10 * SECOND)
    assert await scene.attention() == []
    # One round is not enough, and the second would come too late.
    scene.source.answer = SECOND_WON
    await scene.work_at(scene.ends_at_ms + 2 * MINUTE - 5 * SECOND)
    await scene.work_at(scene.ends_at_ms + 2 * MINUTE + SECOND)
    assert await scene.attention() == [("resolution", pool_id, "no_result")]
    assert (await scene.due_at_ms(pool_id), (await scene.pool(pool_id)).evidence) == (None, None)
    await scene.work_at(scene.ends_at_ms + HOUR)
    assert await scene.won(pool_id) is None
    assert await scene.notices() == ["resolution_needed"]


async def test_many_resolvers_at_once_resolve_each_pool_once(scene: Scene) -> None:
    pool_ids = await scene.event(scene.external(), scene.external(), scene.external())
    scene.source.answer = SECOND_WON
    others = [scene.another_resolver() for _ in range(3)]
    scene.clock.advance(HOUR)
    for _ in range(3):
        scene.clock.advance(ROUND + SECOND)
        await asyncio.gather(*(one.work_on_source(SOURCE) for one in others))
    assert [await scene.won(pool_id) for pool_id in pool_ids] == [1, 1, 1]


@ONCE
async def test_a_source_that_does_not_answer_delays_no_other_pool(scene: Scene) -> None:
    (by_event,) = await scene.event(scene.external())
    (by_price,) = await scene.event(scene.price())
    await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms))
    scene.source.answer, scene.source.until = SECOND_WON, asyncio.Event()
    scene.clock.advance(HOUR)
    asking = asyncio.create_task(scene.resolver.work_on_source(SOURCE))
    await scene.source.is_asked.wait()
    await scene.observe(100.0, at_ms=scene.ends_at_ms)
    while await scene.resolver.work():
        pass
    assert (await scene.won(by_price), await scene.notices()) == (1, ["event_closed"])
    assert not asking.done()
    scene.source.until.set()
    assert await asking
    await rounds(scene, SECOND_WON)
    assert await scene.won(by_event) == 1


@ONCE
async def test_a_source_that_does_not_answer_delays_no_other_source(scene: Scene) -> None:
    (unanswered,) = await scene.event(scene.external())
    (elsewhere,) = await scene.event(scene.external(), external_event_url=OTHER_URL)
    scene.source.answer, scene.source.until = SECOND_WON, asyncio.Event()
    scene.clock.stop_at(scene.ends_at_ms)
    scene.resolver.start()
    try:
        async with asyncio.timeout(30):
            while (await scene.pool(elsewhere)).evidence is None:  # noqa: ASYNC110 - the resolver has no event for it
                await asyncio.sleep(0.01)
            scene.clock.stop_at(scene.ends_at_ms + ROUND + SECOND)
            while await scene.won(elsewhere) is None or unanswered not in scene.source.asked:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.01)
    finally:
        await scene.resolver.stop()
    assert sorted(scene.source.asked) == [unanswered, elsewhere, elsewhere]


async def test_a_pool_whose_source_is_not_set_up_waits_for_a_person(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.external(wait_minutes=1), external_event_url=UNASKED_URL)
    await scene.work_at(scene.ends_at_ms)
    assert await scene.attention() == []
    await scene.work_at(scene.ends_at_ms + MINUTE + SECOND)
    assert await scene.attention() == [("resolution", pool_id, "no_result")]


@ONCE
async def test_a_decision_of_one_pool_brings_no_round_of_another_forward(scene: Scene) -> None:
    by_hand, by_event = await scene.event(scene.external(), scene.external())
    await rounds(scene, SECOND_WON)
    asked = len(scene.source.asked)
    await scene.resolve_by_hand(by_hand)
    await scene.work()
    assert (len(scene.source.asked), await scene.won(by_event)) == (asked, None)


async def drops_of_late_answer(scene: Scene, at_ms: int, *, decided: int | None = None) -> int:
    """Let a source that is asked at the end say at `at_ms` that it has no result; return how often caches were dropped.

    The pool `decided` is resolved by hand meanwhile.
    """
    drops: list[int] = []
    scene.source.until = asyncio.Event()
    scene.clock.stop_at(scene.ends_at_ms)
    asking = asyncio.create_task(scene.resolver.work_on_source(SOURCE))
    await scene.source.is_asked.wait()
    if decided is not None:
        await scene.resolve_by_hand(decided)
    scene.db.on_write.append(lambda: drops.append(at_ms))
    scene.clock.stop_at(at_ms)
    scene.source.until.set()
    assert await asking
    return len(drops)


@ONCE
async def test_a_round_without_a_result_drops_no_cached_response(scene: Scene) -> None:
    await scene.event(scene.external(wait_minutes=1))
    assert await drops_of_late_answer(scene, scene.ends_at_ms + SECOND) == 0
    scene.clock.stop_at(scene.ends_at_ms + SECOND + ROUND)
    await scene.work()
    assert len(scene.source.asked) == 2


@ONCE
async def test_a_wait_that_ends_while_the_source_is_asked_drops_cached_responses(scene: Scene) -> None:
    await scene.event(scene.external(wait_minutes=1))
    assert await drops_of_late_answer(scene, scene.ends_at_ms + MINUTE) == 1
    assert await scene.notices() == ["resolution_needed"]


@ONCE
async def test_an_answer_that_comes_after_a_decision_changes_nothing(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.external(dispute_minutes=1))
    await drops_of_late_answer(scene, scene.ends_at_ms + SECOND, decided=pool_id)
    decision = await scene.decision(pool_id)
    assert decision is not None
    assert (decision.by, decision.evidence, await scene.due_at_ms(pool_id)) == ("admin", None, None)
