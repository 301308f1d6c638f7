"""What tests of resolution by rules share."""

from __future__ import annotations

import pytest

from foreknow.platform.db.engine import Database
from tests.support.clock import ShiftableClock
from tests.trading.resolution.scene import Scene


@pytest.fixture
def scene(db: Database, clock: ShiftableClock) -> Scene:
    return Scene(db, clock)
