"""Endpoints that settle."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.db.transactions import WriteTx
from foreknow.events.errors import EventNotFound
from foreknow.events.routes import EventPath
from foreknow.events.schemas import Event
from foreknow.events.service import load_event_view
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.pools.errors import PoolNotFound
from foreknow.pools.routes import PoolPath
from foreknow.pools.schemas import Pool, pool_view
from foreknow.settlement import service
from foreknow.settlement.errors import AlreadyResolved
from foreknow.settlement.resolution import ResolveRequest, check
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, Request, post


class SettlementRoutes:
    """Resolving pools and cancelling events."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            post(
                "/pools/{pool_id}/resolve",
                self.resolve,
                AuthLevel.REQUIRED,
                Pool,
                "Resolve a pool and pay its positions",
                errors=(PoolNotFound, Forbidden, InvalidState, AlreadyResolved),
                description="By its event's creator or an admin. The same resolution again moves nothing.",
            ),
            post(
                "/events/{event_id}/cancel",
                self.cancel,
                AuthLevel.REQUIRED,
                Event,
                "Cancel an event",
                errors=(EventNotFound, Forbidden, InvalidState),
                description=(
                    "By its creator or an admin. Every unresolved pool is voided: each share is paid its market's "
                    "last probability."
                ),
            ),
        ]

    async def resolve(self, request: Request[PoolPath, None, ResolveRequest]) -> Pool:
        """Resolve and pay, in one transaction."""
        body = request.body
        check(body)
        return await self._context.db.write(
            lambda tx: pool_view(service.settle_pool(tx, request.path.pool_id, body, request.user))
        )

    async def cancel(self, request: PathRequest[EventPath]) -> Event:
        """Void and pay, in one transaction."""
        event_id = request.path.event_id

        def work(tx: WriteTx) -> Event:
            service.void_event(tx, event_id, request.user)
            return load_event_view(tx, event_id, now_ms=now_ms(tx))

        return await self._context.db.write(work)
