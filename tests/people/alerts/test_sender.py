"""Sending: once, after the commit, again after a failure, whatever process is still there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import sqlalchemy as sa

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import MINUTE_MS
from foreknow.people.alerts import AlertSender, read_channels, sender
from foreknow.people.alerts.sender import GAP_MS, GIVE_UP_AFTER_MS
from foreknow.people.alerts.store import LISTED_MAX
from foreknow.people.alerts.tables import support_alerts
from foreknow.platform.db.engine import Database
from tests.support.alerts import settled, until
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.support.waiting import happens, work
from tests.support.webhook import webhook


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look and try again at once."""
    monkeypatch.setattr(sender, "POLL_S", 0.05)
    monkeypatch.setattr(sender, "BACK_OFF", BackOff(first_ms=50, most_ms=5 * MINUTE_MS))


@asynccontextmanager
async def running(db: Database, urls: str) -> AsyncIterator[AlertSender]:
    one = AlertSender(db, read_channels(urls))
    one.start()
    yield one
    await one.stop()


async def alert(db: Database, through: AlertSender, text: str = "A visitor waits.") -> None:
    await db.write(lambda tx: through.record(tx, title="Come", text=text, at_ms=ShiftableClock()()))
    through.wake()


async def test_an_alert_is_sent_once(db: Database) -> None:
    with webhook() as hook:
        async with running(db, hook.url) as one:
            await alert(db, one)
            await settled(db, 1)
            await work()
        assert [call["message"] for call in hook.taken] == ["A visitor waits."]
        assert len(hook.calls) == 1


async def test_a_failure_is_tried_again_until_it_works(db: Database) -> None:
    with webhook(500, 503, 404) as hook:
        async with running(db, hook.url) as one:
            await alert(db, one)
            await settled(db, 1)
            await work()
        assert [status for status, _ in hook.calls] == [500, 503, 404, 200]


async def test_only_the_channel_that_failed_is_tried_again(db: Database) -> None:
    with webhook() as good, webhook(500, 500) as bad:
        async with running(db, f"{good.url}, {bad.url}") as one:
            await alert(db, one)
            await settled(db, 2)
        assert len(good.calls) == 1
        assert len(bad.calls) == 3


async def test_alerts_of_many_processes_at_once_go_out_in_one_message_and_once(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "GAP_MS", 300)
    with webhook(delay_s=0.1) as hook:
        async with running(db, hook.url) as one, running(db, hook.url) as two, running(db, hook.url) as three:
            for number in range(6):
                await alert(db, one, f"Number {number}.")
                two.wake()
                three.wake()
            await settled(db, 6)
            await work()
        lines = [line for call in hook.taken for line in call["message"].splitlines()]
        assert sorted(lines) == [f"Number {number}." for number in range(6)]
        for call in hook.taken:
            count = len(call["message"].splitlines())
            assert call["title"] == ("Come" if count == 1 else f"{count} visitors wait for an operator")


async def test_two_messages_are_thirty_seconds_apart_whichever_process_sends_them(
    db: Database, clock: ShiftableClock
) -> None:
    with webhook() as hook:
        async with running(db, hook.url) as one, running(db, hook.url) as two:
            await alert(db, one)
            await settled(db, 1)
            for _ in range(LISTED_MAX + 2):
                await alert(db, two)
            one.wake()
            # Both look.
            await work()
            assert len(hook.calls) == 1
            clock.advance(GAP_MS)
            await settled(db, LISTED_MAX + 3)
        assert len(hook.calls) == 2
        message = hook.taken[1]
        assert message["title"] == f"{LISTED_MAX + 2} visitors wait for an operator"
        assert message["message"].splitlines() == ["A visitor waits."] * LISTED_MAX + ["And 2 more."]


async def test_what_a_dead_process_left_is_sent_by_the_next(db: Database) -> None:
    with webhook() as hook:
        dead = AlertSender(db, read_channels(hook.url))
        await alert(db, dead)
        async with running(db, hook.url):
            await settled(db, 1)
        assert len(hook.calls) == 1


async def test_a_stopping_process_notes_what_it_is_sending(db: Database) -> None:
    with webhook(delay_s=0.5) as hook:
        async with running(db, hook.url) as one:
            await alert(db, one)
            await happens(lambda: hook.arrived)
        await settled(db, 1)
        async with running(db, hook.url):
            await work()
        assert len(hook.calls) == 1


async def test_after_a_day_it_is_given_up(db: Database, clock: ShiftableClock) -> None:
    with webhook(*[500] * 1_000) as hook:
        async with running(db, hook.url) as one:
            await alert(db, one)
            await hook.came(2)
            clock.advance(GIVE_UP_AFTER_MS)
            await until(db, sa.select(support_alerts.c.given_up_at_ms), lambda found: found is not None)
            count = len(hook.calls)
            await work()
            assert len(hook.calls) == count


@ONCE
async def test_without_channels_nothing_is_kept(db: Database) -> None:
    async with running(db, "") as one:
        await alert(db, one)
    count = sa.select(sa.func.count()).select_from(support_alerts)
    assert await db.read(lambda tx: tx.execute(count).scalar_one()) == 0
