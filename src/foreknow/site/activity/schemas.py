"""What is counted of markets, as responses show it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import NATURAL, MarketId, Shares
from foreknow.trading.history.schemas import Trader

_HOLDERS = Meta(max_length=20, description="The largest, these first; up to 2 s old.")


class Holding(msgspec.Struct, frozen=True):
    """Who holds shares, and how many."""

    user: Annotated[Trader, Meta(description="Who holds them.")]
    shares: Shares


class MarketHolders(msgspec.Struct, frozen=True):
    """Who holds shares of each side of a market."""

    market_id: MarketId
    yes: Annotated[list[Holding], _HOLDERS]
    no: Annotated[list[Holding], _HOLDERS]
    yes_holders: Annotated[int, NATURAL, Meta(description="How many hold shares of YES.", examples=[12])]
    no_holders: Annotated[int, NATURAL, Meta(description="How many hold shares of NO.", examples=[5])]


class Holders(msgspec.Struct, frozen=True):
    """Who holds shares in a pool; once it is paid, no one."""

    markets: Annotated[list[MarketHolders], Meta(description="Its markets, in the order of their outcome_index.")]
