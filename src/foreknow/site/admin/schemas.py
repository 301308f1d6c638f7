"""Bodies of administration (decisions.md, "Prices, rates, feed, administration")."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import (
    AMOUNT,
    LATER_TIME_EXAMPLE,
    NATURAL,
    SECRET,
    CreatedAt,
    HasMore,
    Id,
    KeyLastUse,
    Kopecks,
    NextCursor,
    Time,
    UserBalance,
    UserId,
)
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.people.users.schemas import (
    NAME_FORM,
    NICKNAME_FORM,
    URL_FORM,
    AvatarUrl,
    DisplayName,
    IsActive,
    IsAdmin,
    IsCreator,
    IsOperator,
    IsStatsViewer,
    ManagedUser,
    Nickname,
)
from foreknow.trading.partner.schemas import FloatBalance, PartnerName, UsersBalance

NOTE_MAX = 500
PARTNER_NAME_MAX = 64

SignedAmount = Annotated[
    int,
    Meta(ge=-AMOUNT_MAX, le=AMOUNT_MAX, description="Kopecks; not 0; negative takes back.", examples=[1000]),
]
OneTimeLink = Annotated[
    str,
    Meta(description="The link, shown this once; where the site's address is not set, it begins with `/`."),
    SECRET,
]
ApiKey = Annotated[str, Meta(description="The API key, shown this once.", examples=["fk_9Yt0…"]), SECRET]
ActiveTraders = Annotated[int, Meta(description="Users and sub-accounts that traded.", examples=[340])]
Volume = Annotated[int, Meta(description="Stakes and sales' payouts, kopecks.", examples=[9_000_000])]
Fees = Annotated[int, Meta(description="Fees taken, kopecks.", examples=[180_000])]
OpenInterest = Annotated[
    int, Meta(description="Shares held in unsettled pools; each may pay a kopeck.", examples=[4_500_000])
]
Grants = Annotated[
    int, Meta(description="Granted to users, less what deleted ones left, kopecks.", examples=[1_200_000])
]
HouseResult = Annotated[
    int,
    Meta(
        description="Fees, plus what came back from settled pools' escrow less what the house had paid in, kopecks.",
        examples=[150_000],
    ),
]


class UserPage(msgspec.Struct, frozen=True):
    """A page of people, newest first."""

    users: Annotated[list[ManagedUser], Meta(description="Users, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class UserChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Roles to give (true) or take (false), whether the account is active, and its profile; what is left out stays."""

    is_creator: IsCreator | None = None
    is_admin: IsAdmin | None = None
    is_stats_viewer: IsStatsViewer | None = None
    is_operator: IsOperator | None = None
    is_active: IsActive | None = None
    name: Annotated[DisplayName, NAME_FORM] | None = None
    nickname: Annotated[Nickname, NICKNAME_FORM] | None = None
    avatar_url: Annotated[AvatarUrl, URL_FORM] | None = None


class IssuedResetLink(msgspec.Struct, frozen=True):
    """A link that sets a new password, which is shown this once."""

    url: Annotated[OneTimeLink, Meta(examples=["https://example.org/reset/1hD2bX7cQpWm0s9v"])]
    expires_at: Annotated[Time, Meta(description="Until when it is good, UTC.", examples=[LATER_TIME_EXAMPLE])]


class CreditOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Money for a user from outside; negative takes it back."""

    amount_kopecks: SignedAmount
    note: (
        Annotated[
            str,
            Meta(
                extra_json_schema={"maxLength": NOTE_MAX},
                description="Why, for the log; at most 500 characters.",
                examples=["Welcome bonus"],
            ),
        ]
        | None
    ) = None


class Credit(msgspec.Struct, frozen=True):
    """A credit as done, and the user's balance after it."""

    user_id: UserId
    amount_kopecks: SignedAmount
    balance_kopecks: Annotated[UserBalance, NATURAL]


class PartnerOverview(msgspec.Struct, frozen=True):
    """A partner: its float, what its sub-accounts hold together, both in kopecks."""

    partner: PartnerName
    float_balance_kopecks: Annotated[FloatBalance, NATURAL]
    users_balance_kopecks: Annotated[UsersBalance, NATURAL]
    created_at: CreatedAt


class PartnerPage(msgspec.Struct, frozen=True):
    """A page of partners, newest first."""

    partners: Annotated[list[PartnerOverview], Meta(description="Partners, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class PartnerOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A partner to be made."""

    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=PARTNER_NAME_MAX,
            pattern="^[A-Za-z0-9._-]+$",
            description="The partner's name: letters, digits and `. _ -`.",
            examples=["acme"],
        ),
    ]


class IssuedPartner(msgspec.Struct, frozen=True):
    """A new partner with its first key, which is shown this once."""

    partner: PartnerName
    key_id: Annotated[int, Meta(description="The key's id.", examples=[1])]
    key: ApiKey


class PartnerKey(msgspec.Struct, frozen=True):
    """A live key. `last_used_at` lags behind by up to a minute; null before the first use."""

    id: Id
    created_at: CreatedAt
    last_used_at: KeyLastUse


class PartnerKeys(msgspec.Struct, frozen=True):
    """A partner's live keys, oldest first, at most two."""

    keys: Annotated[list[PartnerKey], Meta(description="The partner's live keys.")]


class NewPartnerKey(msgspec.Struct, frozen=True):
    """A new key, which is shown this once."""

    id: Id
    key: ApiKey


class FloatOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Money in or out of a partner's float."""

    amount_kopecks: Annotated[Kopecks, AMOUNT]


class FloatChange(msgspec.Struct, frozen=True):
    """A deposit or payout as done, and the float after it."""

    partner: PartnerName
    amount_kopecks: Annotated[Kopecks, AMOUNT]
    float_balance_kopecks: Annotated[FloatBalance, NATURAL]


class AdminLogEntry(msgspec.Struct, frozen=True):
    """What was done. People are ids: `user:` and the id in `who` and `target`."""

    id: Id
    who: Annotated[
        str, Meta(description="Who did it: `user:17`, `partner:Acme`, or `command line`.", examples=["user:17"])
    ]
    action: Annotated[str, Meta(description="What was done.", examples=["user.credit"])]
    target: Annotated[str, Meta(description="To what.", examples=["user:42"])]
    details: Annotated[
        dict[str, Any],
        Meta(
            description="More about it, where that helps.", examples=[{"fields": {"amount_kopecks": "must be over 0"}}]
        ),
    ]
    created_at: CreatedAt


class AdminLogPage(msgspec.Struct, frozen=True):
    """A page of the log, newest first."""

    entries: Annotated[list[AdminLogEntry], Meta(description="Log entries, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class StatsTotal(msgspec.Struct, frozen=True):
    """All days together; open interest now.

    `users` leaves sub-accounts and deleted accounts out, `active_traders` counts them. `house_result_kopecks`: fees
    plus, for every settled pool, what came back from escrow less what the house had paid in; grants are not in it.
    """

    users: Annotated[
        int, NATURAL, Meta(description="People who signed up; sub-accounts are not counted.", examples=[1200])
    ]
    active_traders: Annotated[ActiveTraders, NATURAL]
    volume_kopecks: Annotated[Volume, NATURAL]
    fees_kopecks: Annotated[Fees, NATURAL]
    open_interest_kopecks: Annotated[OpenInterest, NATURAL]
    house_result_kopecks: HouseResult
    grants_kopecks: Grants


class StatsDay(msgspec.Struct, frozen=True):
    """A UTC day: who signed up and who traded, what was turned over, open interest at its end (or now)."""

    date: Annotated[
        str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="The UTC day.", examples=["2026-03-01"])
    ]
    users: Annotated[
        int, NATURAL, Meta(description="People who signed up that day; sub-accounts are not counted.", examples=[12])
    ]
    active_traders: Annotated[ActiveTraders, NATURAL]
    volume_kopecks: Annotated[Volume, NATURAL]
    fees_kopecks: Annotated[Fees, NATURAL]
    open_interest_kopecks: Annotated[OpenInterest, NATURAL]
    house_result_kopecks: HouseResult
    grants_kopecks: Grants


class Stats(msgspec.Struct, frozen=True):
    """The service's figures; `days` newest first."""

    total: Annotated[StatsTotal, Meta(description="All days together; open interest now.")]
    days: Annotated[list[StatsDay], Meta(description="UTC days, newest first.")]
