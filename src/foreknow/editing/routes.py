"""Endpoints that edit."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.db.transactions import WriteTx
from foreknow.editing.events import edit_event
from foreknow.editing.pools import edit_pool
from foreknow.events.changes import pool_changes
from foreknow.events.drafts import given_fields
from foreknow.events.errors import EventNotFound
from foreknow.events.routes import EventPath
from foreknow.events.schemas import EditEventBody, EditPoolBody, Event
from foreknow.events.service import load_event_view
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.pools.errors import PoolNotFound
from foreknow.pools.routes import PoolPath
from foreknow.pools.schemas import Pool, pool_view
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, Request, patch


class EditingRoutes:
    """Editing events and pools."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            patch(
                "/events/{event_id}",
                self.event,
                AuthLevel.REQUIRED,
                Event,
                "Edit a new event",
                operation_id="update_event",
                errors=(EventNotFound, Forbidden, InvalidState),
                description="By its creator or an admin, until it is published.",
            ),
            patch(
                "/pools/{pool_id}",
                self.pool,
                AuthLevel.REQUIRED,
                Pool,
                "Edit a pool of a new event, or move the end of one that trades",
                operation_id="update_pool",
                errors=(PoolNotFound, Forbidden, InvalidState),
                description="By its event's creator or an admin. Once the event is published only `finish_at` can "
                "change, from a moment that is ahead, or none, to another one ahead, and only before the pool has "
                "its result. Placeholders in the texts are filled in again.",
            ),
        ]

    async def event(self, request: Request[EventPath, None, EditEventBody]) -> Event:
        """Edit an event."""
        event_id, given = request.path.event_id, given_fields(request.body)

        def work(tx: WriteTx) -> Event:
            edit_event(tx, event_id, given, request.user)
            return load_event_view(tx, event_id, now_ms=now_ms(tx))

        return await self._context.db.write(work)

    async def pool(self, request: Request[PoolPath, None, EditPoolBody]) -> Pool:
        """Edit a pool."""
        given = pool_changes(request.body)

        def work(tx: WriteTx) -> Pool:
            return pool_view(edit_pool(tx, request.path.pool_id, given, request.user), now_ms=now_ms(tx))

        return await self._context.db.write(work)
