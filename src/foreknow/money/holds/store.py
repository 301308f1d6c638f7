"""Sums of what is held."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.money.holds.tables import IS_HELD, limit_orders
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx


def held_kopecks(tx: ReadTx, user_ids: Collection[int]) -> dict[int, int]:
    """Return what the orders of each of these users hold together, 0 for none."""
    found = dict.fromkeys(user_ids, 0)
    if found:
        found.update((user_id, int(kopecks)) for user_id, kopecks in _HELD.fetch(tx, {"ids": found.keys()}))
    return found


_HELD = CompiledQuery(
    lambda _dialect: (
        # PostgreSQL sums 64-bit integers as decimals.
        sa.select(limit_orders.c.user_id, sa.cast(sa.func.sum(limit_orders.c.held_kopecks), sa.BigInteger))
        .where(in_array(limit_orders.c.user_id), IS_HELD)
        .group_by(limit_orders.c.user_id)
    )
)
