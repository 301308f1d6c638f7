"""Bodies of the administration of invitations (site.md, "Money and newcomers")."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.schema_types import (
    NATURAL,
    CreatedAt,
    HasMore,
    Id,
    NextCursor,
    Time,
)
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.people.invitations import InvitationRow, NewInvitation
from foreknow.people.users.profiles import public_user
from foreknow.people.users.schemas import InvitationLinkEnd, PublicUser
from foreknow.people.users.store import UserRow
from foreknow.site.admin.schemas import NOTE_MAX, OneTimeLink

USES_MAX = 10_000

Uses = Annotated[int, Meta(description="How many accounts may be made with it.", examples=[30])]
InvitationCredit = Annotated[
    int,
    Meta(description="What each new account is given, beside what every newcomer gets, kopecks.", examples=[50_000]),
]
GivesCreator = Annotated[bool, Meta(description="Whether each new account may create events.", examples=[False])]
InvitationNote = Annotated[str, Meta(description="What it is for; only admins see it.", examples=["Class 9b"])]
EXPIRES_AT = Meta(description="Until when it is good, UTC; null for ever.", examples=["2096-03-08T20:30:00.000Z"])


class InvitationOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An invitation to be made."""

    uses: Annotated[Uses, Meta(ge=1, le=USES_MAX)]
    expires_at: Annotated[datetime, Meta(tz=True), EXPIRES_AT] | None = None
    credit_kopecks: Annotated[InvitationCredit, Meta(ge=0, le=AMOUNT_MAX)] | None = None
    creator: GivesCreator | None = None
    note: Annotated[InvitationNote, Meta(extra_json_schema={"maxLength": NOTE_MAX})] | None = None


InvitationAddress = Annotated[
    str | None,
    Meta(
        description="The only address that it is for; null for any, once it is used, and 30 days after its end.",
        examples=["ann@example.org"],
    ),
]


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """An invitation, without its link."""

    id: Id
    uses: Annotated[Uses, Meta(ge=1)]
    used: Annotated[int, NATURAL, Meta(description="How many accounts were made with it.", examples=[12])]
    expires_at: Annotated[Time | None, EXPIRES_AT]
    withdrawn_at: Annotated[
        Time | None, Meta(description="When it was withdrawn, UTC; null where it was not.", examples=[None])
    ]
    credit_kopecks: Annotated[InvitationCredit, NATURAL]
    creator: GivesCreator
    note: InvitationNote
    created_at: CreatedAt
    email: InvitationAddress


class IssuedInvitation(Invitation, frozen=True, kw_only=True):
    """A new invitation with its link, which is shown this once."""

    url: Annotated[OneTimeLink, Meta(examples=["https://example.org/invite/1hD2bX7cQpWm0s9v"])]


class InvitationToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The token of an invitation's link."""

    token: InvitationLinkEnd


class InvitationOffer(msgspec.Struct, frozen=True, kw_only=True):
    """What an invitation offers to who makes an account with it."""

    by: Annotated[PublicUser | None, Meta(description="Who made it; null: who runs the server.")]
    creator: GivesCreator
    grant_kopecks: Annotated[
        int, NATURAL, Meta(description="What every newcomer of the site is granted, in kopecks.", examples=[100_000])
    ]
    credit_kopecks: Annotated[InvitationCredit, NATURAL]
    expires_at: Annotated[Time | None, EXPIRES_AT]
    email: Annotated[
        str | None,
        Meta(description="The address that the account is to have; null for any.", examples=["ann@example.org"]),
    ]
    name: Annotated[
        str | None, Meta(description="The name that the form begins with; null for none.", examples=["Ann"])
    ]


class InvitationPage(msgspec.Struct, frozen=True):
    """A page of invitations, newest first."""

    invitations: Annotated[list[Invitation], Meta(description="Invitations, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


def invitation_view(row: InvitationRow) -> Invitation:
    """Show an invitation."""
    return Invitation(
        id=row.id,
        uses=row.uses,
        used=row.used,
        expires_at=iso_or_none(row.expires_at_ms),
        withdrawn_at=iso_or_none(row.withdrawn_at_ms),
        credit_kopecks=row.credit_kopecks,
        creator=row.creator,
        note=row.note,
        created_at=iso(row.created_at_ms),
        email=row.email,
    )


def offer_view(row: InvitationRow, maker: UserRow | None, *, grant_kopecks: int, credited: bool) -> InvitationOffer:
    """Show what an invitation offers; `credited`: whether anything is granted here."""
    return InvitationOffer(
        by=None if maker is None else public_user(maker),
        creator=row.creator,
        grant_kopecks=grant_kopecks,
        credit_kopecks=row.credit_kopecks if credited else 0,
        expires_at=iso_or_none(row.expires_at_ms),
        email=row.email,
        name=row.name,
    )


def issued_view(new: NewInvitation, *, origin: str) -> IssuedInvitation:
    """Show a new invitation with its link on the site at `origin`; "": as a path of the site."""
    return IssuedInvitation(**msgspec.structs.asdict(invitation_view(new.row)), url=new.url(origin))
