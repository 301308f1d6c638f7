"""Bodies of GET /admin/attention (lifecycle.md, "Time")."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import TIME_EXAMPLE, HasMore, Id, NextCursor, Time
from foreknow.people.attention.store import Entry


class AttentionEntry(msgspec.Struct, frozen=True):
    """One thing that waits for a person."""

    id: Id
    kind: Annotated[
        Literal["resolution", "series", "odds", "payment", "webhook", "suggestion", "email"],
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
