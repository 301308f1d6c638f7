"""Payments under way, and the holders of open positions."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.platform.jobs.piecewise import LEASE_MS
from foreknow.trading.settlement.tables import payments

_C = payments.c

#: One row a pool with a result, due when it is final; `attempts` counts those since the last piece.
PAYMENTS = JobTable(_C.pool_id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts)


def schedule_payments(tx: WriteTx, pool_ids: Collection[int], *, due_at_ms: int) -> None:
    """Let these locked pools be paid from `due_at_ms` on (Unix milliseconds)."""
    insert_rows(tx, payments, ("pool_id", "due_at_ms"), [(pool_id, due_at_ms) for pool_id in pool_ids])


def are_any_unpaid(tx: ReadTx, pool_ids: Collection[int]) -> bool:
    """Return whether any of these pools is being paid."""
    query = sa.select(pools.c.id).where(pools.c.id.in_(pool_ids), pools.c.paying).limit(1)
    return tx.execute(query).first() is not None
