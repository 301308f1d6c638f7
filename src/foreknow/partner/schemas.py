"""Bodies of the partner's reads and transfers (interface, section 2; decisions.md, "Partner")."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import (
    AMOUNT,
    NATURAL,
    POSITIONS,
    AveragePrice,
    CreatedAt,
    HasMore,
    Id,
    Kopecks,
    MarketId,
    NextCursor,
    PartnerSide,
    PresentValue,
    Shares,
    UserBalance,
    UserId,
)
from foreknow.statements.store import StatementRow, StatementType

PartnerName = Annotated[str, Meta(description="The partner's name.", examples=["acme"])]
FloatBalance = Annotated[
    int, Meta(description="Money on the partner's float that no user has, kopecks.", examples=[5000000])
]
UsersBalance = Annotated[int, Meta(description="Balances of all sub-accounts together, kopecks.", examples=[120000])]
ExternalUserId = Annotated[
    str, Meta(description="The partner's own id of its user, 1–128 characters.", examples=["customer-17"])
]
BetId = Annotated[int, Meta(description="The bet's id; null where it does not apply.", examples=[101])]
SaleId = Annotated[int, Meta(description="The sale's id; null where it does not apply.", examples=[102])]


class PartnerPosition(msgspec.Struct, frozen=True):
    """An open position of a partner's user. `avg_price_bps`: what the shares held cost, basis points a share."""

    market_id: MarketId
    side: PartnerSide
    shares: Annotated[Shares, NATURAL]
    avg_price_bps: Annotated[AveragePrice, NATURAL]
    value_kopecks: Annotated[PresentValue, NATURAL]


class PartnerUser(msgspec.Struct, frozen=True):
    """A partner's user. Before the first bet `exists` is false, `user_id` null, and nothing is there."""

    external_user_id: ExternalUserId
    exists: Annotated[bool, Meta(description="Whether the user has a sub-account.", examples=[True])]
    user_id: UserId | None
    balance_kopecks: Annotated[UserBalance, NATURAL]
    open_positions_kopecks: Annotated[
        int, NATURAL, Meta(description="Present value of all open positions, kopecks.", examples=[983])
    ]
    positions: Annotated[list[PartnerPosition], POSITIONS]


class PartnerBalance(msgspec.Struct, frozen=True):
    """A partner's money: on the float, on all sub-accounts together, and both, in kopecks."""

    partner: PartnerName
    float_balance_kopecks: Annotated[FloatBalance, NATURAL]
    users_balance_kopecks: Annotated[UsersBalance, NATURAL]
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


class PartnerTransaction(msgspec.Struct, frozen=True):
    """One movement of a partner's money: how it changed the float and the sub-account, in kopecks.

    `bet_id` and `sale_id` are those of the orders' answers; null where they do not apply, like the rest.
    """

    id: Id
    type: Annotated[StatementType, Meta(description="What moved the money.")]
    external_user_id: Annotated[
        str | None,
        Meta(description="The partner's own id of its user; null where it does not apply.", examples=["c-17"]),
    ]
    market_id: Annotated[int | None, Meta(description="The market's id; null for none.", examples=[9])]
    bet_id: BetId | None
    sale_id: SaleId | None
    float_change_kopecks: Annotated[
        int, Meta(description="What it added to the float (below 0: took), kopecks.", examples=[-1000])
    ]
    balance_change_kopecks: Annotated[
        int, Meta(description="What it added to the sub-account (below 0: took), kopecks.", examples=[0])
    ]
    created_at: CreatedAt


class PartnerTransactions(msgspec.Struct, frozen=True):
    """A page of a partner's transactions, newest first."""

    transactions: Annotated[
        list[PartnerTransaction], Meta(description="Movements of the partner's money, newest first.")
    ]
    next_cursor: NextCursor
    has_more: HasMore


def transaction_view(row: StatementRow) -> PartnerTransaction:
    """Show a line of a partner's statement."""
    return PartnerTransaction(
        id=row.id,
        type=row.type,
        external_user_id=row.external_user_id,
        market_id=row.market_id,
        bet_id=row.trade_id if row.type == "bet" else None,
        sale_id=row.trade_id if row.type == "sale" else None,
        float_change_kopecks=row.float_change_kopecks,
        balance_change_kopecks=row.balance_change_kopecks,
        created_at=iso(row.created_at_ms),
    )
