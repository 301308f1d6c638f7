"""When a series is looked at again: after a failure, and where its newest instance is not over."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.market.events.tables import series
from foreknow.market.series.opener import BACK_OFF
from foreknow.market.series.opening import put_off
from tests.market.series.scene import HOUR, START_MS, Scene, series_of


async def due_at_ms(scene: Scene, series_id: int) -> int | None:
    row = sa.select(series.c.due_at_ms).where(series.c.id == series_id)
    return await scene.db.read(lambda tx: tx.execute(row).scalar_one())


async def test_a_series_that_failed_to_open_is_tried_again_after_growing_pauses(scene: Scene) -> None:
    series_id = series_of(await scene.publish())
    scene.clock.advance(HOUR)
    for attempt in (1, 2, 3):
        await scene.db.write(lambda tx: put_off(tx, series_id, BACK_OFF, jitter=0.0))
        pause_ms = BACK_OFF.pause_ms(attempt, jitter=0.0)
        assert await due_at_ms(scene, series_id) == scene.clock() + pause_ms
        await scene.open_due()
        assert await scene.indices(series_id) == [0]
        scene.clock.advance(pause_ms)
    await scene.open_due()
    assert await scene.indices(series_id) == [0, 1]


async def test_a_series_that_is_due_too_early_is_due_again_at_the_end_of_its_newest_instance(scene: Scene) -> None:
    series_id = series_of(await scene.publish())
    await scene.db.write(lambda tx: tx.execute(sa.update(series).values(due_at_ms=scene.clock())))
    await scene.open_due()
    assert await scene.indices(series_id) == [0]
    assert await due_at_ms(scene, series_id) == START_MS + HOUR
