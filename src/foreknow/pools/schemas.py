"""Pools as answers show them (interface, section 2)."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from foreknow.kernel.clock import iso_or_none
from foreknow.markets.schemas import Market, market_view
from foreknow.pools.store import PoolRow


class Pool(msgspec.Struct, frozen=True):
    """One question. `margin` and `metadata` as sent; `won_side` −1 where it was settled without a winner."""

    id: int
    name: str
    name_ru: str
    rules: str
    won_side: Annotated[int, msgspec.Meta(ge=-1)] | None
    margin: Annotated[float, msgspec.Meta(ge=0, le=0.5)]
    finish_at: str | None
    live_at: str | None
    markets: list[Market]
    metadata: dict[str, Any]


def pool_view(row: PoolRow) -> Pool:
    """Show a pool with its markets at their present prices."""
    return Pool(
        id=row.id,
        name=row.name,
        name_ru=row.name_ru,
        rules=row.rules,
        won_side=row.won_side,
        margin=row.margin,
        finish_at=iso_or_none(row.finish_at_ms),
        live_at=iso_or_none(row.live_at_ms),
        markets=[
            market_view(market, yes_probability=probability, b=row.b, paused=row.paused, resolved=row.resolved)
            for market, probability in zip(row.markets, row.lmsr().probabilities(), strict=True)
        ],
        metadata=row.metadata,
    )
