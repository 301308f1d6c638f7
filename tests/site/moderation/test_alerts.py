"""Operators are alerted of what members report: once a thing, and at most once in ten minutes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from foreknow.people.alerts import AlertSender, read_channels
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.moderation import ReportAlerts, store
from tests.support.alerts import settled
from tests.support.clock import ShiftableClock
from tests.support.proofs import proves
from tests.support.rows import insert_user
from tests.support.waiting import happens, work
from tests.support.webhook import webhook

ALERTED = "site: Operators are alerted of a thing's first open report, once in 10 minutes at most."


@asynccontextmanager
async def running(db: Database, url: str) -> AsyncIterator[None]:
    """Run what a process runs, looking more often than usual."""
    sender = AlertSender(db, (), read_channels(url), jitter=lambda: 1.0)
    alerts = ReportAlerts(db, sender, poll_s=0.02)
    sender.start()
    alerts.start()
    try:
        yield
    finally:
        await alerts.stop()
        await sender.stop()


def file(tx: WriteTx, *target_ids: int) -> None:
    """Report events, each as another member."""
    for target_id in target_ids:
        case = store.lock_open_case(tx, "event", target_id, at_ms=0)
        store.add_report(tx, case, user_id=insert_user(tx), reason="spam", text="My words.", at_ms=0)


def close(tx: WriteTx, target_id: int) -> None:
    store.close_case(tx, store.lock_open_case(tx, "event", target_id, at_ms=0).id, note="", at_ms=1)


@proves(ALERTED)
async def test_operators_are_alerted_once_in_ten_minutes_by_whatever_process(
    db: Database, clock: ShiftableClock
) -> None:
    with webhook() as hook:
        async with running(db, hook.url), running(db, hook.url):
            await db.write(lambda tx: file(tx, 1))
            await settled(db, 1)
            # More reports of it, other things, and one that is dealt with before its alert is due.
            await db.write(lambda tx: file(tx, 1, 1, 2, 3))
            await db.write(lambda tx: close(tx, 3))
            # Both look.
            await work()
            assert len(hook.taken) == 1
            clock.advance(store.ALERT_EVERY_MS)
            await settled(db, 2)
            # Once closed, the next report of the same thing is its first again.
            await db.write(lambda tx: close(tx, 1))
            await db.write(lambda tx: file(tx, 1))
            clock.advance(store.ALERT_EVERY_MS)
            await settled(db, 3)
            clock.advance(store.ALERT_EVERY_MS)
            await work()
        assert [call["message"] for call in hook.taken] == [
            "Reported: event 1. See /desk/reports",
            "Reported: event 2. See /desk/reports",
            "Reported: event 1. See /desk/reports",
        ]
        assert {call["title"] for call in hook.taken} == {"Members report something"}


async def test_an_alert_of_many_things_names_ten(db: Database) -> None:
    await db.write(lambda tx: file(tx, *range(1, 13)))
    with webhook() as hook:
        async with running(db, hook.url):
            await happens(lambda: hook.taken)
        assert hook.taken[0]["message"].endswith("event 10 and 2 more. See /desk/reports")
