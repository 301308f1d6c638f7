"""Bodies of the partner's reads and transfers (interface, section 2; decisions.md, "Partner")."""

from __future__ import annotations

import unicodedata
from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.errors import DomainError
from foreknow.kernel.schema_types import (
    AMOUNT,
    NATURAL,
    POSITIONS,
    TIME_EXAMPLE,
    AveragePrice,
    CreatedAt,
    DecidedKopecks,
    HasMore,
    HeldKopecks,
    Kopecks,
    MarketId,
    NextCursor,
    PartnerSide,
    PresentValue,
    ReservedShares,
    Shares,
    Time,
    UserBalance,
    UserId,
)

PartnerName = Annotated[str, Meta(description="The partner's name.", examples=["acme"])]
FloatBalance = Annotated[
    int, Meta(description="Money on the partner's float that no user has, kopecks.", examples=[5000000])
]
UsersBalance = Annotated[int, Meta(description="Balances of all sub-accounts together, kopecks.", examples=[120000])]
ExternalUserId = Annotated[
    str, Meta(description="The partner's own id of its user, 1–128 characters.", examples=["customer-17"])
]
BetId = Annotated[int, Meta(description="The bet's id.", examples=[101])]
SaleId = Annotated[int, Meta(description="The sale's id.", examples=[102])]


class PartnerPosition(msgspec.Struct, frozen=True):
    """An open position of a partner's user. `avg_price_bps`: what the shares held cost, basis points a share."""

    market_id: MarketId
    side: PartnerSide
    shares: Annotated[Shares, NATURAL]
    reserved_shares: Annotated[ReservedShares, NATURAL]
    avg_price_bps: Annotated[AveragePrice, NATURAL]
    value_kopecks: Annotated[PresentValue, NATURAL]
    decided_kopecks: DecidedKopecks


class PartnerUser(msgspec.Struct, frozen=True):
    """A partner's user. Before the first bet `exists` is false, `user_id` null, and nothing is there."""

    external_user_id: ExternalUserId
    exists: Annotated[bool, Meta(description="Whether the user has a sub-account.", examples=[True])]
    user_id: UserId | None
    balance_kopecks: Annotated[UserBalance, NATURAL]
    held_kopecks: Annotated[HeldKopecks, NATURAL]
    open_positions_kopecks: Annotated[
        int, NATURAL, Meta(description="Present value of all open positions, kopecks.", examples=[983])
    ]
    positions: Annotated[list[PartnerPosition], POSITIONS]


class ListedPartnerUser(msgspec.Struct, frozen=True):
    """A partner's user in its list."""

    external_user_id: ExternalUserId
    user_id: UserId
    balance_kopecks: Annotated[UserBalance, NATURAL]
    created_at: CreatedAt
    last_order_at: Annotated[
        Time | None, Meta(description="When they bet or sold last, UTC; null for never.", examples=[TIME_EXAMPLE])
    ]


class PartnerUserPage(msgspec.Struct, frozen=True):
    """A page of a partner's users, newest first."""

    users: Annotated[list[ListedPartnerUser], Meta(description="Users with a sub-account, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class PartnerBalance(msgspec.Struct, frozen=True):
    """A partner's money: on the float, on all sub-accounts together, and both, in kopecks."""

    partner: PartnerName
    float_balance_kopecks: Annotated[FloatBalance, NATURAL]
    users_balance_kopecks: Annotated[UsersBalance, NATURAL]
    held_kopecks: Annotated[HeldKopecks, NATURAL]
    total_kopecks: Annotated[
        int, NATURAL, Meta(description="Float and sub-accounts together, kopecks.", examples=[5120000])
    ]


class WithdrawalOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Take money from a sub-account back to the float."""

    amount_kopecks: Annotated[Kopecks, AMOUNT]


class Withdrawal(msgspec.Struct, frozen=True):
    """A withdrawal as done, and both balances after it, in kopecks."""

    external_user_id: ExternalUserId
    amount_kopecks: Annotated[Kopecks, AMOUNT]
    balance_kopecks: Annotated[UserBalance, NATURAL]
    float_balance_kopecks: Annotated[FloatBalance, NATURAL]


LENGTH_MAX = 128


class InvalidExternalUserId(DomainError):
    code = "invalid_external_user_id"
    status = 400
    message = "external_user_id has 1 to 128 characters and no control characters."


def read_external_user_id(text: str) -> str:
    """Return the id exactly as sent; `InvalidExternalUserId` if the contract does not allow it.

    A path that is not UTF-8 arrives as NUL, a control character.
    """
    if not 1 <= len(text) <= LENGTH_MAX or any(unicodedata.category(character) == "Cc" for character in text):
        raise InvalidExternalUserId
    return text
