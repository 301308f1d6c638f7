"""Bodies of orders and their receipts (decisions.md, "Trading" and "Partner")."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.units import AMOUNT_MAX, INT64_MAX

Amount = Annotated[int, Meta(ge=1, le=AMOUNT_MAX)]
MarketId = Annotated[int, Meta(ge=1, le=INT64_MAX)]
TokenType = Literal["YES", "NO"]
PartnerSide = Literal["yes", "no"]
# Told on the API page; whoever takes it checks it, with a code of its own.
ExternalUserId = Annotated[
    str, Meta(extra_json_schema={"minLength": 1, "maxLength": 128, "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$"})
]


class BetOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Spend `amount_kopecks`, fee included. `max_price_bps` bounds stake · 10000 / shares."""

    market_id: MarketId
    token_type: TokenType
    amount_kopecks: Amount
    min_shares: Amount | None = None
    max_price_bps: Amount | None = None


class SaleOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sell `shares` of an open position; all of them where left out."""

    market_id: MarketId
    token_type: TokenType
    shares: Amount | None = None
    min_payout_kopecks: Amount | None = None


class Bet(msgspec.Struct, frozen=True):
    """A bet as accepted. Money in kopecks, `avg_price` in basis points (fee included), probabilities of YES."""

    id: int
    market_id: int
    token_type: TokenType
    amount_kopecks: int
    fee_kopecks: int
    shares: int
    avg_price: int
    probability_before: float
    probability_after: float
    balance_kopecks: int
    created_at: str


class Sale(msgspec.Struct, frozen=True):
    """A sale as accepted. `pnl`: the payout less the cost that the shares sold had, in kopecks."""

    id: int
    market_id: int
    token_type: TokenType
    shares: int
    payout_kopecks: int
    avg_price: int
    pnl: int
    probability_before: float
    probability_after: float
    balance_kopecks: int
    created_at: str


class Quote(msgspec.Struct, frozen=True):
    """What an order would get now: of a sale, `amount_kopecks` is the payout and the fee is 0."""

    market_id: int
    token_type: TokenType
    shares: int
    amount_kopecks: int
    fee_kopecks: int
    avg_price: int
    probability_before: float
    probability_after: float


class PartnerBetOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bet of a partner's user; the sub-account's balance pays first, the float the rest."""

    external_user_id: ExternalUserId
    market_id: MarketId
    side: PartnerSide
    stake_kopecks: Amount
    min_shares: Amount | None = None
    max_price_bps: Amount | None = None


class PartnerSaleOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sale of a partner's user; the payout stays on the sub-account."""

    external_user_id: ExternalUserId
    market_id: MarketId
    side: PartnerSide
    shares: Amount | None = None
    min_payout_kopecks: Amount | None = None


class PartnerBet(msgspec.Struct, frozen=True):
    """A partner's bet as accepted."""

    bet_id: int
    external_user_id: str
    user_id: int
    market_id: int
    side: PartnerSide
    stake_kopecks: int
    fee_kopecks: int
    shares: int
    avg_price_bps: int
    probability_before: float
    probability_after: float
    balance_kopecks: int
    float_balance_kopecks: int
    created_at: str


class PartnerSale(msgspec.Struct, frozen=True):
    """A partner's sale as accepted."""

    sale_id: int
    external_user_id: str
    user_id: int
    market_id: int
    side: PartnerSide
    shares: int
    payout_kopecks: int
    avg_price_bps: int
    pnl: int
    probability_before: float
    probability_after: float
    balance_kopecks: int
    float_balance_kopecks: int
    created_at: str


class PartnerQuote(msgspec.Struct, frozen=True):
    """What a partner's order would get now."""

    market_id: int
    side: PartnerSide
    shares: int
    stake_kopecks: int
    fee_kopecks: int
    avg_price_bps: int
    probability_before: float
    probability_after: float
