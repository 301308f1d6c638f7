"""Deliveries through bad hours: sinks that are down for days, processes that die, and several of them."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, HOUR_MS, SECOND_MS
from foreknow.money import statements
from foreknow.people.attention.store import newest_open
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.webhooks import sender as sending
from foreknow.site.webhooks import store
from foreknow.site.webhooks.sender import BACK_OFF
from foreknow.site.webhooks.store import LEASE_MS, WebhookBacklog
from foreknow.site.webhooks.tables import webhooks
from tests.site.webhooks.deliveries import add_lines, deliver_to_hanging, ids, line_ids, sender, with_webhook
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.support.plans import plan
from tests.support.proofs import proves
from tests.support.webhook import Webhook, webhook


@proves(
    "partners: At least once: a message that is not answered with a 2xx within 15 s is posted again after growing "
    "pauses (5 s … 6 h, each shortened by up to a half at random), until it is, and none is left out or overtaken.",
    "partners: What fails for 3 days stands in GET /admin/attention (kind `webhook`, reason `webhook_failing`, the "
    "partner's name in `partner`, a field that no other kind has) until a message is taken.",
)
async def test_a_sink_that_is_down_loses_nothing(db: Database, clock: ShiftableClock, sink: Webhook) -> None:
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    service = sender(db, clock)
    sink.status = 503
    waited_ms = 0
    began_ms = clock()
    for attempt in range(1, 28):
        await db.write(lambda tx: add_lines(tx, partner_id, 2, at_ms=clock()))
        await service.deliver_due()
        assert len(sink.requests) == attempt
        pause_ms = BACK_OFF.pause_ms(attempt, jitter=0.0)
        found = await db.read(lambda tx: store.find(tx, partner_id))
        assert found is not None
        assert found.failures == attempt
        assert found.due_at_ms - clock() <= pause_ms
        assert attempt > 1 or found.due_at_ms - clock() == 5 * SECOND_MS
        # Nothing before its time.
        await service.deliver_due()
        assert len(sink.requests) == attempt
        is_long = clock() - began_ms >= 3 * DAY_MS
        entries = await db.read(lambda tx: newest_open(tx, before_id=None, limit=10))
        assert [(one.kind, one.partner, one.reason) for one in entries] == [
            ("webhook", "Acme", "webhook_failing")
        ] * is_long
        waited_ms += pause_ms
        clock.advance(pause_ms + SECOND_MS)
    assert waited_ms > 3 * DAY_MS
    states = await db.read(lambda tx: store.backlogs(tx, at_ms=clock()))
    assert states["ok"] == WebhookBacklog()
    assert states["failing"].webhooks == 1
    assert waited_ms <= states["failing"].waiting_ms <= clock() - began_ms
    assert (service.metrics.taken, service.metrics.failed) == (0, 27)
    # Of few rows PostgreSQL chooses any index.
    if db.is_sqlite:
        read_by = await db.read(lambda tx: plan(tx, lambda: store.backlogs(tx, at_ms=clock())))
        assert all(index in read_by for index in ("ix_partner_transactions_partner_id_id", "ix_pools_resolved"))
    assert len(set(ids(sink, taken=False))) == 1

    sink.status = 200
    await service.deliver_due()
    assert ids(sink) == await line_ids(db, partner_id)
    assert not await db.read(lambda tx: newest_open(tx, before_id=None, limit=10))
    found = await db.read(lambda tx: store.find(tx, partner_id))
    assert found is not None
    assert (found.failures, found.failing_since_ms, found.reason) == (0, None, "")
    assert await db.read(lambda tx: store.backlogs(tx, at_ms=clock())) == {
        "ok": WebhookBacklog(1, 0),
        "failing": WebhookBacklog(),
    }
    assert (service.metrics.taken, service.metrics.failed) == (54, 27)
    await service.deliver_due()
    assert len(ids(sink)) == 54


async def test_a_failure_between_is_posted_again_and_nothing_overtakes_it(
    db: Database, clock: ShiftableClock, sink: Webhook
) -> None:
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    await db.write(lambda tx: add_lines(tx, partner_id, 120, at_ms=clock()))
    service = sender(db, clock)
    sink.failures = [200, 200, 500]
    await service.deliver_due()
    assert len(ids(sink)) == 2
    assert await db.read(lambda tx: tx.execute(sa.select(webhooks.c.failures)).scalar()) == 1
    clock.advance(HOUR_MS)
    await service.deliver_due()
    assert ids(sink) == await line_ids(db, partner_id)


async def test_what_a_dying_process_left_is_posted_by_another(
    db: Database, clock: ShiftableClock, sink: Webhook
) -> None:
    dying = sender(db, clock)
    partner_id, delivering = await deliver_to_hanging(dying, db, clock, sink)
    other = sender(db, clock)
    await other.deliver_due()
    # It holds the lease, so no other posts.
    assert sink.arrived == 1
    for task in dying._delivering:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await delivering
    sink.answering.set()
    clock.advance(LEASE_MS)
    await other.deliver_due()
    expected = await line_ids(db, partner_id)
    assert list(dict.fromkeys(ids(sink))) == expected
    assert len(ids(sink)) <= 6


async def test_an_attempt_that_a_stop_cuts_off_is_made_again_at_once(
    db: Database, clock: ShiftableClock, sink: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "STOP_S", 0.0)
    stopping, other = sender(db, clock), sender(db, clock)
    partner_id, delivering = await deliver_to_hanging(stopping, db, clock, sink)
    under_way = list(stopping._delivering)
    await stopping.stop()
    assert [task.done() for task in under_way] == [True]
    await delivering
    found = await db.read(lambda tx: store.find(tx, partner_id))
    assert found is not None
    assert (found.failures, found.failing_since_ms) == (0, None)
    sink.answering.set()
    await other.deliver_due()
    assert list(dict.fromkeys(ids(sink))) == await line_ids(db, partner_id)


@ONCE
async def test_a_stop_lets_the_attempt_end_that_is_under_way(
    db: Database, clock: ShiftableClock, sink: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "STOP_S", 600.0)
    service = sender(db, clock)
    partner_id, delivering = await deliver_to_hanging(service, db, clock, sink)
    stopping = asyncio.create_task(service.stop())
    for _ in range(9):
        await asyncio.sleep(0)
    sink.answering.set()
    await asyncio.gather(stopping, delivering)
    found = await db.read(lambda tx: store.find(tx, partner_id))
    assert found is not None
    # It is noted, and none is begun after it.
    assert [f"transaction_{found.line_id}"] == ids(sink) == (await line_ids(db, partner_id))[:1]


@ONCE
async def test_a_stop_before_the_first_attempt_leaves_all_to_others(
    db: Database, clock: ShiftableClock, sink: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "STOP_S", 0.0)
    stopping, other = sender(db, clock), sender(db, clock)
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    await db.write(lambda tx: add_lines(tx, partner_id, 2, at_ms=clock()))
    await stopping._begin_due()
    await stopping.stop()
    clock.advance(LEASE_MS)
    await other.deliver_due()
    assert list(dict.fromkeys(ids(sink))) == await line_ids(db, partner_id)


@ONCE
async def test_no_more_are_delivered_to_at_once_than_there_are_places(
    db: Database, clock: ShiftableClock, sink: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "DELIVERIES_MAX", 1)
    service = sender(db, clock)
    _, delivering = await deliver_to_hanging(service, db, clock, sink)
    other_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock(), name="Other"))
    await db.write(lambda tx: add_lines(tx, other_id, 1, at_ms=clock()))
    await service._begin_due()
    assert len(service._delivering) == 1
    sink.answering.set()
    await delivering
    await service.deliver_due()
    assert ids(sink)[5:] == await line_ids(db, other_id)


@ONCE
async def test_what_is_stopped_looks_for_nothing_more(db: Database, clock: ShiftableClock) -> None:
    service = sender(db, clock)
    service.start()
    assert "webhooks" in {task.get_name() for task in asyncio.all_tasks()}
    await service.stop()
    assert "webhooks" not in {task.get_name() for task in asyncio.all_tasks()}


async def resend(db: Database, partner_id: int, clock: ShiftableClock, *, after_id: int = 0) -> bool:
    """Begin to post again what comes after a line."""

    def begin(tx: WriteTx) -> bool:
        newest = statements.page(tx, partner_id=partner_id, before_id=None, limit=1)[0].id
        return store.begin_resend(tx, partner_id, after_id=after_id, until_id=newest, at_ms=clock())

    return await db.write(begin)


async def test_new_lines_go_before_those_that_are_posted_again(
    db: Database, clock: ShiftableClock, sink: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A step for each message.
    monkeypatch.setattr(sending, "SAVE_S", 0.0)
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    await db.write(lambda tx: add_lines(tx, partner_id, 4, at_ms=clock()))
    service = sender(db, clock)
    await service.deliver_due()
    old = await line_ids(db, partner_id)
    assert await resend(db, partner_id, clock)
    assert not await resend(db, partner_id, clock)
    sink.answering.clear()
    delivering = asyncio.create_task(service.deliver_due())
    await asyncio.to_thread(sink.wait_for_arrivals, 5)
    await db.write(lambda tx: add_lines(tx, partner_id, 2, at_ms=clock()))
    sink.answering.set()
    await delivering
    new = (await line_ids(db, partner_id))[4:]
    assert ids(sink) == [*old, old[0], *new, *old[1:]]
    # It is done, and another may begin.
    found = await db.read(lambda tx: store.find(tx, partner_id))
    assert found is not None
    assert (found.resent_id, found.resend_until_id) == (None, None)
    assert await db.read(lambda tx: store.count_waiting(tx, found)) == 0
    assert await resend(db, partner_id, clock, after_id=found.line_id - 1)
    await service.deliver_due()
    assert ids(sink)[-1] == new[-1]
    assert len(ids(sink)) == 11


async def test_lines_are_posted_again_once_by_two_processes_and_all_after_one_dies(
    db: Database, clock: ShiftableClock, sink: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "SAVE_S", 0.0)
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    await db.write(lambda tx: add_lines(tx, partner_id, 30, at_ms=clock()))
    dying, other = sender(db, clock), sender(db, clock)
    await dying.deliver_due()
    lines = await line_ids(db, partner_id)
    assert await resend(db, partner_id, clock)
    await asyncio.gather(dying.deliver_due(), other.deliver_due())
    assert ids(sink) == lines * 2

    assert await resend(db, partner_id, clock)
    with monkeypatch.context() as brief:
        brief.setattr(sending, "TURN_S", 0.0)
        await dying.deliver_due()
    assert ids(sink) == [*lines * 2, lines[0]]
    sink.answering.clear()
    delivering = asyncio.create_task(dying.deliver_due())
    await asyncio.to_thread(sink.wait_for_arrivals, 62)
    for task in dying._delivering:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await delivering
    sink.answering.set()
    clock.advance(LEASE_MS)
    await other.deliver_due()
    third = ids(sink)[60:]
    assert list(dict.fromkeys(third)) == lines
    assert len(third) <= len(lines) + 1


async def test_a_resend_tries_a_webhook_that_fails_at_once(db: Database, clock: ShiftableClock, sink: Webhook) -> None:
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    await db.write(lambda tx: add_lines(tx, partner_id, 3, at_ms=clock()))
    service = sender(db, clock)
    sink.failures = [200, 500]
    await service.deliver_due()
    assert len(ids(sink)) == 1
    lines = await line_ids(db, partner_id)
    assert await resend(db, partner_id, clock)
    await service.deliver_due()
    # What waited comes first, then all of it in order.
    assert ids(sink) == [*lines, *lines]


@ONCE
async def test_receivers_that_never_answer_hold_up_no_other(
    db: Database, clock: ShiftableClock, sink: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "DELIVERIES_MAX", 3)
    monkeypatch.setattr(sending, "RETRIES_MAX", 2)
    service = sender(db, clock)
    with webhook() as stuck:
        stuck.status = 500

        def begin(tx: WriteTx) -> None:
            for number in range(4):
                add_lines(tx, with_webhook(tx, stuck, at_ms=clock(), name=f"Stuck{number}"), 1, at_ms=clock())

        await db.write(begin)
        # Three of the four have a place; the last gets its turn behind them.
        await service.deliver_due()
        await service.deliver_due()
        assert stuck.arrived == 4
        stuck.answering.clear()
        clock.advance(HOUR_MS)
        retrying = asyncio.create_task(service.deliver_due())
        await asyncio.to_thread(stuck.wait_for_arrivals, 6)
        partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
        await db.write(lambda tx: add_lines(tx, partner_id, 3, at_ms=clock()))
        well = asyncio.create_task(service.deliver_due())
        await asyncio.to_thread(sink.wait_for, 3)
        assert stuck.arrived == 6
        stuck.answering.set()
        await asyncio.gather(retrying, well)
    assert ids(sink) == await line_ids(db, partner_id)


async def test_several_processes_post_each_message_once(db: Database, clock: ShiftableClock, sink: Webhook) -> None:
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    services = [sender(db, clock) for _ in range(4)]
    for _ in range(5):
        await db.write(lambda tx: add_lines(tx, partner_id, 7, at_ms=clock()))
        await asyncio.gather(*(service.deliver_due() for service in services))
    assert ids(sink) == await line_ids(db, partner_id)
