"""The endpoint of what waits for a person."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.levels import AuthLevel
from foreknow.people.attention import store
from foreknow.people.attention.schemas import AttentionPage, entry_view
from foreknow.people.attention.store import Entry
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import QueryRequest, get
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery


class AttentionRoutes(FeatureRoutes):
    """Listing what waits for a person."""

    @get("/admin/attention", AuthLevel.OPERATOR)
    async def list_attention(self, request: QueryRequest[PageQuery]) -> AttentionPage:
        """List what waits for a person, newest first.

        Pools without a result, series whose next instance waits; odds, payments, webhooks and mails that fail;
        events that members suggest.
        """
        page = await newest_first(self._context, request, "attention", _open)
        return AttentionPage([entry_view(entry) for entry in page.rows], page.next_cursor, page.has_more)


def _open(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[Entry]:
    return store.newest_open(tx, before_id=before_id, limit=limit)
