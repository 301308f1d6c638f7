"""The worker that calls a person to pools whose result someone was to give, and has not within 72 hours.

Whether a pool is overdue follows from its row and the time (`PoolRow.is_overdue`); here operators come to know of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from foreknow.market.pools.rows import OVERDUE_MS
from foreknow.market.pools.store import lock_pools
from foreknow.market.pools.tables import WAITING_FOR_VERDICT, pools
from foreknow.people import attention
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Worker

#: How often a process looks for pools that have become overdue.
POLL_S = 5.0
#: Pools of one transaction.
BATCH_MAX = 20


class OverduePools(Background):
    """Opens an entry of GET /admin/attention for each overdue pool while it runs."""

    def __init__(self, db: Database, *, poll_s: float = POLL_S) -> None:
        """Look every `poll_s` seconds."""
        super().__init__(Worker("overdue-pools", self.work, poll_s=poll_s))
        self._db = db

    async def work(self) -> bool:
        """Open the entries of some pools, and close those of pools that have a result; return whether there may be
        more.
        """
        # A read first: on SQLite a write transaction holds up every order.
        found = await self._db.read(_look)
        if found:
            await self._db.write_private(lambda tx: _note(tx, found))
        return len(found) >= BATCH_MAX


def _look(tx: ReadTx) -> Sequence[int]:
    is_over = pools.c.finish_at_ms <= now_ms(tx) - OVERDUE_MS
    new = sa.select(pools.c.id).where(WAITING_FOR_VERDICT, is_over, ~attention.is_open_of("overdue", pools.c.id))
    found = list(tx.execute(new.order_by(pools.c.finish_at_ms).limit(BATCH_MAX)).scalars())
    # Those too that a process of the release before has resolved, which knows no such entries.
    waiting = attention.pools_waiting(tx, "overdue", reason="overdue")
    ended = sa.select(pools.c.id).where(pools.c.id.in_(waiting), pools.c.decided_at_ms.is_not(None)).limit(BATCH_MAX)
    return found + (list(tx.execute(ended).scalars()) if waiting else [])


def _note(tx: WriteTx, pool_ids: Sequence[int]) -> None:
    """Open or close the entries of pools as their rows say, now that they are locked."""
    at_ms = now_ms(tx)
    for pool in lock_pools(tx, pool_ids).values():
        if pool.is_overdue(at_ms):
            attention.open_entry(tx, "overdue", reason="overdue", event_id=pool.event_id, pool_id=pool.id, at_ms=at_ms)
        else:
            attention.close_entry(tx, "overdue", pool_id=pool.id, at_ms=at_ms)
