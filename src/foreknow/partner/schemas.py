"""Bodies of the partner's reads and transfers (interface, section 2; decisions.md, "Partner")."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.units import AMOUNT_MAX
from foreknow.statements.store import StatementType

Amount = Annotated[int, Meta(ge=1, le=AMOUNT_MAX)]
Natural = Annotated[int, Meta(ge=0)]


class PartnerPosition(msgspec.Struct, frozen=True):
    """An open position of a partner's user. `avg_price_bps`: what the shares held cost, basis points a share."""

    market_id: int
    side: Literal["yes", "no"]
    shares: Natural
    avg_price_bps: Natural
    value_kopecks: Natural


class PartnerUser(msgspec.Struct, frozen=True):
    """A partner's user. Before the first bet `exists` is false, `user_id` null, and nothing is there."""

    external_user_id: str
    exists: bool
    user_id: int | None
    balance_kopecks: Natural
    open_positions_kopecks: Natural
    positions: list[PartnerPosition]


class PartnerBalance(msgspec.Struct, frozen=True):
    """A partner's money: on the float, on all sub-accounts together, and both, in kopecks."""

    partner: str
    float_balance_kopecks: Natural
    users_balance_kopecks: Natural
    total_kopecks: Natural


class WithdrawalOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Take money from a sub-account back to the float."""

    amount_kopecks: Amount


class Withdrawal(msgspec.Struct, frozen=True):
    """A withdrawal as done, and both balances after it, in kopecks."""

    external_user_id: str
    amount_kopecks: Amount
    balance_kopecks: Natural
    float_balance_kopecks: Natural


class PartnerTransaction(msgspec.Struct, frozen=True):
    """One movement of a partner's money: how it changed the float and the sub-account, in kopecks.

    `bet_id` and `sale_id` are those of the orders' answers; null where they do not apply, like the rest.
    """

    id: int
    type: StatementType
    external_user_id: str | None
    market_id: int | None
    bet_id: int | None
    sale_id: int | None
    float_change_kopecks: int
    balance_change_kopecks: int
    created_at: str


class PartnerTransactions(msgspec.Struct, frozen=True):
    """A page of a partner's transactions, newest first."""

    transactions: list[PartnerTransaction]
    next_cursor: str | None
    has_more: bool
