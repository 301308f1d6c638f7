"""Payments under way."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.metadata import Int64, table
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.platform.jobs.piecewise import LEASE_MS

#: One row a pool with a result, until its last position is paid and the rest of its escrow returned.
payments = table(
    "payments",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True, autoincrement=False),
    #: When the result is final, and a process may pay; while one does, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)


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
