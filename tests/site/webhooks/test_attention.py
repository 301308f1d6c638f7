"""Operators hear of webhooks that fail for long, until a message is taken."""

from __future__ import annotations

import pytest

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.people.attention.store import newest_open
from foreknow.platform.db.engine import Database
from foreknow.site.webhooks import sender as sending
from foreknow.site.webhooks import store
from foreknow.site.webhooks.tables import webhooks
from tests.site.webhooks.deliveries import add_lines, ids, sender, with_webhook
from tests.support.clock import ShiftableClock
from tests.support.webhook import Webhook


async def test_operators_hear_of_it_three_days_after_the_first_failure(
    db: Database, clock: ShiftableClock, sink: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its place is free again after each attempt.
    monkeypatch.setattr(sending, "RETRIES_MAX", 1)
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    await db.write(lambda tx: add_lines(tx, partner_id, 1, at_ms=clock()))
    since_ms = clock() - 3 * DAY_MS + HOUR_MS
    failing = webhooks.update().values(failures=20, failing_since_ms=since_ms)
    await db.write(lambda tx: tx.execute(failing))
    service = sender(db, clock)
    sink.status = 503
    await service.deliver_due()
    found = await db.read(lambda tx: store.find(tx, partner_id))
    assert found is not None
    # Not only after the pause of six hours.
    assert found.due_at_ms == since_ms + 3 * DAY_MS
    assert not await db.read(lambda tx: newest_open(tx, before_id=None, limit=10))
    clock.advance(HOUR_MS)
    await service.deliver_due()
    (entry,) = await db.read(lambda tx: newest_open(tx, before_id=None, limit=10))
    assert entry.partner == "Acme"
    found = await db.read(lambda tx: store.find(tx, partner_id))
    assert found is not None
    assert (found.due_at_ms, found.failures) == (clock() + 6 * HOUR_MS, 22)


async def test_it_is_over_with_the_first_message_that_is_taken(
    db: Database, clock: ShiftableClock, sink: Webhook
) -> None:
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    await db.write(lambda tx: add_lines(tx, partner_id, 3, at_ms=clock()))
    failing = webhooks.update().values(failures=20, failing_since_ms=clock() - 3 * DAY_MS)
    await db.write(lambda tx: tx.execute(failing))
    service = sender(db, clock)
    sink.failures = [500, 200, 500]
    await service.deliver_due()
    assert len(await db.read(lambda tx: newest_open(tx, before_id=None, limit=10))) == 1
    clock.advance(6 * HOUR_MS)
    await service.deliver_due()
    # The next one is not, which is another failure, and a new one.
    assert len(ids(sink)) == 1
    assert not await db.read(lambda tx: newest_open(tx, before_id=None, limit=10))
    found = await db.read(lambda tx: store.find(tx, partner_id))
    assert found is not None
    assert (found.failures, found.failing_since_ms) == (1, clock())
