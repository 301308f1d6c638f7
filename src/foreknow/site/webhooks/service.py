"""Setting, removing and showing webhooks. All functions run in the caller's transaction; changes are logged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from foreknow.kernel.access.callers import Caller, PartnerCaller, UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.errors import InvalidState
from foreknow.money import statements
from foreknow.people import admin_log, attention
from foreknow.people.users import require_live_session
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.sending import HELD_TEXT, is_held
from foreknow.site.webhooks import store
from foreknow.site.webhooks.addresses import read_address, read_public_address
from foreknow.site.webhooks.errors import TransactionNotFound, WebhookNotFound
from foreknow.site.webhooks.messages import new_secret
from foreknow.site.webhooks.schemas import IssuedWebhook, WebhookState
from foreknow.site.webhooks.store import Webhook
from foreknow.trading.partner.keys import require_live_key
from foreknow.trading.partner.store import partner_by_name

#: The kind of entries of GET /admin/attention, and their reason.
ATTENTION_KIND: Final = "webhook"
ATTENTION_REASON = "webhook_failing"
UNDER_WAY = "Lines are being posted again already; wait until no message waits."


def put(
    tx: WriteTx, admin: UserCaller, *, name: str, url: str, internal_hosts: Collection[str], at_ms: int
) -> IssuedWebhook:
    """Set a partner's webhook with a new secret, or remove it where `url` is ""; `BadRequest`, `PartnerNotFound`."""
    require_live_session(tx, admin, AuthLevel.ADMIN)
    address = read_address(url, internal_hosts)
    partner = partner_by_name(tx, name)
    return _set(tx, admin, partner.id, partner.name, address, at_ms=at_ms)


def put_own(
    tx: WriteTx, caller: PartnerCaller, *, url: str, internal_hosts: Collection[str], at_ms: int
) -> IssuedWebhook:
    """Do as `put` for the partner itself: to public addresses alone, or to the one that an admin has set.

    Raises `InvalidPartnerKey`, `BadRequest`.
    """
    require_live_key(tx, caller)
    webhook = store.lock(tx, caller.partner_id)
    is_kept = webhook is not None and url == webhook.url
    address = url if is_kept else read_public_address(url, internal_hosts)
    return _set(tx, caller, caller.partner_id, caller.name, address, at_ms=at_ms)


def remove_own(tx: WriteTx, caller: PartnerCaller, *, at_ms: int) -> None:
    """Remove a partner's own webhook, if it has one; `InvalidPartnerKey`."""
    require_live_key(tx, caller)
    if store.lock(tx, caller.partner_id) is not None:
        _set(tx, caller, caller.partner_id, caller.name, "", at_ms=at_ms)


def _set(tx: WriteTx, by: Caller, partner_id: int, name: str, address: str, *, at_ms: int) -> IssuedWebhook:
    secret = ""
    if address:
        secret = new_secret()
        store.put(tx, partner_id, address, at_ms=at_ms)
        store.add_secret(tx, partner_id, secret, at_ms=at_ms)
    else:
        store.remove(tx, partner_id)
        attention.close_entry(tx, ATTENTION_KIND, partner=name, at_ms=at_ms)
    # Not the whole address: its path may hold a password.
    details = {"host": urlsplit(address).netloc}
    admin_log.record(tx, by, action="partner.webhook", target=f"partner:{name}", details=details, at_ms=at_ms)
    return IssuedWebhook(address, secret)


@dataclass(frozen=True, slots=True)
class LinesToResend:
    """Lines of a partner over `after_id` and up to `until_id`."""

    after_id: int
    until_id: int
    count: int


def lines_to_resend(tx: ReadTx, partner_id: int, *, after_id: int) -> LinesToResend:
    """Return what comes after a line of a partner's statement, or all of it after 0.

    Counts the lines, and so stands apart from the transaction that posts them again. Raises `WebhookNotFound`,
    `TransactionNotFound`, `InvalidState` while an earlier resend is under way.
    """
    webhook = of_partner(tx, partner_id)
    if after_id and not statements.has_line(tx, partner_id, after_id):
        raise TransactionNotFound
    if webhook.resend_until_id is not None:
        raise InvalidState(UNDER_WAY)
    newest = statements.page(tx, partner_id=partner_id, before_id=None, limit=1)
    count = statements.count_after(tx, partner_id, after_id)
    return LinesToResend(after_id, newest[0].id if newest else 0, count)


def resend(tx: WriteTx, caller: PartnerCaller, lines: LinesToResend, *, at_ms: int) -> None:
    """Begin to post lines again; `InvalidPartnerKey`, `WebhookNotFound`, `InvalidState`."""
    require_live_key(tx, caller)
    webhook = of_partner(tx, caller.partner_id)
    if not lines.count:
        return
    if not store.begin_resend(tx, webhook.partner_id, after_id=lines.after_id, until_id=lines.until_id, at_ms=at_ms):
        raise InvalidState(UNDER_WAY)
    details = {"after_id": lines.after_id, "count": lines.count}
    target = f"partner:{caller.name}"
    admin_log.record(tx, caller, action="partner.webhook_resend", target=target, details=details, at_ms=at_ms)


def of_partner(tx: ReadTx, partner_id: int) -> Webhook:
    """Return a partner's webhook; `WebhookNotFound`."""
    webhook = store.find(tx, partner_id)
    if webhook is None:
        raise WebhookNotFound
    return webhook


def state(tx: ReadTx, partner_id: int) -> WebhookState:
    """Return how the deliveries of a partner's webhook go; `WebhookNotFound`."""
    webhook = of_partner(tx, partner_id)
    return WebhookState(
        url=webhook.url,
        created_at=iso(webhook.created_at_ms),
        last_delivery_at=iso_or_none(webhook.delivered_at_ms),
        failing_since=iso_or_none(webhook.failing_since_ms),
        reason=HELD_TEXT if is_held(tx) else webhook.reason,
        next_attempt_at=iso(webhook.due_at_ms) if webhook.failing_since_ms is not None else None,
        waiting=store.count_waiting(tx, webhook),
    )
