"""Who waits lets the workers look, and waits for none of their polls."""

from __future__ import annotations

import pytest

from foreknow.platform.jobs import Worker
from tests.support.service import Service
from tests.support.waiting import happens, let_work, wait_until, work

NEVER_S = 3_600.0


async def test_workers_of_an_event_loop_have_done_what_is_due_once_they_were_let_work() -> None:
    looks: list[str] = []

    async def look() -> bool:
        looks.append("look")
        return len(looks) % 3 != 0

    worker = Worker("patient", look, poll_s=NEVER_S, pace_s=NEVER_S)
    worker.start()
    await work()
    assert len(looks) == 3
    await work(["another"])
    assert len(looks) == 3
    await happens(lambda: len(looks) == 6)
    await worker.stop()


def test_a_service_that_the_test_used_works_when_it_waits(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[bool] = []
    watch = service.app.services.session_watch
    look = watch._workers[0]._work

    async def seen() -> object:
        looks.append(True)
        return await look()

    monkeypatch.setattr(watch._workers[0], "_work", seen)
    let_work(["session-watch"])
    before = len(looks)
    service.client().get("/health")
    let_work(["session-watch"])
    assert len(looks) > before
    seen_before = len(looks)
    wait_until(lambda: len(looks) > seen_before, workers=["session-watch"])
