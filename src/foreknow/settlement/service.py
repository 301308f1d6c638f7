"""Who may resolve a pool or cancel an event, and the event's new status."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from foreknow import admin_log, notifications
from foreknow.access.callers import UserCaller
from foreknow.access.ownership import is_visible_to
from foreknow.db.clock import now_ms
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.events.service import managed_event
from foreknow.events.store import EventStatus, closing_time_ms, load_events, update_event
from foreknow.kernel.errors import InvalidState
from foreknow.pools import deadlines
from foreknow.pools.errors import PoolNotFound
from foreknow.pools.store import PoolRow, PoolState, load_pools, lock_pools, pool_ids_of_events, write_decision
from foreknow.settlement.errors import AlreadyResolved
from foreknow.settlement.payouts import settle_pools
from foreknow.settlement.resolution import VOID, ResolveBody, resolution_for
from foreknow.users import require_live_session, require_run_by


def settle_pool(tx: WriteTx, pool_id: int, body: ResolveBody, caller: UserCaller) -> PoolRow:
    """Resolve a pool and pay it out; repeating the same resolution changes nothing.

    `body` passed `resolution.check`. Raises `PoolNotFound`, `Forbidden`, `InvalidState` for a pool that was never
    published, `AlreadyResolved` for a different resolution.
    """
    row = _managed_pool(tx, pool_id, caller)
    resolution = resolution_for(row, body)
    # All pools of the event: of the last two resolved at once, one must see the other and end the event.
    pools = _lock_pools_of(tx, row.event_id)
    pool = pools[pool_id]
    if pool.resolved:
        if pool.resolution != resolution.requested:
            raise AlreadyResolved
        return pool
    if pool.state is PoolState.NEW:
        raise InvalidState("The event was never published.")
    event = load_events(tx, [row.event_id])[row.event_id]
    effects = settle_pools(tx, [pool], resolution, event=event, at_ms=_after_all_trades(tx, [pool]))
    unresolved = [other for other in pools.values() if other.id != pool_id and not other.resolved]
    _update_event(tx, row.event_id, unresolved, ends_as=EventStatus.RESOLVED)
    if not unresolved:
        notification = notifications.event_resolved(
            creator_id=event.creator_id, event_id=event.id, event_name=event.name, at_ms=effects.at_ms
        )
        effects.notifications.append(notification)
    effects.write(tx)
    deadlines.hasten(tx, [other.id for other in unresolved if other.is_over(effects.at_ms)], at_ms=effects.at_ms)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=row.creator_id,
        action="pool.resolve",
        target=f"pool:{pool_id}",
        details=resolution.requested,
        at_ms=effects.at_ms,
    )
    return load_pools(tx, [pool_id])[pool_id]


def decide(
    tx: WriteTx, pool_id: int, body: ResolveBody, *, by: str = "rule", evidence: Mapping[str, Any] | None = None
) -> bool:
    """Decide a published pool by its rule; return False, and change nothing, if it has a result already."""
    row = load_pools(tx, [pool_id])[pool_id]
    pools = _lock_pools_of(tx, row.event_id)
    pool = pools[pool_id]
    if pool.resolved:
        return False
    resolution = resolution_for(pool, body)
    event = load_events(tx, [pool.event_id])[pool.event_id]
    at_ms = _after_all_trades(tx, [pool])
    write_decision(tx, pool_id, by=by, evidence=evidence, at_ms=at_ms)
    effects = settle_pools(tx, [pool], resolution, event=event, at_ms=at_ms)
    unresolved = [other for other in pools.values() if other.id != pool_id and not other.resolved]
    _update_event(tx, pool.event_id, unresolved, ends_as=EventStatus.RESOLVED)
    if not unresolved:
        notification = notifications.event_resolved(
            creator_id=event.creator_id, event_id=event.id, event_name=event.name, at_ms=effects.at_ms
        )
        effects.notifications.append(notification)
    effects.write(tx)
    deadlines.drop(tx, pool_id)
    deadlines.hasten(tx, [other.id for other in unresolved if other.is_over(at_ms)], at_ms=at_ms)
    return True


def finalize(tx: WriteTx, pool_id: int) -> None:
    """Make the result of a pool final whose dispute window has ended."""


def void_event(tx: WriteTx, event_id: int, caller: UserCaller) -> None:
    """Cancel an event: void every unresolved pool. If it was never published, no money moves.

    Raises `EventNotFound`, `Forbidden`, `InvalidState` for an event that is resolved or cancelled.
    """
    event = managed_event(tx, event_id, caller)
    pools = _lock_pools_of(tx, event_id)
    unresolved = [pool for pool in pools.values() if not pool.resolved]
    # With its pools locked this is exact: an event ends when its last pool is resolved or voided.
    if not unresolved:
        raise InvalidState("The event is resolved or cancelled.")
    effects = settle_pools(tx, unresolved, VOID, event=event, at_ms=_after_all_trades(tx, unresolved))
    _update_event(tx, event_id, [], ends_as=EventStatus.CANCELLED)
    notification = notifications.event_cancelled(
        creator_id=event.creator_id, event_id=event_id, event_name=event.name, at_ms=effects.at_ms
    )
    effects.notifications.append(notification)
    effects.write(tx)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=event.creator_id,
        action="event.cancel",
        target=f"event:{event_id}",
        details={},
        at_ms=effects.at_ms,
    )


def _managed_pool(tx: ReadTx, pool_id: int, caller: UserCaller) -> PoolRow:
    """Return a pool that the caller manages; session and role are read from the database."""
    require_live_session(tx, caller)
    row = load_pools(tx, [pool_id]).get(pool_id)
    if row is None or not is_visible_to(caller, row):
        raise PoolNotFound
    require_run_by(tx, caller, row, "Only the event's creator and admins may resolve its pools.")
    return row


def _lock_pools_of(tx: ReadTx, event_id: int) -> dict[int, PoolRow]:
    return lock_pools(tx, pool_ids_of_events(tx, [event_id])[event_id])


def _after_all_trades(tx: ReadTx, pools: Iterable[PoolRow]) -> int:
    """Return the time, but not before the last trade: the clock may have been set back."""
    return max(now_ms(tx), *(pool.last_trade_at_ms or 0 for pool in pools))


def _update_event(tx: WriteTx, event_id: int, unresolved: Collection[PoolRow], *, ends_as: EventStatus) -> None:
    """Set the event's closing time; it ends with its last unresolved pool."""
    change: dict[str, Any] = {"closes_at_ms": closing_time_ms(pool.finish_at_ms for pool in unresolved)}
    if not unresolved:
        change["status"] = ends_as.value
    update_event(tx, event_id, **change)
