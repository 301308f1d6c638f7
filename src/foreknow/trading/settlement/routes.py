"""Endpoints that settle (site.md, "Money and newcomers")."""

from __future__ import annotations

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidState, Muted
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.market.events.schemas import Event
from foreknow.market.events.service import load_event_view
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import Pool, pool_view
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.verdicts import Reasons
from foreknow.platform.db.clock import now_ms
from foreknow.trading.desk.errors import OutcomesChanged, OwnEvent
from foreknow.trading.settlement import service
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import GivenReasons, ResolveRequest, check
from foreknow.trading.settlement.service import AlreadyResolved
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Request, post


class Cancellation(GivenReasons, frozen=True, forbid_unknown_fields=True):
    """Why an event is cancelled: for all to see where it was published, else for its creator."""


class SettlementRoutes:
    """Resolving pools and cancelling events."""

    def __init__(self, context: RouteContext, payments: PaymentService) -> None:
        """Answer from `context`, once `payments` has paid."""
        self._context = context
        self._payments = payments

    @post(
        "/pools/{pool_id}/resolve",
        AuthLevel.REQUIRED,
        errors=(Muted, PoolNotFound, Forbidden, OwnEvent, InvalidState, OutcomesChanged, AlreadyResolved),
    )
    async def resolve_pool(self, request: Request[PoolPath, None, ResolveRequest]) -> Pool:
        """Resolve a pool and pay its positions.

        By its event's creator or an admin; where a rule resolves it, by its creator only in `attention`; a void at a
        moment (`at`) by an admin alone. The same resolution again moves nothing. It is final at once, or after the
        pool's dispute window; until it is final an admin's other resolution replaces it, which opens a new window and
        answers the objections. An admin who made the event or ever traded in the pool replaces none, where there is
        another. Its reasons are for all to see; sent again, by who gave it or an admin, they fill in what was left out.
        Answers when all positions are paid, after 10 s as it then stands.
        """
        body, pool_id, db = request.body, request.path.pool_id, self._context.db
        check(body)
        reasons = self._reasons(body, request.user)
        # A scan of what was traded since; orders wait only for the little that comes after it.
        later = await db.read(lambda tx: service.trades_since(tx, pool_id, body, request.user))
        row = await db.write(lambda tx: service.resolve(tx, pool_id, body, request.user, reasons=reasons, later=later))
        if row.paying:
            await self._payments.wait_until_paid([pool_id])
        return await db.read(lambda tx: pool_view(load_pools(tx, [pool_id])[pool_id], now_ms=now_ms(tx)))

    @post(
        "/events/{event_id}/cancel",
        AuthLevel.REQUIRED,
        errors=(Muted, EventNotFound, Forbidden, InvalidState),
        body_optional=True,
    )
    async def cancel_event(self, request: Request[EventPath, None, Cancellation]) -> Event:
        """Cancel an event.

        By its creator or an admin; by an admin alone from the `finish_at` of a pool that a rule resolves until its
        result, once the creator has paused such a pool, and once a pool with a dispute window was traded. Every pool
        without a result is voided: each share is paid its market's last probability. Answers when all positions are
        paid, after 10 s as it then stands.

        Its creator is notified, with the note; its followers without. Of one that was published the reasons stand
        in the resolutions of the pools that it voids.
        """
        event_id, db = request.path.event_id, self._context.db
        reasons = self._reasons(request.body, request.user)
        pool_ids = await db.write(lambda tx: service.void_event(tx, event_id, request.user, reasons=reasons))
        if pool_ids:
            await self._payments.wait_until_paid(pool_ids)
        return await db.read(lambda tx: load_event_view(tx, event_id, now_ms=now_ms(tx)))

    def _reasons(self, body: GivenReasons, caller: UserCaller) -> Reasons:
        reasons = body.reasons()
        if reasons:
            self._context.check_unmuted(caller)
        return reasons
