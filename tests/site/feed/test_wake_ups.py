"""PostgreSQL: an unexpected error ends neither the listening nor the sending of wake-ups."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from structlog.testing import capture_logs

from foreknow.platform.db import notify as signals_module
from foreknow.platform.db.notify import PgNotifications
from tests.support.postgres import Postgres

pytestmark = pytest.mark.postgres

CHANNEL = "foreknow_test_wake_ups"
WAIT_S = 60


@pytest.fixture(autouse=True)
def _short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals_module, "PAUSE_S", 0.01)


@pytest.fixture
def heard() -> asyncio.Event:
    """Says that a wake-up came."""
    return asyncio.Event()


@pytest.fixture
async def signals(postgres: Postgres, heard: asyncio.Event) -> AsyncIterator[PgNotifications]:
    """Signals that are not started yet."""
    signals = PgNotifications(postgres.url(), {CHANNEL: heard.set})
    yield signals
    await signals.stop()


async def wake(signals: PgNotifications, heard: asyncio.Event) -> None:
    """Send wake-ups until one comes: some are lost while no process listens."""
    heard.clear()
    async with asyncio.timeout(WAIT_S):
        while not heard.is_set():
            signals.notify(CHANNEL)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(heard.wait(), 0.05)


async def test_listening_goes_on_after_an_unexpected_error(
    signals: PgNotifications, heard: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_listener = asyncpg.Connection.add_listener
    failures: list[RuntimeError] = []

    async def fail_once(self: Any, *arguments: Any) -> None:
        if not failures:
            failures.append(RuntimeError("unforeseen"))
            raise failures[0]
        await add_listener(self, *arguments)

    monkeypatch.setattr(asyncpg.Connection, "add_listener", fail_once)
    with capture_logs() as lines:
        signals.start()
        await wake(signals, heard)

    assert failures
    assert [line["event"] for line in lines] == ["listening for wake-ups failed"]


async def test_listening_goes_on_when_its_connection_has_ended(signals: PgNotifications, heard: asyncio.Event) -> None:
    signals.start()
    await wake(signals, heard)
    for connection in list(signals._connections):
        connection.terminate()
    with capture_logs():
        await wake(signals, heard)


async def test_sending_goes_on_after_an_unexpected_error(
    signals: PgNotifications, heard: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    signals.start()
    await wake(signals, heard)
    execute = asyncpg.Connection.execute
    failed_on: list[Any] = []

    async def fail_once(self: Any, query: str, *arguments: Any, **options: Any) -> Any:
        if "pg_notify" in query and not failed_on:
            failed_on.append(self)
            raise RuntimeError("unforeseen")
        return await execute(self, query, *arguments, **options)

    monkeypatch.setattr(asyncpg.Connection, "execute", fail_once)
    with capture_logs() as lines:
        async with asyncio.timeout(WAIT_S):
            while not failed_on:
                signals.notify(CHANNEL)
                await asyncio.sleep(0.01)
        await wake(signals, heard)

    assert [line["event"] for line in lines] == ["sending wake-ups failed"]
    assert failed_on[0].is_closed(), "its state is unknown"
