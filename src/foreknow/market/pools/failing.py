"""Pools in which money or shares should move and do not: what operators are alerted of."""

from __future__ import annotations

from foreknow.market.pools.store import lock_pools
from foreknow.people import attention
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx


def note_failing(tx: WriteTx, pool_id: int, *, reason: str) -> None:
    """Lock a pool that a worker has failed at again and again, and open an entry of kind `payment` for it."""
    pool = lock_pools(tx, [pool_id])[pool_id]
    attention.open_entry(tx, "payment", reason=reason, event_id=pool.event_id, pool_id=pool_id, at_ms=now_ms(tx))


def note_done(tx: WriteTx, pool_id: int, *, reason: str) -> None:
    """Close the entry of a locked pool in which nothing of a worker's is left, if one with its reason is open."""
    attention.close_entry(tx, "payment", reason=reason, pool_id=pool_id, at_ms=now_ms(tx))
