"""The demo's recurring market, on a service whose time it sets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from foreknow.commands.demo import exchange, loader
from foreknow.commands.demo.schedule import TestTime
from foreknow.commands.replay.client import ApiClient
from foreknow.kernel.clock import SECOND_MS
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.support.service import Service
from tests.support.waiting import wait_until


class TimeOf(TestTime):
    """The time of a service of this process."""

    def __init__(self, clock: ShiftableClock, path: Path) -> None:
        self._clock = clock
        super().__init__(path, clock())

    def set(self, now_ms: int) -> None:
        super().set(now_ms)
        self._clock.stop_at(now_ms)


@ONCE
def test_a_price_of_just_before_its_time_does_not_keep_the_market_from_beginning(
    start_service: Callable[..., Service], tmp_path: Path
) -> None:
    """The next price is due five seconds later, which never come where time stands still."""
    with exchange.serving() as provider:
        service = start_service(asset_providers=[provider])
        time = TimeOf(service.clock, tmp_path / "clock")
        wait_until(lambda: service.client().get(f"/assets/{exchange.SYMBOL}/price").status_code == 200)
        from_ms = time.now_ms + SECOND_MS
        time.set(from_ms)

        async def wait() -> None:
            async with ApiClient(service.url) as client:
                await loader.until_priced(client, time, from_ms)

        asyncio.run(wait())
        assert 0 < time.now_ms - from_ms < loader.INTERVAL_MS
