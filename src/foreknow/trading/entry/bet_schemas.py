"""Bodies of bets, sales and quotes (decisions.md, "Trading" and "Partner")."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import (
    AMOUNT,
    OUTCOMES,
    ROW_ID,
    USER_NAMES,
    AveragePrice,
    CreatedAt,
    Id,
    KnownOutcomes,
    Kopecks,
    MarketId,
    PartnerSide,
    ProbabilityAfter,
    ProbabilityBefore,
    Profit,
    Shares,
    TokenType,
    UserBalance,
    UserId,
)
from foreknow.trading.partner.schemas import BetId, ExternalUserId, FloatBalance, SaleId

MinShares = Annotated[int, Meta(description="Refuse the bet (`slippage`) below this many shares.", examples=[1620])]
MaxPrice = Annotated[
    int,
    Meta(
        description="Refuse the bet (`slippage`) above this price; basis points, 10000 = 1 of the currency a token.",
        examples=[6200],
    ),
]
MinPayout = Annotated[int, Meta(description="Refuse the sale (`slippage`) below this payout, kopecks.", examples=[970])]
Fee = Annotated[int, Meta(description="The fee in it, kopecks.", examples=[20])]
Payout = Annotated[int, Meta(description="What the sale pays, kopecks.", examples=[979])]
SalePrice = Annotated[AveragePrice, Meta(examples=[6014])]
SoldFrom = Annotated[ProbabilityBefore, Meta(examples=[0.6039007634032193])]
SoldTo = Annotated[ProbabilityAfter, Meta(examples=[0.6])]
BalanceAfterSale = Annotated[UserBalance, Meta(examples=[99979])]
Capped = Annotated[
    bool,
    Meta(
        description="Whether it meets 100 resting orders and then goes on along the curve alone; in several parts it "
        "might get more.",
        examples=[False],
    ),
]
Stake = Annotated[int, Meta(description="The stake, fee included, kopecks.", examples=[1000])]
# Bounds for the API page only: partner.schemas checks them, with an error code of its own.
NewExternalUserId = Annotated[
    ExternalUserId,
    Meta(extra_json_schema={"minLength": 1, "maxLength": 128, "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$"}),
]


class BetOrder(msgspec.Struct, rename=USER_NAMES, frozen=True, forbid_unknown_fields=True):
    """Spend `amount_kopecks`, fee included. `max_price_bps` bounds stake · 10000 / shares."""

    market_id: Annotated[MarketId, ROW_ID]
    side: TokenType
    stake_kopecks: Annotated[Kopecks, AMOUNT]
    min_shares: Annotated[MinShares, AMOUNT] | None = None
    max_price_bps: Annotated[MaxPrice, AMOUNT] | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class SaleOrder(msgspec.Struct, rename=USER_NAMES, frozen=True, forbid_unknown_fields=True):
    """Sell `shares` of an open position; all of them where left out."""

    market_id: Annotated[MarketId, ROW_ID]
    side: TokenType
    shares: Annotated[Shares, AMOUNT] | None = None
    min_payout_kopecks: Annotated[MinPayout, AMOUNT] | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class Bet(msgspec.Struct, rename=USER_NAMES, frozen=True):
    """A bet as accepted. Money in kopecks, `avg_price` in basis points (fee included), probabilities of YES."""

    bet_id: Id
    market_id: MarketId
    side: TokenType
    stake_kopecks: Kopecks
    fee_kopecks: Fee
    shares: Shares
    avg_price_bps: AveragePrice
    probability_before: ProbabilityBefore
    probability_after: ProbabilityAfter
    balance_kopecks: UserBalance
    capped: Capped
    created_at: CreatedAt


class Sale(msgspec.Struct, rename=USER_NAMES, frozen=True):
    """A sale as accepted. `pnl`: the payout less the cost that the shares sold had, in kopecks."""

    sale_id: Id
    market_id: MarketId
    side: TokenType
    shares: Shares
    payout_kopecks: Payout
    avg_price_bps: SalePrice
    pnl: Profit
    probability_before: SoldFrom
    probability_after: SoldTo
    balance_kopecks: BalanceAfterSale
    capped: Capped
    created_at: CreatedAt


class Quote(msgspec.Struct, rename=USER_NAMES, frozen=True):
    """What an order would get now: of a sale, `amount_kopecks` is the payout and the fee is 0."""

    market_id: MarketId
    side: TokenType
    shares: Shares
    stake_kopecks: Kopecks
    fee_kopecks: Fee
    avg_price_bps: AveragePrice
    probability_before: ProbabilityBefore
    probability_after: ProbabilityAfter
    capped: Capped


class PartnerBetOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bet of a partner's user; the sub-account's balance pays first, the float the rest."""

    external_user_id: NewExternalUserId
    market_id: Annotated[MarketId, ROW_ID]
    side: PartnerSide
    stake_kopecks: Annotated[Stake, AMOUNT]
    min_shares: Annotated[MinShares, AMOUNT] | None = None
    max_price_bps: Annotated[MaxPrice, AMOUNT] | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class PartnerSaleOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sale of a partner's user; the payout stays on the sub-account."""

    external_user_id: NewExternalUserId
    market_id: Annotated[MarketId, ROW_ID]
    side: PartnerSide
    shares: Annotated[Shares, AMOUNT] | None = None
    min_payout_kopecks: Annotated[MinPayout, AMOUNT] | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class PartnerBet(msgspec.Struct, frozen=True):
    """A partner's bet as accepted."""

    bet_id: BetId
    external_user_id: ExternalUserId
    user_id: UserId
    market_id: MarketId
    side: PartnerSide
    stake_kopecks: Stake
    fee_kopecks: Fee
    shares: Shares
    avg_price_bps: AveragePrice
    probability_before: ProbabilityBefore
    probability_after: ProbabilityAfter
    balance_kopecks: UserBalance
    float_balance_kopecks: FloatBalance
    capped: Capped
    created_at: CreatedAt


class PartnerSale(msgspec.Struct, frozen=True):
    """A partner's sale as accepted."""

    sale_id: SaleId
    external_user_id: ExternalUserId
    user_id: UserId
    market_id: MarketId
    side: PartnerSide
    shares: Shares
    payout_kopecks: Payout
    avg_price_bps: SalePrice
    pnl: Profit
    probability_before: SoldFrom
    probability_after: SoldTo
    balance_kopecks: BalanceAfterSale
    float_balance_kopecks: FloatBalance
    capped: Capped
    created_at: CreatedAt


class PartnerQuote(msgspec.Struct, frozen=True):
    """What a partner's order would get now."""

    market_id: MarketId
    side: PartnerSide
    shares: Shares
    stake_kopecks: Stake
    fee_kopecks: Fee
    avg_price_bps: AveragePrice
    probability_before: ProbabilityBefore
    probability_after: ProbabilityAfter
    capped: Capped
