"""The endpoint of an event's page."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.cards.event_page import FoundDetails, event_details
from foreknow.site.cards.page_schemas import EventDetails
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, get
from foreknow.web.responses import Response


class PageRoutes(FeatureRoutes):
    """All that an event's page shows."""

    @get("/events/{event_id}/page", AuthLevel.OPTIONAL, errors=(EventNotFound,))
    async def get_event_details(self, request: PathRequest[EventPath]) -> EventDetails | Response:
        """All that an event's page shows.

        The event, what is counted of it and its pools, what you may do with it, and your open positions in it.
        """
        event_id, visitor, at_ms = request.path.event_id, request.visitor, self._context.clock()

        def read(tx: ReadTx) -> FoundDetails:
            return event_details(tx, event_id, visitor, now_ms=at_ms)

        if visitor is None:
            return await self._context.responses.get(("event page", event_id), read, is_brief=False)
        return (await self._context.db.read(read)).details
