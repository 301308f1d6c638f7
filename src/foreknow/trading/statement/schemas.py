"""Bodies of statements (interface, section 2; decisions.md, "Partner")."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import BasketOfTrade, CreatedAt, HasMore, Id, NextCursor, PartnerSide
from foreknow.money.pricing import PARTNER_SIDES
from foreknow.money.statements import StatementType
from foreknow.trading.statement.lines import PartnerLine


class PartnerTransaction(msgspec.Struct, frozen=True):
    """One movement of a partner's money: how it changed the float and the sub-account, in kopecks."""

    id: Id
    type: Annotated[StatementType, Meta(description="What moved the money.", examples=["bet"])]
    external_user_id: Annotated[
        str | None,
        Meta(description="The partner's own id of its user; null where it does not apply.", examples=["c-17"]),
    ]
    market_id: Annotated[int | None, Meta(description="The market's id; null for none.", examples=[9])]
    side: Annotated[
        PartnerSide | None,
        Meta(description="Which side was ordered, or was held and is settled; null for none.", examples=["yes"]),
    ]
    shares: Annotated[
        int | None,
        Meta(description="Shares bought, sold or settled, in share cents; null for none.", examples=[1538]),
    ]
    bet_id: Annotated[int | None, Meta(description="Which bet it is of; null for none.", examples=[101])]
    sale_id: Annotated[int | None, Meta(description="Which sale it is of; null for none.", examples=[None])]
    order_id: Annotated[int | None, Meta(description="Which limit order it is of; null for none.", examples=[None])]
    basket_id: BasketOfTrade
    float_change_kopecks: Annotated[
        int, Meta(description="What it added to the float (below 0: took), kopecks.", examples=[-1000])
    ]
    balance_change_kopecks: Annotated[
        int, Meta(description="What it added to the sub-account (below 0: took), kopecks.", examples=[0])
    ]
    created_at: CreatedAt


class PartnerTransactionPage(msgspec.Struct, frozen=True):
    """A page of a partner's transactions, newest first."""

    transactions: Annotated[
        list[PartnerTransaction], Meta(description="Movements of the partner's money, newest first.")
    ]
    next_cursor: NextCursor
    has_more: HasMore


def transaction_view(line: PartnerLine) -> PartnerTransaction:
    """Show a line of a partner's statement."""
    row, subject = line.row, line.subject
    return PartnerTransaction(
        id=row.id,
        type=row.type,
        external_user_id=row.external_user_id,
        market_id=row.market_id,
        side=None if subject.side is None else PARTNER_SIDES[subject.side],
        shares=subject.shares,
        bet_id=row.trade_id if row.type == "bet" else None,
        sale_id=row.trade_id if row.type == "sale" else None,
        order_id=row.order_id,
        basket_id=row.basket_id,
        float_change_kopecks=row.float_change_kopecks,
        balance_change_kopecks=row.balance_change_kopecks,
        created_at=iso(row.created_at_ms),
    )
