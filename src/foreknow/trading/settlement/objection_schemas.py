"""Bodies of objections and confirmations (results.md, "Objections")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.schema_types import ROW_ID, TIME_EXAMPLE, CreatedAt, EventId, HasMore, Id, NextCursor, Time
from foreknow.kernel.validation.fields import optional_text, required_text, required_text_schema
from foreknow.kernel.validation.urls import URL_SCHEMA, optional_url
from foreknow.market.pools.schemas import Pool
from foreknow.people.users.schemas import PublicUser
from foreknow.trading.partner.schemas import ExternalUserId
from foreknow.trading.settlement.objection_store import ObjectionRow
from foreknow.trading.settlement.objections import WantedObjection, inside_proposal
from foreknow.trading.settlement.resolve_body import NOTE_MAX, ResolveRequest, check

REASON_MAX = 5_000
HIDING_NOTE_MAX = 500
#: What names a winner in a pool with a shape: shown as it was sent.
_NAMED_BY = ("value", "values")

VerdictNumber = Annotated[int, Meta(description="The number of the result among the pool's, from 1.", examples=[1])]
_Reason = Annotated[str, Meta(description="Why it is wrong, in plain text.", examples=["The match was abandoned."])]
_Source = Annotated[
    str, Meta(description='Where that stands; "" for none.', examples=["https://example.org/derby/report"])
]
AnswerNote = Annotated[
    str, Meta(description='What an admin said of it; "" for nothing.', examples=["The league counts the match."])
]
Hidden = Annotated[bool, Meta(description="Whether its texts are hidden by an operator or admin.", examples=[False])]
_PROPOSED = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "won_side": {"type": "integer"},
                "payouts": {"type": "array", "items": {"type": "number"}},
                "void": {"const": True},
                "at": {"type": "string", "format": "date-time"},
                "value": {"type": "string"},
                "values": {"type": "array", "items": {"type": "string"}},
            },
        },
        {"type": "null"},
    ]
}


class ObjectionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is wrong with a result, and what would be right."""

    verdict: Annotated[VerdictNumber, ROW_ID]
    # For the API page only: the bound holds after NFC.
    reason: Annotated[_Reason, Meta(extra_json_schema=required_text_schema(REASON_MAX))]
    source_url: Annotated[_Source, Meta(extra_json_schema=URL_SCHEMA)] | None = None
    proposal: Annotated[
        ResolveRequest | None, Meta(description="The result that would be right, as a resolution is sent.")
    ] = None

    def wanted(self) -> WantedObjection:
        """Return what the body asks for, its texts normalised; `BadRequest` for what no pool takes."""
        if self.proposal is not None:
            try:
                check(self.proposal)
            except BadRequest as error:
                raise inside_proposal(error) from error
        return WantedObjection(
            verdict=self.verdict,
            reason=required_text("reason", self.reason, most=REASON_MAX),
            source_url=optional_url("source_url", self.source_url),
            proposal=self.proposal,
        )


class PartnerObjectionBody(ObjectionBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same for one of a partner's users."""

    external_user_id: Annotated[
        ExternalUserId,
        Meta(extra_json_schema={"minLength": 1, "maxLength": 128, "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$"}),
    ]


class ConfirmBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which result is right, in spite of which objections."""

    verdict: Annotated[VerdictNumber, ROW_ID]
    seen: (
        Annotated[int, ROW_ID, Meta(description="The id of the newest objection to it; null: none.", examples=[7])]
        | None
    ) = None
    note: Annotated[AnswerNote, Meta(extra_json_schema={"maxLength": NOTE_MAX})] | None = None

    def said(self) -> str:
        """Return the note normalised; `BadRequest`."""
        return optional_text("note", self.note, most=NOTE_MAX)


class ObjectionHiding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether an objection is hidden from now on, and why."""

    hidden: Hidden
    note: (
        Annotated[
            str,
            Meta(description="Why, for the log.", examples=["Abuse"], extra_json_schema={"maxLength": HIDING_NOTE_MAX}),
        ]
        | None
    ) = None

    def said(self) -> str:
        """Return the note normalised; `BadRequest`."""
        return optional_text("note", self.note, most=HIDING_NOTE_MAX)


class Objection(msgspec.Struct, frozen=True, kw_only=True):
    """What a trader says against a result."""

    id: Id
    verdict: VerdictNumber
    user: Annotated[PublicUser, Meta(description="Who objects; of a partner's user the partner's name.")]
    reason: Annotated[
        _Reason, Meta(description='Why, in plain text; "" where it is hidden, and of who is muted or deleted.')
    ]
    source_url: _Source
    proposal: Annotated[
        dict[str, Any] | None,
        Meta(
            description="The result that it proposes, as POST …/resolve takes it; null for none.",
            examples=[{"won_side": 1}],
            extra_json_schema=_PROPOSED,
        ),
    ]
    holds: Annotated[
        bool, Meta(description="Whether it keeps the result from being final until it is answered.", examples=[True])
    ]
    hidden: Hidden
    created_at: CreatedAt
    state: Annotated[
        Literal["open", "upheld", "rejected", "lapsed"],
        Meta(
            description="`upheld`: another result came that it proposed, or it proposed none; `rejected`: the result "
            "was confirmed, or another came; `lapsed`: the result is final.",
            examples=["open"],
        ),
    ]
    answer_note: AnswerNote
    answered_at: Annotated[Time | None, Meta(description="When it was answered, UTC; null before.", examples=[None])]


class ObjectionPage(msgspec.Struct, frozen=True):
    """A page of objections, newest first."""

    objections: Annotated[list[Objection], Meta(description="Objections to the pool's results, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


_UPHELD = Meta(ge=0, description="How many objections of theirs were upheld.", examples=[1])
_REJECTED = Meta(ge=0, description="How many were rejected.", examples=[0])
_PAYS_ALL = "to all together, kopecks; each position may get part of a kopeck less."


class OpenObjection(msgspec.Struct, frozen=True, kw_only=True):
    """An open objection, what is at stake for who objects, and how they fared before; a partner with all its users."""

    objection: Annotated[Objection, Meta(description="What they say.")]
    cost_kopecks: Annotated[int, Meta(description="What the shares cost that they hold, kopecks.", examples=[50_000])]
    decided_kopecks: Annotated[int, Meta(description="What the result pays them, kopecks.", examples=[0])]
    proposed_kopecks: Annotated[
        int | None,
        Meta(
            description="What their proposal would pay them, kopecks; null where they propose none, or the prices of a "
            "moment.",
            examples=[93_000],
        ),
    ]
    pays_kopecks: Annotated[
        int | None, Meta(description=f"What their proposal would pay, {_PAYS_ALL} Null likewise.", examples=[120_000])
    ]
    upheld: Annotated[int, _UPHELD]
    rejected: Annotated[int, _REJECTED]


class ObjectedResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result that someone objects to."""

    id: Id
    event_id: EventId
    pool: Annotated[Pool, Meta(description="The pool, with its rules and its result.")]
    since: Annotated[Time, Meta(description="Since when it waits for an answer, UTC.", examples=[TIME_EXAMPLE])]
    seen: Annotated[
        int | None, Meta(description="The id of the newest objection to it, as POST …/confirm takes it.", examples=[7])
    ]
    pays_kopecks: Annotated[int, Meta(description=f"What it pays, {_PAYS_ALL}", examples=[80_000])]
    left_to: Annotated[
        list[PublicUser] | None,
        Meta(
            description="Admins who may answer, at most 5, where you made the event or ever traded in the pool and so "
            "may not; else null.",
            examples=[None],
        ),
    ]
    made: Annotated[bool, Meta(description="Whether you made the event.", examples=[False])]
    objections: Annotated[
        list[OpenObjection], Meta(description="The newest 20 open objections, newest first; the pool says how many.")
    ]


class ObjectedResultPage(msgspec.Struct, frozen=True):
    """A page of results that someone objects to, those first that have waited longest."""

    results: Annotated[list[ObjectedResult], Meta(description="Results, those first that have waited longest.")]
    next_cursor: NextCursor
    has_more: HasMore


def objection_view(row: ObjectionRow, user: PublicUser, *, shows_text: bool, final_at_ms: int | None) -> Objection:
    """Show an objection; `shows_text`: though it may be hidden. `final_at_ms`: when its pool's result became final."""
    has_lapsed = row.state == "open" and final_at_ms is not None
    return Objection(
        id=row.id,
        verdict=row.verdict,
        user=user,
        reason=row.reason if shows_text else "",
        source_url=row.source_url if shows_text else "",
        proposal=None if row.proposal is None else _as_sent(row.proposal),
        holds=row.holds,
        hidden=row.hidden_at_ms is not None,
        created_at=iso(row.created_at_ms),
        state="lapsed" if has_lapsed else row.state,
        answer_note=row.answer_note,
        answered_at=iso_or_none(final_at_ms if has_lapsed else row.answered_at_ms),
    )


def _as_sent(stored: Mapping[str, Any]) -> dict[str, Any]:
    named_by = {name: stored[name] for name in _NAMED_BY if name in stored}
    return named_by or dict(stored)
