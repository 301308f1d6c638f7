"""What waits for a webhook, how it is counted, and how far it has come, at each boundary."""

from __future__ import annotations

import concurrent.futures
import re
from dataclasses import replace

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, MINUTE_MS
from foreknow.market.pools.store import update_pool
from foreknow.money import statements
from foreknow.money.statements import StatementLine
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.webhooks import WebhookSender, store
from foreknow.site.webhooks.messages import Message
from foreknow.site.webhooks.store import Progress, Webhook, WebhookBacklog
from foreknow.site.webhooks.tables import webhook_decisions, webhook_pools, webhook_secrets
from foreknow.trading.settlement.store import pool_decisions
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.support.rows import insert_pool
from tests.support.transactions import look
from tests.trading.partner.made import make_partner

SET_MS = 10_000_000
URL = "https://example.org/hook"


def webhook_of(tx: ReadTx, partner_id: int) -> Webhook:
    found = store.find(tx, partner_id)
    assert found is not None
    return found


def set_webhook(tx: WriteTx, name: str = "Acme", *, at_ms: int = SET_MS) -> Webhook:
    partner_id = make_partner(tx, name).row.id
    store.put(tx, partner_id, URL, at_ms=at_ms)
    return webhook_of(tx, partner_id)


def add_lines(tx: WriteTx, partner_id: int, *times_ms: int) -> list[int]:
    lines = [
        StatementLine(
            partner_id=partner_id, type="deposit", float_change_kopecks=1, balance_change_kopecks=0, created_at_ms=at_ms
        )
        for at_ms in times_ms
    ]
    statements.record(tx, lines)
    return sorted(row.id for row in statements.page(tx, partner_id=partner_id, before_id=None, limit=len(lines)))


def add_resolved(tx: WriteTx, at_ms: int, *, is_published: bool = True) -> int:
    pool_id = insert_pool(tx).pool_id
    published = {} if is_published else {"published_at_ms": None}
    result = {"state": "resolved", "won_side": 0, "resolution": {"won_side": 0}}
    update_pool(tx, pool_id, resolved_at_ms=at_ms, decided_at_ms=at_ms, **result, **published)
    return pool_id


def add_decision(tx: WriteTx, at_ms: int) -> int:
    row = {
        "pool_id": insert_pool(tx).pool_id,
        "won_side": 0,
        "payouts": [1.0, 0.0],
        "disputable_until_ms": at_ms + MINUTE_MS,
        "held_until_ms": None,
        "created_at_ms": at_ms,
    }
    return int(tx.execute(pool_decisions.insert().values(row).returning(pool_decisions.c.id)).scalar_one())


def named(messages: list[Message]) -> list[tuple[int | None, int | None, int | None]]:
    return [(one.line_id, one.pool_id, one.decision_id) for one in messages]


@ONCE
async def test_what_comes_from_the_moment_of_the_setting_on_is_posted_by_its_time(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx, float_kopecks=5).row.id
        add_resolved(tx, SET_MS - 1)
        add_decision(tx, SET_MS - 1)
        store.put(tx, acme, URL, at_ms=SET_MS)
        webhook = webhook_of(tx, acme)
        assert (webhook.failures, webhook.due_at_ms, webhook.created_at_ms) == (0, SET_MS, SET_MS)
        assert store.next_messages(tx, webhook) == []
        assert store.count_waiting(tx, webhook) == 0
        add_resolved(tx, SET_MS, is_published=False)
        lines = add_lines(tx, acme, SET_MS + 2, SET_MS + 4)
        late = add_resolved(tx, SET_MS + 4)
        pool, decision = add_resolved(tx, SET_MS), add_decision(tx, SET_MS)
        expected = [
            (None, None, decision),
            (None, pool, None),
            (lines[0], None, None),
            (None, late, None),
            (lines[1], None, None),
        ]
        assert named(store.next_messages(tx, webhook)) == expected
        assert named(store.next_messages(tx, webhook, limit=3)) == expected[:3]
        assert store.count_waiting(tx, webhook) == 5
        verdict, result = store.next_messages(tx, webhook, limit=2)
        assert re.fullmatch(r"pool_\d+_[0-9a-f]{12}", verdict.id)
        assert re.fullmatch(rf"pool_{pool}_[0-9a-f]{{12}}", result.id)
        # A release before noted no more of the moment than when it was set.
        assert named(store.next_messages(tx, replace(webhook, decisions_from_ms=0))) == expected

    await db.write(work)


@ONCE
async def test_a_webhook_set_again_goes_on_where_it_is_and_is_tried_at_once(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = set_webhook(tx), set_webhook(tx, "Other")
        lines = add_lines(tx, acme.partner_id, SET_MS + 1)
        store.put(tx, acme.partner_id, f"{URL}/new", at_ms=SET_MS + 2)
        again = webhook_of(tx, acme.partner_id)
        assert again == replace(acme, url=f"{URL}/new", due_at_ms=SET_MS + 2)
        assert named(store.next_messages(tx, again)) == [(lines[0], None, None)]
        assert webhook_of(tx, other.partner_id) == other
        # One that is new begins after the lines that are there.
        store.remove(tx, acme.partner_id)
        assert store.find(tx, acme.partner_id) is None
        store.put(tx, acme.partner_id, URL, at_ms=SET_MS + 3)
        assert webhook_of(tx, acme.partner_id).line_id == lines[0]
        assert webhook_of(tx, other.partner_id) == other

    await db.write(work)


@ONCE
async def test_lines_are_posted_again_from_one_to_another_behind_what_is_new(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = set_webhook(tx), set_webhook(tx, "Other")
        lines = add_lines(tx, acme.partner_id, *[SET_MS] * 5)
        delivered = store.write_progress(tx, acme, Progress(lines[3], delivered_at_ms=SET_MS + 1))
        assert store.begin_resend(tx, acme.partner_id, after_id=lines[0], until_id=lines[2], at_ms=SET_MS + 2)
        assert not store.begin_resend(tx, acme.partner_id, after_id=0, until_id=lines[3], at_ms=SET_MS + 2)
        webhook = webhook_of(tx, acme.partner_id)
        # It does not fail, and so is due when it was.
        assert webhook == replace(delivered, resent_id=lines[0], resend_until_id=lines[2])
        assert webhook_of(tx, other.partner_id) == other
        waiting = store.next_messages(tx, webhook)
        assert [(one.line_id, one.is_repeat) for one in waiting] == [
            (lines[4], False),
            (lines[1], True),
            (lines[2], True),
        ]
        assert store.next_messages(tx, webhook, limit=2) == waiting[:2]
        assert store.next_messages(tx, webhook, limit=1) == waiting[:1]
        assert store.count_waiting(tx, webhook) == 3
        for number, (message, left) in enumerate(zip(waiting, [2, 1, 0], strict=True)):
            progress = Progress(webhook.line_id).after(message, at_ms=SET_MS + 3 + number)
            moved = store.write_progress(tx, webhook, progress)
            webhook = webhook_of(tx, acme.partner_id)
            assert moved == webhook
            assert webhook.delivered_at_ms == SET_MS + 3 + number
            assert store.count_waiting(tx, webhook) == left
        assert (webhook.line_id, webhook.resent_id, webhook.resend_until_id) == (lines[4], None, None)
        assert webhook_of(tx, other.partner_id) == other

    await db.write(work)


@ONCE
async def test_ten_minutes_before_the_newest_result_are_looked_through_again(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        webhook, other = set_webhook(tx), set_webhook(tx, "Other")
        newest_ms = SET_MS + 30 * MINUTE_MS
        from_ms = newest_ms - store.OVERLAP_MS
        for at_ms in (from_ms - 1, from_ms, newest_ms):
            add_resolved(tx, at_ms)
            add_decision(tx, at_ms)
        assert store.write_progress(tx, webhook, Progress(webhook.line_id)) == webhook
        of_others = Progress(other.line_id)
        for message in store.next_messages(tx, other)[:2]:
            of_others = of_others.after(message, at_ms=newest_ms)
        store.write_progress(tx, other, of_others)
        # One at a time, the newest last.
        for message in store.next_messages(tx, webhook):
            progress = Progress(webhook.line_id).after(message, at_ms=newest_ms)
            webhook = store.write_progress(tx, webhook, progress)
        assert webhook == webhook_of(tx, webhook.partner_id)
        assert (webhook.pools_from_ms, webhook.decisions_from_ms) == (from_ms, from_ms)
        assert store.next_messages(tx, webhook) == []
        for rows, moment in ((webhook_pools, "resolved_at_ms"), (webhook_decisions, "decided_at_ms")):
            kept = sa.select(rows.c.partner_id, rows.c[moment]).order_by(rows.c.partner_id, rows.c[moment])
            assert tx.execute(kept).all() == [
                (webhook.partner_id, from_ms),
                (webhook.partner_id, newest_ms),
                (other.partner_id, from_ms - 1),
            ]
        # What is committed late is found, and an early result moves nothing back.
        late_pool, late_decision = add_resolved(tx, from_ms), add_decision(tx, from_ms)
        late = store.next_messages(tx, webhook)
        assert named(late) == [(None, None, late_decision), (None, late_pool, None)]
        for message in late:
            webhook = store.write_progress(tx, webhook, Progress(webhook.line_id).after(message, at_ms=newest_ms))
        assert (webhook.pools_from_ms, webhook.decisions_from_ms) == (from_ms, from_ms)

    await db.write(work)


@ONCE
async def test_a_thousand_that_wait_stand_for_more(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        webhook = set_webhook(tx)
        add_lines(tx, webhook.partner_id, *[SET_MS] * 999)
        assert store.count_waiting(tx, webhook) == 999
        add_decision(tx, SET_MS)
        assert store.count_waiting(tx, webhook) == 1_000
        add_lines(tx, webhook.partner_id, *[SET_MS] * 2)
        add_resolved(tx, SET_MS)
        assert store.count_waiting(tx, webhook) == 1_000

    await db.write(work)


async def test_a_backlog_is_as_old_as_what_has_waited_for_longest(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        assert store.backlogs(tx, at_ms=SET_MS) == {"ok": WebhookBacklog(0, 0), "failing": WebhookBacklog(0, 0)}
        acme, other = set_webhook(tx), set_webhook(tx, "Other")
        assert store.backlogs(tx, at_ms=SET_MS + 9)["ok"] == WebhookBacklog(2, 0)
        add_lines(tx, acme.partner_id, SET_MS + 5, SET_MS + 6)
        assert store.backlogs(tx, at_ms=SET_MS + 9)["ok"] == WebhookBacklog(2, 4)
        # A clock that is behind says no less than nothing.
        assert store.backlogs(tx, at_ms=SET_MS)["ok"] == WebhookBacklog(2, 0)
        add_resolved(tx, SET_MS + 4)
        add_resolved(tx, SET_MS + 7)
        assert store.backlogs(tx, at_ms=SET_MS + 9)["ok"] == WebhookBacklog(2, 5)
        add_decision(tx, SET_MS + 3)
        add_decision(tx, SET_MS + 8)
        assert store.backlogs(tx, at_ms=SET_MS + 9)["ok"] == WebhookBacklog(2, 6)
        assert other == webhook_of(tx, other.partner_id)

    await db.write(work)


@ONCE
async def test_the_last_secret_signs_for_a_day_more_and_five_sign_at_a_time(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = set_webhook(tx).partner_id, set_webhook(tx, "Other").partner_id
        store.add_secret(tx, other, "whsec_other", at_ms=0)
        store.add_secret(tx, acme, "whsec_0", at_ms=0)
        store.add_secret(tx, acme, "whsec_1", at_ms=1_000)
        assert store.live_secrets(tx, acme, at_ms=1_000 + DAY_MS - 1) == ["whsec_1", "whsec_0"]
        assert store.live_secrets(tx, acme, at_ms=1_000 + DAY_MS) == ["whsec_1"]
        for number in range(2, 7):
            store.add_secret(tx, acme, f"whsec_{number}", at_ms=2_000)
        assert store.live_secrets(tx, acme, at_ms=2_000) == [f"whsec_{number}" for number in (6, 5, 4, 3, 2)]
        assert store.live_secrets(tx, other, at_ms=9 * DAY_MS) == ["whsec_other"]
        # Those that have ended are kept no longer than until the next one.
        store.add_secret(tx, acme, "whsec_7", at_ms=2_000 + DAY_MS)
        stored = sa.select(webhook_secrets.c.secret).where(webhook_secrets.c.partner_id == acme)
        assert tx.execute(stored.order_by(webhook_secrets.c.id)).scalars().all() == ["whsec_6", "whsec_7"]
        store.remove(tx, acme)
        assert tx.execute(sa.select(webhook_secrets.c.secret)).scalars().all() == ["whsec_other"]

    await db.write(work)


@ONCE
async def test_where_nothing_waits_no_write_holds_up_orders(db: Database, clock: ShiftableClock) -> None:
    await db.write(lambda tx: set_webhook(tx, at_ms=clock()))
    seen: list[str] = []

    def note(_connection: object, _cursor: object, sql: str, *_rest: object) -> None:
        if "ORDER BY webhooks.due_at_ms" in sql:
            seen.append(sql)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        await WebhookSender(db, clock).deliver_due()
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)
    assert seen == []


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
async def test_a_webhook_that_its_partner_sets_is_locked(db: Database, database_url: str) -> None:
    acme, other = await db.write(lambda tx: (set_webhook(tx), set_webhook(tx, "Other")))
    free = sa.text("SELECT partner_id FROM webhooks FOR UPDATE SKIP LOCKED")

    def work(tx: WriteTx) -> list[int]:
        assert store.lock(tx, acme.partner_id) == acme
        with concurrent.futures.ThreadPoolExecutor(1) as elsewhere:
            return elsewhere.submit(look, database_url, lambda tx: list(tx.execute(free).scalars())).result()

    assert await db.write(work) == [other.partner_id]
