"""The endpoint of what waits for a person."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.access.levels import AuthLevel
from foreknow.attention import store
from foreknow.attention.schemas import AttentionPage, entry_view
from foreknow.attention.store import Entry
from foreknow.db.transactions import ReadTx
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, QueryRequest, get
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery


class AttentionRoutes:
    """Listing what waits for a person."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/admin/attention",
                self.page,
                AuthLevel.OPERATOR,
                AttentionPage,
                "List what waits for a person, newest first",
                operation_id="list_attention",
                description="Pools without a result, series whose next instance waits; odds, payments and webhooks "
                "that fail.",
            ),
        ]

    async def page(self, request: QueryRequest[PageQuery]) -> AttentionPage:
        """Return one page."""
        page = await newest_first(self._context, request, "attention", _open)
        return AttentionPage([entry_view(entry) for entry in page.rows], page.next_cursor, page.has_more)


def _open(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[Entry]:
    return store.newest_open(tx, before_id=before_id, limit=limit)
