"""When a pool needs work next: its end, its rule's result, the end of its dispute window.

One row a pool. What works on it moves it by `schedule` or `drop`, under the lock of the pool.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.market.pools.tables import WAITING_FOR_PRICE, pool_deadlines, pools
from foreknow.platform.db.transactions import ReadTx, WriteTx

_C = pool_deadlines.c


def schedule(tx: WriteTx, pool_id: int, *, at_ms: int) -> None:
    """Let a locked pool be looked at from `at_ms` on (Unix milliseconds), instead of at its present deadline."""
    changed = tx.execute(pool_deadlines.update().where(_C.pool_id == pool_id).values(due_at_ms=at_ms, attempts=0))
    if not changed.rowcount:
        tx.execute(pool_deadlines.insert().values(pool_id=pool_id, due_at_ms=at_ms))


def hasten(tx: WriteTx, pool_ids: Collection[int], *, at_ms: int) -> None:
    """Let those of these pools that have a deadline be looked at from `at_ms` on, if that is sooner."""
    hastened = pool_deadlines.update().where(_C.pool_id.in_(pool_ids), _C.due_at_ms > at_ms)
    tx.execute(hastened.values(due_at_ms=at_ms))


def scheduled(tx: ReadTx, pool_ids: Collection[int]) -> set[int]:
    """Return those of these pools that have a deadline."""
    return set(tx.execute(sa.select(_C.pool_id).where(_C.pool_id.in_(pool_ids))).scalars())


def drop(tx: WriteTx, pool_id: int) -> None:
    """Never look at a locked pool again."""
    tx.execute(pool_deadlines.delete().where(_C.pool_id == pool_id))


def earliest_awaited_price(tx: ReadTx) -> int | None:
    """Return the earliest `finish_at` (Unix milliseconds) of a price rule that may still give a result; None for none.

    Observations from then on must be kept.
    """
    return tx.execute(sa.select(sa.func.min(pools.c.finish_at_ms)).where(WAITING_FOR_PRICE)).scalar()
