"""Markets and their order books as responses show them (interface, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import PROBABILITY, Id, MarketId, OutcomeIndex, PoolId
from foreknow.market.markets.store import MarketRow
from foreknow.money.pricing import DepthLevel

Paused = Annotated[bool, Meta(description="Whether trading is paused.", examples=[False])]
YesProbability = Annotated[float, Meta(description="Probability of YES, 0 … 1.", examples=[0.6])]


class Market(msgspec.Struct, frozen=True):
    """One outcome of a pool; `volume` and `b` in kopecks, `q_yes` and `q_no` in shares."""

    id: Id
    pool_id: PoolId
    name: Annotated[str, Meta(description="The outcome's name.", examples=["Reds"])]
    name_ru: Annotated[str, Meta(description='Its name in Russian; "" where none was sent.', examples=["Красные"])]
    yes_probability: Annotated[YesProbability, PROBABILITY]
    market_type: Annotated[Literal["lmsr"], Meta(description="`lmsr`.")]
    volume: Annotated[int, Meta(description="Kopecks of stakes and of sales' payouts.", examples=[250000])]
    b: Annotated[int, Meta(description="The LMSR's liquidity parameter, kopecks.", examples=[100000])]
    q_yes: Annotated[int, Meta(description="YES shares outstanding (100 shares = 1 token).", examples=[0])]
    q_no: Annotated[int, Meta(description="NO shares outstanding (100 shares = 1 token).", examples=[0])]
    paused: Paused
    resolved: Annotated[bool, Meta(description="Whether the pool is settled.", examples=[False])]
    outcome_index: OutcomeIndex


class BookLevel(msgspec.Struct, frozen=True):
    """`amount` share cents move YES from the level before to `price` (10000 is certainty)."""

    price: Annotated[
        int, Meta(ge=0, le=10000, description="Where it moves YES: 0 … 10000, 5500 is 55.00 %.", examples=[6100])
    ]
    amount: Annotated[
        int, Meta(ge=1, description="Share cents that move YES from the level before to this one.", examples=[1500])
    ]


class Orderbook(msgspec.Struct, frozen=True):
    """The depth of a market: bids from the highest price down, asks from the lowest up."""

    market_id: MarketId
    bids: Annotated[list[BookLevel], Meta(description="Buyers' side, from the highest price down.")]
    asks: Annotated[list[BookLevel], Meta(description="Sellers' side, from the lowest price up.")]


def market_view(
    row: MarketRow, *, name_ru: str, yes_probability: float, b: int, paused: bool, resolved: bool
) -> Market:
    """Show a market at a price that its pool computed."""
    return Market(
        id=row.id,
        pool_id=row.pool_id,
        name=row.name,
        name_ru=name_ru,
        yes_probability=yes_probability,
        market_type="lmsr",
        volume=row.volume_kopecks,
        b=b,
        q_yes=row.q_yes,
        q_no=row.q_no,
        paused=paused,
        resolved=resolved,
        outcome_index=row.outcome_index,
    )


def book_levels(levels: Sequence[DepthLevel]) -> list[BookLevel]:
    """Show one side of a book."""
    return [BookLevel(price=level.price_bps, amount=level.shares) for level in levels]
