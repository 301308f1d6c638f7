"""Bodies of inviting members (administration.md, "Members")."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from foreknow.kernel.units import AMOUNT_MAX
from foreknow.people.users.schemas import NAME_FORM, DisplayName
from foreknow.site.admin.invitation_schemas import GivesCreator, InvitationCredit

MEMBERS_MAX = 1_000
MEMBERS_BYTES_MAX = 2 * 1024 * 1024

InviteResult: TypeAlias = Literal["invited", "waiting", "member", "refused"]
InviteReason: TypeAlias = Literal["", "email_not_verified", "domain_not_allowed", "unsubscribed", "bad_request"]
MemberAddress = Annotated[str, Meta(description="The e-mail address, as it was sent.", examples=["ann@example.org"])]


class NewMember(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Someone to be invited; `name` is what the form of their account begins with."""

    email: MemberAddress
    name: Annotated[DisplayName, NAME_FORM] | None = None
    credit_kopecks: Annotated[InvitationCredit, Meta(ge=0, le=AMOUNT_MAX)] | None = None
    creator: GivesCreator | None = None


class MemberList(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whom to invite."""

    members: Annotated[list[NewMember], Meta(description="At most 1,000 people.", min_length=1, max_length=MEMBERS_MAX)]
    check: (
        Annotated[bool, Meta(description="Only say what would become of each, and do nothing.", examples=[True])] | None
    ) = None


class MemberResult(msgspec.Struct, frozen=True):
    """What became of one of them."""

    email: MemberAddress
    result: Annotated[
        InviteResult,
        Meta(
            description="`invited`: a mail with an invitation is on its way. `waiting`: one of the last 7 days is. "
            "`member`: has an account. `refused`: is not invited.",
            examples=["invited"],
        ),
    ]
    reason: Annotated[
        InviteReason,
        Meta(
            description="Why it was refused; of a member whether their address was never verified.",
            examples=[""],
        ),
    ]


class MemberResults(msgspec.Struct, frozen=True):
    """What became of each, in their order; of a repeated address what became of its first."""

    results: Annotated[list[MemberResult], Meta(description="One for each, in their order.")]
