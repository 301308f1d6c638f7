"""GET /admin/attention (lifecycle.md, "Time"): what waits for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import TIME_EXAMPLE, HasMore, Id, NextCursor, Time
from foreknow.people.attention import store
from foreknow.people.attention.store import Entry
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import QueryRequest, get
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery


class AttentionEntry(msgspec.Struct, frozen=True):
    """One thing that waits for a person."""

    id: Id
    kind: Annotated[
        Literal["resolution", "series", "odds", "payment", "webhook", "suggestion", "email", "overdue", "objection"],
        Meta(description="What waits.", examples=["resolution"]),
    ]
    event_id: Annotated[int | None, Meta(description="The event that waits; null for none.", examples=[3])]
    pool_id: Annotated[int | None, Meta(description="The pool that waits; null for none.", examples=[4])]
    series_id: Annotated[int | None, Meta(description="The series that waits; null for none.", examples=[None])]
    reason: Annotated[str, Meta(description="Why, as a code.", examples=["no_price"])]
    since: Annotated[Time, Meta(description="Since when, UTC.", examples=[TIME_EXAMPLE])]
    #: Of the kind `webhook` alone: the others have the fields of lifecycle.md.
    partner: Annotated[str, Meta(description="Of a webhook: the partner's name.", examples=["acme"])] | UnsetType = (
        UNSET
    )


class AttentionPage(msgspec.Struct, frozen=True):
    """A page of entries, newest first."""

    entries: Annotated[list[AttentionEntry], Meta(description="Entries, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


def entry_view(entry: Entry) -> AttentionEntry:
    """Show an entry."""
    return AttentionEntry(
        id=entry.id,
        kind=entry.kind,
        event_id=entry.event_id,
        pool_id=entry.pool_id,
        series_id=entry.series_id,
        reason=entry.reason,
        since=iso(entry.since_ms),
        partner=UNSET if entry.partner is None else entry.partner,
    )


class AttentionRoutes(FeatureRoutes):
    """Listing what waits for a person."""

    @get("/admin/attention", AuthLevel.OPERATOR)
    async def list_attention(self, request: QueryRequest[PageQuery]) -> AttentionPage:
        """List what waits for a person, newest first.

        Pools without a result, those that are overdue too; series whose next instance waits; odds, payments, webhooks
        and mails that fail; events that members suggest; results that someone objects to.
        """
        page = await newest_first(self._context, request, "attention", _open)
        return AttentionPage([entry_view(entry) for entry in page.rows], page.next_cursor, page.has_more)


def _open(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[Entry]:
    return store.newest_open(tx, before_id=before_id, limit=limit)
