"""A sink for webhooks, and the clock of deliveries to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.clock import ShiftableClock
from tests.support.webhook import Webhook, webhook


@pytest.fixture
def clock() -> ShiftableClock:
    """It stands still: a lease or a pause ends when a test says so, however slow the machine is."""
    return ShiftableClock.standing()


@pytest.fixture
def sink() -> Iterator[Webhook]:
    """A server that takes what is posted to it."""
    with webhook() as running:
        yield running
