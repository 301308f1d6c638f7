"""What tests of resolution by rules share."""

from __future__ import annotations

import pytest

from foreknow.db.engine import Database
from tests.resolution.scene import Scene
from tests.support.clock import ShiftableClock


@pytest.fixture
def scene(db: Database, clock: ShiftableClock) -> Scene:
    return Scene(db, clock)
