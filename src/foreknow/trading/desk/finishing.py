"""What is done for a trader before the trader's order is tried again: what another worker has yet to do."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence

import structlog

from foreknow.kernel.errors import DomainError, InternalError, Unavailable
from foreknow.market.pools.store import load_pools, lock_statement
from foreknow.platform.db.engine import Database
from foreknow.platform.db.statements.row_locks import lock_rows
from foreknow.platform.db.transactions import Locked, WriteTx
from foreknow.trading.desk.errors import Unended, Unfinished, Unturned
from foreknow.trading.desk.processor import POOLS
from foreknow.trading.effects.pieces import end_of_traders
from foreknow.trading.effects.turning import turn_of

log = structlog.get_logger("foreknow.trading")

#: Longest run, for which all orders wait.
RUN_LIMIT_S = 30.0


async def finish(
    db: Database,
    waiting: Sequence[Unfinished],
    *,
    lock_s: float | None,
    until_s: float,
    on_commit: Callable[[Collection[int]], None],
) -> dict[tuple[type[Unfinished], int, int], DomainError]:
    """Do what orders wait for, a pool's together; return what could not be done, by its key, and why.

    Where a pool's fails, each trader's is tried alone until `until_s`: what one has left spares the others. `lock_s`
    limits the wait for a lock, as that of `Database.write_orders`.
    """
    failures: dict[tuple[type[Unfinished], int, int], DomainError] = {}
    for together in _by_pool(waiting):
        failure = await _run(db, together, lock_s)
        if failure is None:
            on_commit([together[0].pool_id])
            continue
        parts = len(together) > 1 and _may_spare_others(db, failure)
        for one in together:
            alone: DomainError | None = failure
            if parts and time.monotonic() < until_s:
                alone = await _run(db, [one], lock_s)
            if alone is None:
                on_commit([one.pool_id])
            else:
                failures[one.key] = alone
    return failures


def _by_pool(waiting: Sequence[Unfinished]) -> list[list[Unfinished]]:
    """Return what is to be done of each kind in each pool, each trader's once."""
    once = {one.key: one for one in waiting}
    groups: dict[tuple[type[Unfinished], int], list[Unfinished]] = {}
    for one in sorted(once.values(), key=lambda one: (one.pool_id, one.user_id)):
        groups.setdefault((type(one), one.pool_id), []).append(one)
    return list(groups.values())


async def _run(db: Database, together: Sequence[Unfinished], lock_s: float | None) -> DomainError | None:
    kind, pool_id, user_ids = type(together[0]), together[0].pool_id, [one.user_id for one in together]

    def work(tx: WriteTx) -> None:
        # The transaction begins with it.
        lock_rows(tx, [lock_statement([pool_id])])
        _WORK[kind](tx, pool_id, user_ids)

    try:
        await db.write_orders(work, limit_s=RUN_LIMIT_S, lock_s=lock_s)
    except Unavailable as unavailable:
        return unavailable
    except Exception:  # the desk goes on: it has the orders of all pools
        log.exception(_FAILED[kind], pool_id=pool_id, user_ids=user_ids)
        return InternalError()
    return None


def _may_spare_others(db: Database, failure: DomainError) -> bool:
    """Return whether others' in the pool might be done all the same."""
    if isinstance(failure, Locked):
        # SQLite has a single lock.
        return not db.is_sqlite and failure.table != POOLS
    return isinstance(failure, InternalError)


def _turn(tx: WriteTx, pool_id: int, user_ids: Collection[int]) -> None:
    turn_of(tx, load_pools(tx, [pool_id])[pool_id], user_ids)


_WORK: Mapping[type[Unfinished], Callable[[WriteTx, int, Collection[int]], object]] = {
    Unturned: _turn,
    Unended: end_of_traders,
}
#: What operators look for (docs/lists.md).
_FAILED: Mapping[type[Unfinished], str] = {Unturned: "positions not turned", Unended: "ended orders not written"}
