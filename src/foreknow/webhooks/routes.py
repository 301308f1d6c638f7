"""Endpoints of partners' webhooks."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.access.levels import AuthLevel
from foreknow.admin.partner_routes import PartnerPath
from foreknow.db.clock import now_ms
from foreknow.partner.errors import PartnerNotFound
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, Request, get, post, put
from foreknow.webhooks import service
from foreknow.webhooks.errors import WebhookNotFound
from foreknow.webhooks.schemas import IssuedWebhook, WebhookOrder, WebhookState, WebhookTest
from foreknow.webhooks.sender import WebhookSender

PATH = "/admin/partners/{partner_name}/webhook"


class WebhookRoutes:
    """A partner's webhook: setting it, how it goes, and trying it."""

    def __init__(self, context: RouteContext, sender: WebhookSender, *, internal_hosts: Collection[str]) -> None:
        """Answer from `context`; `internal_hosts` may be addressed though they are not public."""
        self._context = context
        self._sender = sender
        self._internal_hosts = internal_hosts

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            put(
                PATH,
                self.put,
                AuthLevel.ADMIN,
                IssuedWebhook,
                "Set or remove a partner's webhook",
                operation_id="set_partner_webhook",
                errors=(PartnerNotFound,),
                description="Each line of the statement (`partner.transaction`) and each resolved pool "
                "(`pool.resolved`) is posted to it from now on, in order, at least once, signed as Standard Webhooks "
                "says. The secret is shown in this answer and never again. Setting it again gives a new one; for 24 h "
                "both sign. docs/partners.md has an example.",
            ),
            get(
                PATH,
                self.state,
                AuthLevel.ADMIN,
                WebhookState,
                "How the deliveries of a partner's webhook go",
                operation_id="get_partner_webhook",
                errors=(PartnerNotFound, WebhookNotFound),
            ),
            post(
                f"{PATH}/test",
                self.test,
                AuthLevel.ADMIN,
                WebhookTest,
                "Post a test message to a partner's webhook, now",
                operation_id="send_partner_webhook_test",
                errors=(PartnerNotFound, WebhookNotFound),
                description="A message of the type `webhook.test`, signed like all others.",
            ),
        ]

    async def put(self, request: Request[PartnerPath, None, WebhookOrder]) -> IssuedWebhook:
        """Set it."""
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

    async def state(self, request: PathRequest[PartnerPath]) -> WebhookState:
        """Show how it goes."""
        return await self._context.db.lookup(lambda tx: service.state(tx, request.path.partner_name))

    async def test(self, request: PathRequest[PartnerPath]) -> WebhookTest:
        """Try it."""
        _, webhook = await self._context.db.lookup(lambda tx: service.of_partner(tx, request.path.partner_name))
        reason = await self._sender.test(webhook)
        return WebhookTest(delivered=not reason, reason=reason)
