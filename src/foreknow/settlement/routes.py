"""Endpoints that settle."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.events.errors import EventNotFound
from foreknow.events.routes import EventPath
from foreknow.events.schemas import Event
from foreknow.events.service import load_event_view
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.pools.errors import PoolNotFound
from foreknow.pools.routes import PoolPath
from foreknow.pools.schemas import Pool, pool_view
from foreknow.pools.store import load_pools
from foreknow.settlement import service
from foreknow.settlement.errors import AlreadyResolved
from foreknow.settlement.payments import PaymentService
from foreknow.settlement.resolution import ResolveRequest, check
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, Request, post


class SettlementRoutes:
    """Resolving pools and cancelling events."""

    def __init__(self, context: RouteContext, payments: PaymentService) -> None:
        """Answer from `context`, once `payments` has paid."""
        self._context = context
        self._payments = payments

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            post(
                "/pools/{pool_id}/resolve",
                self.resolve,
                AuthLevel.REQUIRED,
                Pool,
                "Resolve a pool and pay its positions",
                operation_id="resolve_pool",
                errors=(PoolNotFound, Forbidden, InvalidState, AlreadyResolved),
                description=(
                    "By its event's creator or an admin; where a rule resolves it, by its creator only in `attention`. "
                    "The same resolution again moves nothing. It is final at once, or after the pool's dispute window, "
                    "in which an admin's other resolution replaces it. Answers when all positions are paid, after 10 s "
                    "as it then stands."
                ),
            ),
            post(
                "/events/{event_id}/cancel",
                self.cancel,
                AuthLevel.REQUIRED,
                Event,
                "Cancel an event",
                operation_id="cancel_event",
                errors=(EventNotFound, Forbidden, InvalidState),
                description=(
                    "By its creator or an admin. Every pool without a result is voided: each share is paid its "
                    "market's last probability. Answers when all positions are paid, after 10 s as it then stands."
                ),
            ),
        ]

    async def resolve(self, request: Request[PoolPath, None, ResolveRequest]) -> Pool:
        """Decide, and where that is final at once, wait for the payments."""
        body, pool_id, db = request.body, request.path.pool_id, self._context.db
        check(body)
        # A scan of what was traded since; orders wait only for the little that comes after it.
        later = await db.read(lambda tx: service.trades_since(tx, pool_id, body))
        row = await db.write(lambda tx: service.resolve(tx, pool_id, body, request.user, later=later))
        if row.paying:
            await self._payments.wait_until_paid([pool_id])
        return await db.read(lambda tx: pool_view(load_pools(tx, [pool_id])[pool_id], now_ms=now_ms(tx)))

    async def cancel(self, request: PathRequest[EventPath]) -> Event:
        """Void, and wait for the payments."""
        event_id, db = request.path.event_id, self._context.db
        pool_ids = await db.write(lambda tx: service.void_event(tx, event_id, request.user))
        if pool_ids:
            await self._payments.wait_until_paid(pool_ids)
        return await db.read(lambda tx: load_event_view(tx, event_id, now_ms=now_ms(tx)))
