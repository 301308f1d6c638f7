"""Pools that wait for a price."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from foreknow.market.pools.rule_view import rule_of
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.market.pools.tables import WAITING_FOR_PRICE, pools
from foreknow.platform.db.transactions import ReadTx


def waiting_for_price(tx: ReadTx, *, now_ms: int) -> Sequence[tuple[PoolRow, PriceRule]]:
    """Return the pools past their `finish_at` that wait for the price their rule needs, each with its rule."""
    query = sa.select(pools.c.id).where(WAITING_FOR_PRICE, pools.c.finish_at_ms <= now_ms)
    found = load_pools(tx, tx.execute(query).scalars().all()).values()
    return [(pool, rule) for pool in found if isinstance(rule := rule_of(pool), PriceRule)]
