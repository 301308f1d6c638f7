"""A pool whose step failed, or whose process was killed, is looked at again in time."""

from __future__ import annotations

import pytest

from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import Locked
from foreknow.trading.resolution.service import POLL_S
from foreknow.trading.resolution.store import other_deadlines
from tests.support.proofs import proves
from tests.trading.resolution.scene import MINUTE, SECOND, Scene

#: The next look comes within the rest of two seconds.
SOON = 2 * SECOND - round(POLL_S * SECOND)
ASKED_SOON = "lifecycle: Providers are asked within 5 s of such a `finish_at`."


async def work_at(scene: Scene, at_ms: int) -> None:
    """Let all that is due be done at a moment, however slow the machine is."""
    scene.clock.stop_at(at_ms)
    await scene.work()


def asked(scene: Scene) -> list[str]:
    """The symbols whose providers were made due."""
    return [symbol for symbol, *_ in scene.requested]


@proves(ASKED_SOON)
async def test_a_step_that_found_its_rows_locked_is_done_again_soon(scene: Scene) -> None:
    await scene.event(scene.price(within_seconds=10))
    scene.failure = Locked()
    await work_at(scene, scene.ends_at_ms)
    scene.failure = None
    await work_at(scene, scene.ends_at_ms + SOON)
    assert asked(scene) == ["BTC"]


async def test_a_step_that_goes_on_failing_is_tried_ever_more_rarely(scene: Scene) -> None:
    await scene.event(scene.price())
    scene.failure = Locked()
    for minutes in range(5):
        await work_at(scene, scene.ends_at_ms + minutes * MINUTE)
    scene.failure = None
    await work_at(scene, scene.ends_at_ms + 4 * MINUTE + SOON)
    assert asked(scene) == []
    await work_at(scene, scene.ends_at_ms + 4 * MINUTE + 20 * SECOND)
    assert asked(scene) == ["BTC"]


@proves(ASKED_SOON)
async def test_a_step_with_an_unexpected_failure_is_done_again_soon(scene: Scene) -> None:
    await scene.event(scene.price(within_seconds=10))
    scene.failure = RuntimeError("It is broken.")
    with pytest.raises(RuntimeError):
        await work_at(scene, scene.ends_at_ms)
    scene.failure = None
    await work_at(scene, scene.ends_at_ms + SOON)
    assert asked(scene) == ["BTC"]


@proves("lifecycle: within 2 s, in any number of processes, each piece once, whatever is killed.")
async def test_what_a_killed_process_was_to_do_is_done_soon(scene: Scene) -> None:
    await scene.event(scene.manual(ends_at_ms=scene.ends_at_ms))
    scene.clock.stop_at(scene.ends_at_ms)
    assert await scene.db.write_private(lambda tx: other_deadlines([]).claim(tx, now_ms=now_ms(tx), limit=1))
    await scene.work()
    assert await scene.notices() == []
    await work_at(scene, scene.ends_at_ms + SOON)
    assert await scene.notices() == ["event_closed"]
