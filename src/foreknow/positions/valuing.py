"""What open positions are worth now."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.pools.store import load_pools
from foreknow.positions.holding import OpenPosition
from foreknow.pricing import Side


def values_kopecks(tx: sa.Connection, held: Collection[OpenPosition]) -> dict[int, int]:
    """Return each open position's current value by its id: floor(shares · probability of its side)."""
    rows = load_pools(tx, {position.pool_id for position in held})
    prices = {pool_id: row.lmsr() for pool_id, row in rows.items()}
    outcomes = {market.id: market.outcome_index for row in rows.values() for market in row.markets}
    return {
        position.id: prices[position.pool_id].value_kopecks(
            outcomes[position.market_id], Side(position.side), position.shares
        )
        for position in held
    }
