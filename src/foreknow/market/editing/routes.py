"""Endpoints that edit."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.market.editing.events import edit_event
from foreknow.market.editing.pools import edit_pool
from foreknow.market.events.changes import pool_changes
from foreknow.market.events.drafts import given_fields
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.market.events.schemas import EditEventBody, EditPoolBody, Event
from foreknow.market.events.service import load_event_view
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import Pool, pool_view
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import Request, patch


class EditingRoutes(FeatureRoutes):
    """Editing events and pools."""

    @patch("/events/{event_id}", AuthLevel.REQUIRED, errors=(EventNotFound, Forbidden, InvalidState))
    async def update_event(self, request: Request[EventPath, None, EditEventBody]) -> Event:
        """Edit a new event.

        By its creator or an admin, until it is published.
        """
        event_id, given = request.path.event_id, given_fields(request.body)

        def work(tx: WriteTx) -> Event:
            edit_event(tx, event_id, given, request.user)
            return load_event_view(tx, event_id, now_ms=now_ms(tx))

        return await self._context.db.write(work)

    @patch("/pools/{pool_id}", AuthLevel.REQUIRED, errors=(PoolNotFound, Forbidden, InvalidState))
    async def update_pool(self, request: Request[PoolPath, None, EditPoolBody]) -> Pool:
        """Edit a pool of a new event, or move the end of one that trades.

        By its event's creator or an admin. Once the event is published only `finish_at` can change, from a moment that
        is ahead, or none, to another one ahead, and only before the pool has its result; where a rule resolves the
        pool, by an admin alone. Placeholders in the texts are filled in again.
        """
        given = pool_changes(request.body)

        def work(tx: WriteTx) -> Pool:
            return pool_view(edit_pool(tx, request.path.pool_id, given, request.user), now_ms=now_ms(tx))

        return await self._context.db.write(work)
