"""The endpoint of an event's page."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.cards.event_page import FoundDetails, event_details
from foreknow.cards.page_schemas import EventDetails
from foreknow.db.transactions import ReadTx
from foreknow.events.errors import EventNotFound
from foreknow.events.routes import EventPath
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, get
from foreknow.web.responses import Response


class PageRoutes:
    """All that an event's page shows."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/events/{event_id}/page",
                self.page,
                AuthLevel.OPTIONAL,
                EventDetails,
                "All that an event's page shows",
                operation_id="get_event_page",
                errors=(EventNotFound,),
                description="The event, what is counted of it and its pools, what you may do with it, and your open "
                "positions in it.",
            )
        ]

    async def page(self, request: PathRequest[EventPath]) -> EventDetails | Response:
        """Return what an event's page shows; the same to all who are not signed in."""
        event_id, visitor, at_ms = request.path.event_id, request.visitor, self._context.clock()

        def read(tx: ReadTx) -> FoundDetails:
            return event_details(tx, event_id, visitor, now_ms=at_ms)

        if visitor is None:
            return await self._context.responses.get(("event page", event_id), read, is_brief=False)
        return (await self._context.db.read(read)).details
