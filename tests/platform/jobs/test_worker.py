"""A worker works when woken and at intervals, survives failures, and stops when asked to."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from foreknow.kernel.errors import Unavailable
from foreknow.platform.jobs import Worker

NEVER_S = 3_600.0


async def until(event: asyncio.Event) -> None:
    async with asyncio.timeout(60):
        await event.wait()


async def test_it_works_at_once_again_while_there_is_more_and_at_wake_ups() -> None:
    left = [True, True, False, False]
    done, woken = asyncio.Event(), asyncio.Event()

    async def work() -> bool:
        more = left.pop(0)
        if len(left) == 1:
            done.set()
        if not left:
            woken.set()
        return more

    worker = Worker("test", work, poll_s=NEVER_S)
    worker.start()
    await until(done)
    worker.wake()
    await until(woken)
    await worker.stop()


async def test_an_outage_is_logged_once_and_its_end_too() -> None:
    failures: list[Exception] = [Unavailable(), Unavailable(), RuntimeError("odd"), RuntimeError("odd")]
    recovered = asyncio.Event()

    async def work() -> None:
        if failures:
            raise failures.pop(0)
        recovered.set()

    with capture_logs() as lines:
        worker = Worker("test", work, poll_s=0.001)
        worker.start()
        await until(recovered)
        await worker.stop()
    logged = [(line["log_level"], line["event"]) for line in lines]
    assert logged[:3] == [("warning", "worker failed"), ("error", "worker failed"), ("info", "worker recovered")]
    assert len(logged) == 3


async def test_stopping_waits_for_the_call_under_way_and_begins_no_other() -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    calls = 0

    async def work() -> bool:
        nonlocal calls
        begun.set()
        await go.wait()
        calls += 1
        return True

    worker = Worker("test", work, poll_s=NEVER_S, stop_s=60)
    worker.start()
    await until(begun)
    stopping = asyncio.create_task(worker.stop())
    await asyncio.sleep(0)
    go.set()
    await stopping
    assert calls == 1


async def test_stopping_without_a_timeout_cancels_the_call_under_way() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    worker = Worker("test", work, poll_s=NEVER_S)
    worker.start()
    await until(begun)
    await worker.stop()
    assert cancelled.is_set()


@pytest.mark.real_time("a rest is as long as the work was")
async def test_work_is_followed_by_a_rest_which_stopping_does_not_wait_for() -> None:
    began_s: list[float] = []
    twice = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def work() -> None:
        began_s.append(loop.time())
        if len(began_s) == 2:
            twice.set()
        await asyncio.sleep(0.01)

    worker = Worker("test", work, poll_s=0.001, rest_share=10, stop_s=NEVER_S)
    worker.start()
    await until(twice)
    assert began_s[1] - began_s[0] >= 0.1
    resting = Worker("test", work, poll_s=NEVER_S, stop_s=NEVER_S)
    resting.start()
    await asyncio.sleep(0.05)
    async with asyncio.timeout(60):
        await resting.stop()
        await worker.stop()


async def test_one_that_is_woken_now_works_at_once_whatever_its_pace() -> None:
    begun = [asyncio.Event(), asyncio.Event()]
    left = list(begun)

    async def work() -> None:
        left.pop(0).set()

    worker = Worker("test", work, poll_s=NEVER_S, pace_s=NEVER_S)
    worker.start()
    await until(begun[0])
    worker.wake()
    for _ in range(10):
        await asyncio.sleep(0)
    assert left == [begun[1]]
    worker.wake_now()
    await until(begun[1])
    await worker.stop()
