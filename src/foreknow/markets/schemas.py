"""Markets and their order books as answers show them (interface, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from foreknow.markets.store import MarketRow
from foreknow.pricing import DepthLevel

Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Market(msgspec.Struct, frozen=True):
    """One outcome of a pool; `volume` and `b` in kopecks, `q_yes` and `q_no` in shares."""

    id: int
    pool_id: int
    name: str
    yes_probability: Probability
    market_type: Literal["lmsr"]
    volume: int
    b: int
    q_yes: int
    q_no: int
    paused: bool
    resolved: bool
    outcome_index: int


class BookLevel(msgspec.Struct, frozen=True):
    """So many share cents (`amount`) move YES from the level before to `price` (10000 is certainty)."""

    price: Annotated[int, msgspec.Meta(ge=0, le=10000)]
    amount: Annotated[int, msgspec.Meta(ge=1)]


class Orderbook(msgspec.Struct, frozen=True):
    """The depth of a market: bids from the highest price down, asks from the lowest up."""

    market_id: int
    bids: list[BookLevel]
    asks: list[BookLevel]


def market_view(row: MarketRow, *, yes_probability: float, b: int, paused: bool, resolved: bool) -> Market:
    """Show a market at a price that its pool computed."""
    return Market(
        id=row.id,
        pool_id=row.pool_id,
        name=row.name,
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
