"""Endpoints that settle."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.events.refusals import EventNotFound
from foreknow.events.schemas import Event
from foreknow.events.service import event_answer
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.pools.refusals import PoolNotFound
from foreknow.pools.schemas import Pool, pool_view
from foreknow.settlement import service
from foreknow.settlement.refusals import AlreadyResolved
from foreknow.settlement.verdicts import ResolveBody, ResolveRequest, check
from foreknow.web.endpoint import Call, Endpoint, Level, post
from foreknow.web.room import Room


class SettlementRoutes:
    """Resolving pools and cancelling events."""

    def __init__(self, room: Room) -> None:
        """Answer from `room`."""
        self._room = room

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            post(
                "/pools/{pool_id}/resolve",
                self.resolve,
                Level.REQUIRED,
                Pool,
                "Resolve a pool and pay its positions",
                body=ResolveRequest,
                refusals=(PoolNotFound, Forbidden, InvalidState, AlreadyResolved),
                description="By its event's creator or an admin. The same resolution again moves nothing.",
            ),
            post(
                "/events/{event_id}/cancel",
                self.cancel,
                Level.REQUIRED,
                Event,
                "Cancel an event",
                refusals=(EventNotFound, Forbidden, InvalidState),
                description=(
                    "By its creator or an admin. Every unresolved pool is voided: each share is paid its market's "
                    "last probability."
                ),
            ),
        ]

    async def resolve(self, call: Call) -> Pool:
        """Resolve and pay, in one transaction."""
        body: ResolveBody = call.body
        check(body)
        return await self._room.db.write(
            lambda tx: pool_view(service.settle_pool(tx, call.path["pool_id"], body, call.user, clock=self._room.clock))
        )

    async def cancel(self, call: Call) -> Event:
        """Void and pay, in one transaction."""
        event_id: int = call.path["event_id"]

        def work(tx: sa.Connection) -> Event:
            service.void_event(tx, event_id, call.user, clock=self._room.clock)
            return event_answer(tx, event_id, now_ms=self._room.clock())

        return await self._room.db.write(work)
