"""Pools: visibility and pausing."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import InvalidState
from foreknow.market.pools import past
from foreknow.market.pools.errors import MarketNotFound, PoolNotFound
from foreknow.market.pools.store import AnyPool, PoolRow, load_pools, lock_priced_pools, pool_ids_of_markets, set_paused
from foreknow.people import admin_log
from foreknow.people.users import require_run_by
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx


def visible_pool(tx: ReadTx, pool_id: int, visitor: UserCaller | None) -> PoolRow:
    """Return a pool that the visitor may see; `PoolNotFound` otherwise."""
    return _require_visible(load_pools(tx, [pool_id]).get(pool_id), visitor)


def visible_pools(tx: ReadTx, pool_ids: Sequence[int], visitor: UserCaller | None) -> list[PoolRow]:
    """Return the pools that the visitor may see, in the order given, without duplicates."""
    found = load_pools(tx, pool_ids)
    rows = (found.get(pool_id) for pool_id in dict.fromkeys(pool_ids))
    return [row for row in rows if row is not None and is_visible_to(visitor, row)]


def visible_market(tx: ReadTx, market_id: int, visitor: UserCaller | None) -> tuple[PoolRow, int]:
    """Return a market's pool and outcome index; `MarketNotFound` if the visitor may not see it."""
    location = pool_ids_of_markets(tx, [market_id]).get(market_id)
    if location is None:
        raise MarketNotFound
    pool_id, outcome_index = location
    row = load_pools(tx, [pool_id])[pool_id]
    if not is_visible_to(visitor, row):
        raise MarketNotFound
    return row, outcome_index


def pause(tx: WriteTx, pool_id: int, caller: UserCaller, *, paused: bool) -> PoolRow:
    """Pause or resume trading in a pool; after the commit, no earlier order executes.

    Orders lock the pool too: an earlier one is done, a later one finds the pause.
    """
    row = _require_visible(lock_priced_pools(tx, [pool_id]).get(pool_id), caller)
    require_run_by(tx, caller, row, "Only the event's creator and admins may pause and resume its pools.")
    if row.is_decided:
        raise InvalidState("The pool has its result.")
    set_paused(tx, pool_id, paused=paused, by_creator=caller.user_id == row.creator_id)
    at_ms = now_ms(tx)
    (past.note_pause if paused else past.note_resumption)(tx, pool_id, at_ms=at_ms)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=row.creator_id,
        action="pool.pause" if paused else "pool.resume",
        target=f"pool:{pool_id}",
        details={},
        at_ms=at_ms,
    )
    return load_pools(tx, [pool_id])[pool_id]


def _require_visible(row: AnyPool | None, visitor: UserCaller | None) -> AnyPool:
    if row is None or not is_visible_to(visitor, row):
        raise PoolNotFound
    return row
