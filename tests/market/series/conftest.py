"""What tests of series share."""

from __future__ import annotations

import pytest

from foreknow.platform.db.engine import Database
from tests.market.series.scene import Scene, SteppedClock


@pytest.fixture
def clock() -> SteppedClock:
    """The clock of `db`, which stands still until a test moves it."""
    return SteppedClock()


@pytest.fixture
async def scene(db: Database, clock: SteppedClock) -> Scene:
    made = Scene(db, clock)
    await made.begin()
    return made
