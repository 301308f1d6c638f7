"""Pools that wait for a price."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx
from foreknow.pools.store import PoolRow, load_pools
from foreknow.pools.tables import WAITING_FOR_PRICE, pools


def waiting_for_price(tx: ReadTx, *, now_ms: int) -> Sequence[PoolRow]:
    """Return the pools past their `finish_at` that wait for the price their rule needs."""
    query = sa.select(pools.c.id).where(WAITING_FOR_PRICE, pools.c.finish_at_ms <= now_ms)
    return list(load_pools(tx, tx.execute(query).scalars().all()).values())
