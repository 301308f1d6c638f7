"""Bodies of baskets (baskets.md, "Orders"), of users and of partners."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import (
    AMOUNT,
    OUTCOMES,
    ROW_ID,
    CreatedAt,
    Id,
    KnownOutcomes,
    Kopecks,
    MarketId,
    PoolId,
    Profit,
    UserBalance,
    UserId,
)
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.trading.desk.made import MadeBasket
from foreknow.trading.desk.orders import BasketFill
from foreknow.trading.desk.schemas import MinShares, NewExternalUserId, Stake
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


class BasketOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order on several markets of a pool: a stake on a set of them, or changes."""

    market_ids: MarketSet | None = None
    given: GivenSet | None = None
    amount_kopecks: Annotated[Kopecks, AMOUNT] | None = None
    min_shares: Annotated[MinShares, AMOUNT] | None = None
    changes: Changes | None = None
    min_net_kopecks: MinNet | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None


class PartnerBasketOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A basket of a partner's user; what its net costs over the sub-account's balance is funded from the float."""

    external_user_id: NewExternalUserId
    market_ids: MarketSet | None = None
    given: GivenSet | None = None
    stake_kopecks: Annotated[Stake, AMOUNT] | None = None
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


LegShares = Annotated[int, Meta(description="Shares bought of it; below 0: sold.", examples=[732])]
LegAmount = Annotated[
    int, Meta(description="Its part of what was paid, or of cost and fee, kopecks; it may be 0.", examples=[166])
]
BasketPayout = Annotated[int, Meta(description="What its sales brought, kopecks.", examples=[0])]
BasketCost = Annotated[int, Meta(description="What its purchases cost without the fee, kopecks.", examples=[500])]
BasketFee = Annotated[int, Meta(description="The fee beside that, kopecks.", examples=[0])]
Net = Annotated[int, Meta(description="Payout less cost and fee, kopecks; below 0: what was paid.", examples=[-500])]
StakePrice = Annotated[
    int | None,
    Meta(description="Of a stake: its average price, basis points a share; null of changes.", examples=[6831]),
]
PricesBefore = Annotated[
    list[float],
    Meta(description="YES probability of each of the pool's markets before it, 0 … 1.", examples=[[0.1, 0.2, 0.7]]),
]
PricesAfter = Annotated[
    list[float],
    Meta(description="The same after it, before resting orders followed.", examples=[[0.08, 0.36, 0.56]]),
]
BasketId = Annotated[int, Meta(description="The basket's id.", examples=[31])]


class QuotedLeg(msgspec.Struct, frozen=True):
    """What a basket would do in one market."""

    market_id: MarketId
    shares: LegShares
    amount_kopecks: LegAmount


class BasketLeg(QuotedLeg, frozen=True):
    """What a basket did in one market."""

    pnl: Annotated[Profit | None, Meta(description="Profit of what was sold, kopecks; null where it bought.")]


_LEGS = Meta(description="What it does in each market, in the order of outcomes.")


class BasketQuote(msgspec.Struct, frozen=True):
    """What a basket would get now."""

    pool_id: PoolId
    legs: Annotated[list[QuotedLeg], _LEGS]
    payout_kopecks: BasketPayout
    cost_kopecks: BasketCost
    fee_kopecks: BasketFee
    net_kopecks: Net
    avg_price: StakePrice
    probabilities_before: PricesBefore
    probabilities_after: PricesAfter


class StoredBasket(msgspec.Struct, frozen=True):
    """A basket as it was answered, without balances."""

    id: Id
    pool_id: PoolId
    legs: Annotated[list[BasketLeg], _LEGS]
    payout_kopecks: BasketPayout
    cost_kopecks: BasketCost
    fee_kopecks: BasketFee
    net_kopecks: Net
    avg_price: StakePrice
    probabilities_before: PricesBefore
    probabilities_after: PricesAfter
    created_at: CreatedAt


class Basket(StoredBasket, frozen=True):
    """A basket as accepted."""

    balance_kopecks: UserBalance


class PartnerBasketQuote(msgspec.Struct, frozen=True):
    """What a basket of a partner's user would get now."""

    pool_id: PoolId
    legs: Annotated[list[QuotedLeg], _LEGS]
    payout_kopecks: BasketPayout
    cost_kopecks: BasketCost
    fee_kopecks: BasketFee
    net_kopecks: Net
    avg_price_bps: StakePrice
    probabilities_before: PricesBefore
    probabilities_after: PricesAfter


class StoredPartnerBasket(msgspec.Struct, frozen=True):
    """A basket of a partner's user as it was answered, without balances."""

    basket_id: BasketId
    external_user_id: ExternalUserId
    user_id: UserId
    pool_id: PoolId
    legs: Annotated[list[BasketLeg], _LEGS]
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


def stored_basket(made: MadeBasket) -> StoredBasket:
    """Return what is kept of a basket's answer."""
    return StoredBasket(
        id=made.id,
        pool_id=made.pool.row.id,
        legs=[BasketLeg(*leg) for leg in made.legs],
        payout_kopecks=made.payout_kopecks,
        cost_kopecks=made.cost_kopecks,
        fee_kopecks=made.fee_kopecks,
        net_kopecks=made.net_kopecks,
        avg_price=made.avg_price_bps,
        probabilities_before=list(made.probabilities_before),
        probabilities_after=list(made.probabilities_after),
        created_at=iso(made.pool.at_ms),
    )


def user_basket(fill: BasketFill) -> msgspec.Raw:
    """Tell a user of an accepted basket: a `Basket`, whose other fields are encoded already, as they are kept."""
    return msgspec.Raw(b'%b,"balance_kopecks":%d}' % (fill.made.body[:-1], fill.balance_kopecks))


def of_partner(stored: StoredBasket, *, external_user_id: str, user_id: int) -> StoredPartnerBasket:
    """Show a basket of a partner's user to the partner."""
    return StoredPartnerBasket(**_partner_fields(stored, external_user_id=external_user_id, user_id=user_id))


def partner_basket(fill: BasketFill, external_user_id: str) -> PartnerBasket:
    """Tell a partner of an accepted basket."""
    fields = _partner_fields(stored_basket(fill.made), external_user_id=external_user_id, user_id=fill.user_id)
    return PartnerBasket(
        **fields, balance_kopecks=fill.balance_kopecks, float_balance_kopecks=fill.float_balance_kopecks
    )


def _partner_fields(stored: StoredBasket, *, external_user_id: str, user_id: int) -> dict[str, Any]:
    fields = {name: getattr(stored, name) for name in StoredBasket.__struct_fields__}
    return {
        "basket_id": fields.pop("id"),
        "avg_price_bps": fields.pop("avg_price"),
        "external_user_id": external_user_id,
        "user_id": user_id,
        **fields,
    }
