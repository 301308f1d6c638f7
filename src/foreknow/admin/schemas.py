"""Bodies of administration (decisions.md, "Prices, rates, feed, administration")."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.kernel.units import AMOUNT_MAX
from foreknow.users.schemas import ManagedUser

NOTE_MAX = 500
PARTNER_NAME_MAX = 64

Amount = Annotated[int, Meta(ge=1, le=AMOUNT_MAX)]
SignedAmount = Annotated[int, Meta(ge=-AMOUNT_MAX, le=AMOUNT_MAX, description="Kopecks; not 0; negative takes back.")]
Natural = Annotated[int, Meta(ge=0)]


class Users(msgspec.Struct, frozen=True):
    """A page of people, newest first."""

    users: list[ManagedUser]
    next_cursor: str | None
    has_more: bool


class UserChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Roles to give (true) or take (false), and whether the account is active; what is left out stays."""

    is_creator: bool | None = None
    is_admin: bool | None = None
    is_stats_viewer: bool | None = None
    is_operator: bool | None = None
    is_active: bool | None = None


class IssuedResetLink(msgspec.Struct, frozen=True):
    """A link that sets a new password, which is shown this once."""

    url: str
    expires_at: str


class CreditOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Money for a user from outside; negative takes it back."""

    amount_kopecks: SignedAmount
    note: Annotated[str, Meta(extra_json_schema={"maxLength": NOTE_MAX})] | None = None


class Credit(msgspec.Struct, frozen=True):
    """A credit as done, and the user's balance after it."""

    user_id: int
    amount_kopecks: SignedAmount
    balance_kopecks: Natural


class PartnerOverview(msgspec.Struct, frozen=True):
    """A partner: its float, what its sub-accounts hold together, both in kopecks."""

    partner: str
    float_balance_kopecks: Natural
    users_balance_kopecks: Natural
    created_at: str


class Partners(msgspec.Struct, frozen=True):
    """A page of partners, newest first."""

    partners: list[PartnerOverview]
    next_cursor: str | None
    has_more: bool


class PartnerOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A partner to be made."""

    name: Annotated[str, Meta(min_length=1, max_length=PARTNER_NAME_MAX, pattern="^[A-Za-z0-9._-]+$")]


class IssuedPartner(msgspec.Struct, frozen=True):
    """A new partner with its first key, which is shown this once."""

    partner: str
    key_id: int
    key: str


class PartnerKey(msgspec.Struct, frozen=True):
    """A live key. `last_used_at` lags behind by up to a minute; null before the first use."""

    id: int
    created_at: str
    last_used_at: str | None


class PartnerKeys(msgspec.Struct, frozen=True):
    """A partner's live keys, oldest first, at most two."""

    keys: list[PartnerKey]


class NewPartnerKey(msgspec.Struct, frozen=True):
    """A new key, which is shown this once."""

    id: int
    key: str


class FloatOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Money in or out of a partner's float."""

    amount_kopecks: Amount


class FloatChange(msgspec.Struct, frozen=True):
    """A deposit or payout as done, and the float after it."""

    partner: str
    amount_kopecks: Amount
    float_balance_kopecks: Natural


class AdminLogEntry(msgspec.Struct, frozen=True):
    """What an admin did. `who` is the e-mail address at that time, or "command line"."""

    id: int
    who: str
    action: str
    target: str
    details: dict[str, Any]
    created_at: str


class AdminLog(msgspec.Struct, frozen=True):
    """A page of the log, newest first."""

    entries: list[AdminLogEntry]
    next_cursor: str | None
    has_more: bool


class StatsTotal(msgspec.Struct, frozen=True):
    """All days together; open interest now.

    `users` leaves sub-accounts out, `active_traders` counts them. `house_result_kopecks`: fees plus, for every settled
    pool, what came back from escrow less what the house had paid in.
    """

    users: Natural
    active_traders: Natural
    volume_kopecks: Natural
    fees_kopecks: Natural
    open_interest_kopecks: Natural
    house_result_kopecks: int


class StatsDay(msgspec.Struct, frozen=True):
    """A UTC day: who signed up and who traded, what was turned over, open interest at its end (or now)."""

    date: Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    users: Natural
    active_traders: Natural
    volume_kopecks: Natural
    fees_kopecks: Natural
    open_interest_kopecks: Natural
    house_result_kopecks: int


class Stats(msgspec.Struct, frozen=True):
    """The service's figures; `days` newest first."""

    total: StatsTotal
    days: list[StatsDay]
