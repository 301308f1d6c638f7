"""Sums of what is held."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.money.holds.tables import IS_HELD, limit_orders
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx


def held_kopecks(tx: ReadTx, user_ids: Collection[int]) -> dict[int, int]:
    """Return what the orders of each of these users hold together, 0 for none."""
    return held_fetch(user_ids).fetch(tx)


def held_fetch(user_ids: Collection[int]) -> Fetch[dict[int, int]]:
    """Return `held_kopecks` as a query to be fetched with others."""

    def converted(rows: Rows) -> dict[int, int]:
        return dict.fromkeys(user_ids, 0) | {user_id: int(kopecks) for user_id, kopecks in rows}

    return Fetch(_HELD, {"ids": user_ids}, converted, is_empty=not user_ids)


_HELD = CompiledQuery(
    sa.select(limit_orders.c.user_id, sa.cast(sa.func.sum(limit_orders.c.held_kopecks), sa.BigInteger))
    .where(in_array(limit_orders.c.user_id), IS_HELD)
    .group_by(limit_orders.c.user_id)
)
