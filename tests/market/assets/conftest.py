"""Fixtures of the tests of prices: a provider, and a refresher on a test's own database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from foreknow.platform.db.engine import Database
from tests.support.clock import ShiftableClock
from tests.support.providers import Provider, provider
from tests.support.refreshing import Bench


@pytest.fixture
def served() -> Iterator[Provider]:
    with provider() as made:
        yield made


@pytest.fixture
async def bench(db: Database, served: Provider, clock: ShiftableClock) -> AsyncIterator[Bench]:
    made = Bench(db, served, clock)
    yield made
    await made.stop()
