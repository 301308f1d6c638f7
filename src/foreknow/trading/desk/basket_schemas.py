"""What is kept of a basket's answer (baskets.md, "Orders")."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import USER_NAMES, CreatedAt, Id, MarketId, PoolId, Profit
from foreknow.trading.desk.made import MadeBasket

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


class QuotedLeg(msgspec.Struct, frozen=True):
    """What a basket would do in one market."""

    market_id: MarketId
    shares: LegShares
    amount_kopecks: LegAmount


class BasketLeg(QuotedLeg, frozen=True):
    """What a basket did in one market."""

    pnl: Annotated[Profit | None, Meta(description="Profit of what was sold, kopecks; null where it bought.")]


LEGS = Meta(description="What it does in each market, in the order of outcomes.")


class StoredBasket(msgspec.Struct, rename=USER_NAMES, frozen=True):
    """A basket as it was answered, without balances."""

    basket_id: Id
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


def stored_basket(made: MadeBasket) -> StoredBasket:
    """Return what is kept of a basket's answer."""
    return StoredBasket(
        basket_id=made.id,
        pool_id=made.pool.row.id,
        legs=[BasketLeg(*leg) for leg in made.legs],
        payout_kopecks=made.payout_kopecks,
        cost_kopecks=made.cost_kopecks,
        fee_kopecks=made.fee_kopecks,
        net_kopecks=made.net_kopecks,
        avg_price_bps=made.avg_price_bps,
        probabilities_before=list(made.probabilities_before),
        probabilities_after=list(made.probabilities_after),
        created_at=iso(made.pool.at_ms),
    )
