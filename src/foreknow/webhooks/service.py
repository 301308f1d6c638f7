"""Setting, removing and showing webhooks. All functions run in the caller's transaction; admins' actions are logged."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from foreknow import admin_log, attention
from foreknow.access.callers import UserCaller
from foreknow.access.levels import AuthLevel
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import iso, iso_or_none
from foreknow.partner.store import PartnerRow, partner_by_name
from foreknow.users import require_live_session
from foreknow.webhooks import store
from foreknow.webhooks.addresses import read_address
from foreknow.webhooks.errors import WebhookNotFound
from foreknow.webhooks.messages import new_secret
from foreknow.webhooks.schemas import IssuedWebhook, WebhookState
from foreknow.webhooks.store import Webhook

#: The kind of entries of GET /admin/attention, and their reason.
ATTENTION_KIND: Final = "webhook"
ATTENTION_REASON = "webhook_failing"


def put(
    tx: WriteTx, admin: UserCaller, *, name: str, url: str, internal_hosts: Collection[str], at_ms: int
) -> IssuedWebhook:
    """Set a partner's webhook with a new secret, or remove it where `url` is ""; `BadRequest`, `PartnerNotFound`."""
    require_live_session(tx, admin, AuthLevel.ADMIN)
    address = read_address(url, internal_hosts)
    partner = partner_by_name(tx, name)
    secret = ""
    if address:
        secret = new_secret()
        store.put(tx, partner.id, address, at_ms=at_ms)
        store.add_secret(tx, partner.id, secret, at_ms=at_ms)
    else:
        store.remove(tx, partner.id)
        attention.close_entry(tx, ATTENTION_KIND, partner=partner.name, at_ms=at_ms)
    # Not the whole address: its path may hold a password.
    details = {"host": urlsplit(address).netloc}
    admin_log.record(
        tx, admin, action="partner.webhook", target=f"partner:{partner.name}", details=details, at_ms=at_ms
    )
    return IssuedWebhook(address, secret)


def of_partner(tx: ReadTx, name: str) -> tuple[PartnerRow, Webhook]:
    """Return a partner and its webhook; `PartnerNotFound`, `WebhookNotFound`."""
    partner = partner_by_name(tx, name)
    webhook = store.find(tx, partner.id)
    if webhook is None:
        raise WebhookNotFound
    return partner, webhook


def state(tx: ReadTx, name: str) -> WebhookState:
    """Return how the deliveries of a partner's webhook go; `PartnerNotFound`, `WebhookNotFound`."""
    _, webhook = of_partner(tx, name)
    return WebhookState(
        url=webhook.url,
        created_at=iso(webhook.created_at_ms),
        last_delivery_at=iso_or_none(webhook.delivered_at_ms),
        failing_since=iso_or_none(webhook.failing_since_ms),
        reason=webhook.reason,
        next_attempt_at=iso(webhook.due_at_ms) if webhook.failing_since_ms is not None else None,
        waiting=store.count_waiting(tx, webhook),
    )
