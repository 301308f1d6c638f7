"""Sending what waits to a sink on this machine, for tests below HTTP."""

from __future__ import annotations

import asyncio

from foreknow.money import statements
from foreknow.money.statements import StatementLine
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.webhooks import WebhookSender, store
from tests.support.clock import ShiftableClock
from tests.support.webhook import Webhook
from tests.trading.partner.made import make_partner


def sender(db: Database, clock: ShiftableClock) -> WebhookSender:
    return WebhookSender(db, clock, internal_hosts={"127.0.0.1"}, jitter=lambda: 0.0)


def with_webhook(tx: WriteTx, sink: Webhook, *, at_ms: int, name: str = "Acme") -> int:
    partner_id = make_partner(tx, name).row.id
    store.put(tx, partner_id, sink.address, at_ms=at_ms)
    store.add_secret(tx, partner_id, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", at_ms=at_ms)
    return partner_id


def add_lines(tx: WriteTx, partner_id: int, count: int, *, at_ms: int) -> None:
    line = StatementLine(
        partner_id=partner_id, type="deposit", float_change_kopecks=1, balance_change_kopecks=0, created_at_ms=at_ms
    )
    statements.record(tx, [line] * count)


async def deliver_to_hanging(
    service: WebhookSender, db: Database, clock: ShiftableClock, sink: Webhook
) -> tuple[int, asyncio.Task[None]]:
    """Begin to deliver five lines to a sink that does not answer; return the partner's id and what delivers."""
    partner_id = await db.write(lambda tx: with_webhook(tx, sink, at_ms=clock()))
    await db.write(lambda tx: add_lines(tx, partner_id, 5, at_ms=clock()))
    sink.answering.clear()
    delivering = asyncio.create_task(service.deliver_due())
    await asyncio.to_thread(sink.wait_for_arrival)
    return partner_id, delivering


def ids(sink: Webhook, *, taken: bool = True) -> list[str]:
    return [call.headers["webhook-id"] for call in sink.requests if not taken or call.status == 200]


async def line_ids(db: Database, partner_id: int) -> list[str]:
    rows = await db.read(lambda tx: statements.after(tx, partner_id, after_id=0, limit=1_000))
    return [f"transaction_{row.id}" for row in rows]
