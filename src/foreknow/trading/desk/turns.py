"""Traders whose positions of a list's Other are to be turned before their next order there."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from functools import partial

import structlog

from foreknow.kernel.errors import DomainError, InternalError, Unavailable
from foreknow.market.pools.store import load_pools, lock_statement
from foreknow.platform.db.engine import Database
from foreknow.platform.db.row_locks import lock_rows
from foreknow.platform.db.transactions import Locked, WriteTx
from foreknow.trading.desk.processor import POOLS
from foreknow.trading.desk.results import Unturned
from foreknow.trading.desk.state import LockedState
from foreknow.trading.limit_orders.store import TraderInPool
from foreknow.trading.splits.turning import turn_of, unturned_among

log = structlog.get_logger("foreknow.trading")

#: Longest run of a turn, for which all orders wait.
TURN_LIMIT_S = 30.0


def find_unturned(tx: WriteTx, state: LockedState) -> None:
    """Note which traders of a batch hold such positions in its locked pools."""
    turning = [pool.row for pool in state.pools.values() if pool.row.turning]
    if not turning:
        return
    traders = {
        *(account.user_id for account in state.ids.accounts.values()),
        *(account.user_id for account in state.ids.sub_accounts.values()),
    }
    state.unturned.update(unturned_among(tx, turning, traders))


async def turn_for(
    db: Database,
    waiting: Collection[Unturned],
    *,
    lock_s: float | None,
    until_s: float,
    on_turn: Callable[[Collection[int]], None],
) -> dict[TraderInPool, DomainError]:
    """Turn what orders wait for, a pool's together; return whose positions could not be turned, and why.

    Where a pool's fail, each trader's are tried alone until `until_s`: what one holds spares the others. `lock_s`
    limits the wait for a lock, as that of `Database.write_orders`. `on_turn` is called after each commit.
    """
    failures: dict[TraderInPool, DomainError] = {}
    for pool_id in sorted({one.pool_id for one in waiting}):
        user_ids = sorted({one.user_id for one in waiting if one.pool_id == pool_id})
        failure = await _turn(db, pool_id, user_ids, lock_s)
        if failure is None:
            on_turn([pool_id])
            continue
        parts = len(user_ids) > 1 and _may_spare_others(db, failure)
        for user_id in user_ids:
            alone: DomainError | None = failure
            if parts and time.monotonic() < until_s:
                alone = await _turn(db, pool_id, [user_id], lock_s)
            if alone is None:
                on_turn([pool_id])
            else:
                failures[user_id, pool_id] = alone
    return failures


async def _turn(db: Database, pool_id: int, user_ids: Sequence[int], lock_s: float | None) -> DomainError | None:
    try:
        await db.write_orders(
            partial(_turn_held, pool_id=pool_id, user_ids=user_ids), limit_s=TURN_LIMIT_S, lock_s=lock_s
        )
    except Unavailable as unavailable:
        return unavailable
    except Exception:  # the desk goes on: it has the orders of all pools
        log.exception("positions not turned", pool_id=pool_id, user_ids=user_ids)
        return InternalError()
    return None


def _may_spare_others(db: Database, failure: DomainError) -> bool:
    """Return whether others' positions in the pool might be turned all the same."""
    if isinstance(failure, Locked):
        # SQLite has a single lock.
        return not db.is_sqlite and failure.table != POOLS
    return isinstance(failure, InternalError)


def _turn_held(tx: WriteTx, pool_id: int, user_ids: Collection[int]) -> None:
    """Turn what some users hold of a list's Other, in a transaction that begins with the lock of its pool."""
    lock_rows(tx, [lock_statement([pool_id])])
    turn_of(tx, load_pools(tx, [pool_id])[pool_id], user_ids)
