"""Partners' own endpoints of their webhooks."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import InvalidState
from foreknow.platform.db.clock import now_ms
from foreknow.site.webhooks import service
from foreknow.site.webhooks.errors import TransactionNotFound, WebhookNotFound
from foreknow.site.webhooks.schemas import (
    IssuedWebhook,
    Resend,
    ResendOrder,
    WebhookOrder,
    WebhookState,
    WebhookTest,
)
from foreknow.site.webhooks.sender import WebhookSender
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, PlainRequest, RateLimitGroup, delete, get, post, put
from foreknow.web.responses import Empty

#: Changes stay in the log permanently, and a test is a request to another site.
WEBHOOKS = RateLimitGroup("webhooks")
PATH = "/partner/webhook"


class PartnerWebhookRoutes:
    """A partner's own webhook: setting it, how it goes, trying it, and what was posted once more."""

    def __init__(self, context: RouteContext, sender: WebhookSender, *, internal_hosts: Collection[str]) -> None:
        """Answer from `context`; `internal_hosts` are those that admins alone may name."""
        self._context = context
        self._sender = sender
        self._internal_hosts = internal_hosts

    @put(PATH, AuthLevel.PARTNER, rate_limit_group=WEBHOOKS)
    async def set_webhook(self, request: BodyRequest[WebhookOrder]) -> IssuedWebhook:
        """Set or remove your webhook.

        Each line of your statement (`partner.transaction`), each result that can be corrected (`pool.decided`) and each
        resolved pool (`pool.resolved`) is posted to it from now on, in order, at least once, signed as Standard
        Webhooks says. The secret is shown in this answer and never again. Setting it again gives a new one; for 24 h
        both sign. docs/partners.md has an example.
        """
        issued = await self._context.db.write_private(
            lambda tx: service.put_own(
                tx, request.partner, url=request.body.url, internal_hosts=self._internal_hosts, at_ms=now_ms(tx)
            )
        )
        self._sender.wake()
        return issued

    @get(PATH, AuthLevel.PARTNER, errors=(WebhookNotFound,))
    async def get_webhook(self, request: PlainRequest) -> WebhookState:
        """How the deliveries of your webhook go."""
        return await self._context.db.lookup(lambda tx: service.state(tx, request.partner.partner_id))

    @delete(PATH, AuthLevel.PARTNER, rate_limit_group=WEBHOOKS)
    async def delete_webhook(self, request: PlainRequest) -> Empty:
        """Remove your webhook with what waits for it.

        Done twice, it changes nothing more.
        """
        await self._context.db.write_private(lambda tx: service.remove_own(tx, request.partner, at_ms=now_ms(tx)))
        return Empty()

    @post(f"{PATH}/test", AuthLevel.PARTNER, errors=(WebhookNotFound,), rate_limit_group=WEBHOOKS)
    async def send_webhook_test(self, request: PlainRequest) -> WebhookTest:
        """Post a test message to your webhook, now.

        A message of the type `webhook.test`, signed like all others.
        """
        webhook = await self._context.db.lookup(lambda tx: service.of_partner(tx, request.partner.partner_id))
        reason = await self._sender.test(webhook)
        return WebhookTest(delivered=not reason, reason=reason)

    @post(
        f"{PATH}/resend",
        AuthLevel.PARTNER,
        errors=(WebhookNotFound, TransactionNotFound, InvalidState),
        rate_limit_group=WEBHOOKS,
    )
    async def resend_transactions(self, request: BodyRequest[ResendOrder]) -> Resend:
        """Post lines of your statement once more.

        All that come after one of them, or all with 0, in order, each with the `webhook-id` that it had. New messages
        are posted in between. One resend at a time: the next is refused until this one is done.
        """
        partner_id, after_id = request.partner.partner_id, request.body.after_id
        # Counted before the transaction that writes: on SQLite every order would wait for it.
        lines = await self._context.db.read(lambda tx: service.lines_to_resend(tx, partner_id, after_id=after_id))
        await self._context.db.write_private(lambda tx: service.resend(tx, request.partner, lines, at_ms=now_ms(tx)))
        self._sender.wake()
        return Resend(lines.count)
