"""Bodies of moderation (site.md, "Moderation and one's own data")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.schema_types import (
    LATER_TIME_EXAMPLE,
    NATURAL,
    ROW_ID,
    CreatedAt,
    EventId,
    HasMore,
    Id,
    NextCursor,
    PoolId,
    Time,
)
from foreknow.people.users.profiles import public_user
from foreknow.people.users.schemas import USER, MutedUntil, PublicUser
from foreknow.people.users.store import UserRow
from foreknow.site.comments.schemas import NOTE_MAX, NoteForLog
from foreknow.site.moderation.store import CaseRow, ReportedKind, ReportReason, ReportRow
from foreknow.trading.settlement.objection_schemas import Objection

TEXT_MAX = 500

ReportedIs = Annotated[ReportedKind, Meta(description="What is reported.", examples=["comment"])]
TargetId = Annotated[int, Meta(description="The id of the comment, event, user or objection.", examples=[7])]
WhyReported = Annotated[ReportReason, Meta(description="Why.", examples=["abuse"])]
ReportText = Annotated[str, Meta(description='In the member\'s words; "" for none.', examples=["They insult me."])]
CLOSING_NOTE = Meta(description='What became of it; "" for none.', examples=["Hidden"])


class ReportBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What breaks the rules, and why."""

    kind: ReportedIs
    id: Annotated[TargetId, ROW_ID]
    reason: WhyReported
    # For the API page only: the bound holds after NFC, where the service checks it.
    text: Annotated[ReportText, Meta(extra_json_schema={"maxLength": TEXT_MAX})] | None = None


class FiledReport(msgspec.Struct, frozen=True):
    """A report that operators will look at."""

    id: Annotated[
        int, Meta(description="Its id, which all open reports of the same comment, event or user share.", examples=[3])
    ]


class WhatWaits(msgspec.Struct, frozen=True, kw_only=True):
    """How much waits for operators and admins, each number at most 100: for a badge."""

    attention: Annotated[
        int, NATURAL, Meta(description="Entries of GET /admin/attention but suggestions.", examples=[1])
    ]
    reports: Annotated[int, NATURAL, Meta(description="Open rows of GET /admin/reports.", examples=[2])]
    chats: Annotated[int, NATURAL, Meta(description="Support chats whose visitor waits for an answer.", examples=[1])]
    suggestions: Annotated[int, NATURAL, Meta(description="Events that members suggest.", examples=[0])]
    objections: Annotated[
        int, NATURAL, Meta(description="Pools whose results someone objects to, until that is answered.", examples=[0])
    ]


class MemberReport(msgspec.Struct, frozen=True):
    """What one member has reported."""

    user: Annotated[PublicUser, USER]
    reason: WhyReported
    text: ReportText
    created_at: CreatedAt


class ReportedObjection(msgspec.Struct, frozen=True):
    """An objection that is reported, and the pool to whose result it objects."""

    event_id: EventId
    pool_id: PoolId
    objection: Annotated[Objection, Meta(description="The objection.")]


class ReportCase(msgspec.Struct, frozen=True):
    """All reports of one comment, event, user or objection since the last ones were closed."""

    id: Id
    kind: ReportedIs
    target_id: TargetId
    count: Annotated[int, NATURAL, Meta(description="How many members have reported it.", examples=[2])]
    reports: Annotated[list[MemberReport], Meta(description="The newest 20 reports, newest first.")]
    closed_at: Annotated[Time | None, Meta(description="When it was closed, UTC; null while open.", examples=[None])]
    note: Annotated[str, CLOSING_NOTE]
    #: Of the kind `objection` alone: the others have the fields of site.md.
    about: (
        Annotated[ReportedObjection, Meta(description="Of an objection: what it says, and of which pool.")] | UnsetType
    ) = UNSET


class ReportPage(msgspec.Struct, frozen=True):
    """A page of what is reported, newest first."""

    reports: Annotated[list[ReportCase], Meta(description="What is reported, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class ClosingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of a report."""

    note: Annotated[str, CLOSING_NOTE, Meta(extra_json_schema={"maxLength": NOTE_MAX})] | None = None


class MutingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Until when a user is muted, and why."""

    until: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="Until when, UTC, later than now; null: no longer.", examples=[LATER_TIME_EXAMPLE]),
    ]
    note: NoteForLog | None = None


class Muting(msgspec.Struct, frozen=True):
    """Until when a user is muted."""

    muted_until: MutedUntil


def case_view(
    case: CaseRow,
    reports: Sequence[ReportRow],
    people: Mapping[int, UserRow],
    about: ReportedObjection | UnsetType = UNSET,
) -> ReportCase:
    """Show a case with its newest reports, newest first; operators see members unhidden."""
    return ReportCase(
        id=case.id,
        kind=case.kind,
        target_id=case.target_id,
        count=case.reports,
        reports=[
            MemberReport(public_user(people[row.user_id], unhidden=True), row.reason, row.text, iso(row.created_at_ms))
            for row in reports
        ],
        closed_at=iso_or_none(case.closed_at_ms),
        note=case.note,
        about=about,
    )
