"""Bodies of baskets (baskets.md, "Orders"), of users and of partners."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import (
    AMOUNT,
    OUTCOMES,
    ROW_ID,
    USER_NAMES,
    CreatedAt,
    KnownOutcomes,
    Kopecks,
    MarketId,
    PoolId,
    UserBalance,
    UserId,
)
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.trading.desk.basket_store import (
    LEGS,
    BasketCost,
    BasketFee,
    BasketLeg,
    BasketPayout,
    Net,
    PricesAfter,
    PricesBefore,
    QuotedLeg,
    StakePrice,
    StoredBasket,
)
from foreknow.trading.entry.bet_schemas import MinShares, NewExternalUserId, Stake
from foreknow.trading.partner.schemas import ExternalUserId, FloatBalance

#: Most markets of a pool, and so changes of a basket; a set leaves one out at least.
CHANGES_MAX = 100
SET_MAX = CHANGES_MAX - 1
_MARKET = Annotated[MarketId, ROW_ID]

MarketSet = Annotated[
    list[_MARKET],
    Meta(
        min_length=1,
        max_length=SET_MAX,
        description="Of a stake: the markets to bet on, of one pool and not all of it; as many shares of each.",
        examples=[[9, 10]],
    ),
]
GivenSet = Annotated[
    list[_MARKET],
    Meta(
        min_length=2,
        max_length=SET_MAX,
        description="Of a stake: the condition, a larger set of markets; unless one of them wins, the stake less its "
        "fee comes back. Left out: none.",
        examples=[None],
    ),
]
SignedShares = Annotated[
    int,
    Meta(
        ge=-AMOUNT_MAX,
        le=AMOUNT_MAX,
        description="Shares of YES to buy; below 0: to sell, of those held; not 0.",
        examples=[300],
    ),
]
MinNet = Annotated[
    int,
    Meta(
        ge=-AMOUNT_MAX,
        le=AMOUNT_MAX,
        description="Of changes: refuse them (`slippage`) below this net, kopecks.",
        examples=[-50],
    ),
]


class BasketChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Shares of one market to buy or to sell."""

    market_id: _MARKET
    shares: SignedShares


Changes = Annotated[
    list[BasketChange],
    Meta(
        min_length=1,
        max_length=CHANGES_MAX,
        description="Shares to buy and to sell of markets of one pool: first all purchases, then all sales.",
    ),
]


class BasketOrder(msgspec.Struct, rename=USER_NAMES, frozen=True, forbid_unknown_fields=True):
    """An order on several markets of a pool: a stake on a set of them, or changes."""

    market_ids: MarketSet | None = None
    given: GivenSet | None = None
    stake_kopecks: Annotated[Kopecks, AMOUNT] | None = None
    min_shares: Annotated[MinShares, AMOUNT] | None = None
    changes: Changes | None = None
    min_net_kopecks: MinNet | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class PartnerBasketQuoteOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A basket to quote for a partner."""

    external_user_id: NewExternalUserId | None = None
    market_ids: MarketSet | None = None
    given: GivenSet | None = None
    stake_kopecks: Annotated[Stake, AMOUNT] | None = None
    min_shares: Annotated[MinShares, AMOUNT] | None = None
    changes: Changes | None = None
    min_net_kopecks: MinNet | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class PartnerBasketOrder(PartnerBasketQuoteOrder, frozen=True, forbid_unknown_fields=True):
    """A basket of a partner's user; what its net costs over the sub-account's balance is funded from the float."""

    external_user_id: NewExternalUserId


BasketId = Annotated[int, Meta(description="The basket's id.", examples=[31])]


class PartnerBasketQuote(msgspec.Struct, frozen=True):
    """What a basket of a partner's user would get now."""

    pool_id: PoolId
    legs: Annotated[list[QuotedLeg], LEGS]
    payout_kopecks: BasketPayout
    cost_kopecks: BasketCost
    fee_kopecks: BasketFee
    net_kopecks: Net
    avg_price_bps: StakePrice
    probabilities_before: PricesBefore
    probabilities_after: PricesAfter


class BasketQuote(PartnerBasketQuote, rename=USER_NAMES, frozen=True):
    """What a basket would get now."""

    avg_price_bps: StakePrice


class Basket(StoredBasket, frozen=True):
    """A basket as accepted."""

    balance_kopecks: UserBalance


class StoredPartnerBasket(msgspec.Struct, frozen=True):
    """A basket of a partner's user as it was answered, without balances."""

    basket_id: BasketId
    external_user_id: ExternalUserId
    user_id: UserId
    pool_id: PoolId
    legs: Annotated[list[BasketLeg], LEGS]
    payout_kopecks: BasketPayout
    cost_kopecks: BasketCost
    fee_kopecks: BasketFee
    net_kopecks: Net
    avg_price_bps: StakePrice
    probabilities_before: PricesBefore
    probabilities_after: PricesAfter
    created_at: CreatedAt


class PartnerBasket(StoredPartnerBasket, frozen=True):
    """A basket of a partner's user as accepted."""

    balance_kopecks: UserBalance
    float_balance_kopecks: FloatBalance
