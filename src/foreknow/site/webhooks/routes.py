"""Admins' endpoints of partners' webhooks."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.kernel.access.levels import AuthLevel
from foreknow.platform.db.clock import now_ms
from foreknow.site.admin.partner_routes import PartnerPath
from foreknow.site.webhooks import service
from foreknow.site.webhooks.errors import WebhookNotFound
from foreknow.site.webhooks.schemas import IssuedWebhook, WebhookOrder, WebhookState, WebhookTest
from foreknow.site.webhooks.sender import WebhookSender
from foreknow.trading.partner.errors import PartnerNotFound
from foreknow.trading.partner.store import partner_by_name
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PathRequest, Request, get, post, put

PATH = "/admin/partners/{partner_name}/webhook"


class WebhookRoutes:
    """A partner's webhook: setting it, how it goes, and trying it."""

    def __init__(self, context: RouteContext, sender: WebhookSender, *, internal_hosts: Collection[str]) -> None:
        """Answer from `context`; `internal_hosts` may be addressed though they are not public."""
        self._context = context
        self._sender = sender
        self._internal_hosts = internal_hosts

    @put(PATH, AuthLevel.ADMIN, errors=(PartnerNotFound,))
    async def set_partner_webhook(self, request: Request[PartnerPath, None, WebhookOrder]) -> IssuedWebhook:
        """Set or remove a partner's webhook.

        Each line of the statement (`partner.transaction`), each result that can be corrected (`pool.decided`) and each
        resolved pool (`pool.resolved`) is posted to it from now on, in order, at least once, signed as Standard
        Webhooks says. The secret is shown in this answer and never again. Setting it again gives a new one; for 24 h
        both sign. docs/partners.md has an example.
        """
        issued = await self._context.db.write_private(
            lambda tx: service.put(
                tx,
                request.user,
                name=request.path.partner_name,
                url=request.body.url,
                internal_hosts=self._internal_hosts,
                at_ms=now_ms(tx),
            )
        )
        self._sender.wake()
        return issued

    @get(PATH, AuthLevel.ADMIN, errors=(PartnerNotFound, WebhookNotFound))
    async def get_partner_webhook(self, request: PathRequest[PartnerPath]) -> WebhookState:
        """How the deliveries of a partner's webhook go."""
        return await self._context.db.lookup(
            lambda tx: service.state(tx, partner_by_name(tx, request.path.partner_name).id)
        )

    @post(f"{PATH}/test", AuthLevel.ADMIN, errors=(PartnerNotFound, WebhookNotFound))
    async def send_partner_webhook_test(self, request: PathRequest[PartnerPath]) -> WebhookTest:
        """Post a test message to a partner's webhook, now.

        A message of the type `webhook.test`, signed like all others.
        """
        webhook = await self._context.db.lookup(
            lambda tx: service.of_partner(tx, partner_by_name(tx, request.path.partner_name).id)
        )
        reason = await self._sender.test(webhook)
        return WebhookTest(delivered=not reason, reason=reason)
