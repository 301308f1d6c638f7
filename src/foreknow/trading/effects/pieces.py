"""Pieces of the work for resting orders: each is one transaction that leaves the books right.

A piece locks its pools, then reads what is to be done there. Of several pools it takes those that are free, and waits
for one alone: trading in the others goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from foreknow.market.pools.store import PricedPool, lock_free_pools, lock_priced_pools
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.effects.settling import EndedOrder, settle_orders
from foreknow.trading.limit_orders import due
from foreknow.trading.limit_orders.due import OrderPlace
from foreknow.trading.limit_orders.order import OrderEnd, PoolEnds, end_of
from foreknow.trading.limit_orders.store import FoundOrder, orders_fetch


@dataclass(frozen=True, slots=True)
class OrderPiece:
    """What one transaction did."""

    #: Orders that it ended, and fills whose owners were paid.
    ended: int = 0
    paid: int = 0
    #: Pools whose orders it ended.
    pool_ids: Collection[int] = ()
    #: Of a pool's orders, trader by trader: where the next piece begins.
    after_user_id: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to do."""
        return not self.ended and not self.paid


def pay_some(tx: WriteTx, pool_ids: Sequence[int], *, size: int) -> OrderPiece:
    """Pay what is owed in some pools, at most `size` fills and ends; the first pool has waited the longest."""
    pools = _lock(tx, pool_ids)
    dues = due.dues_of(tx, pools.keys(), limit=size)
    used = {stored.due.pool_id: pools[stored.due.pool_id] for stored in dues}
    if dues:
        settle_orders(tx, used, dues=dues)
    return OrderPiece(paid=len(dues))


def end_some(
    tx: WriteTx,
    places: Sequence[OrderPlace],
    *,
    is_deactivated: bool = False,
) -> OrderPiece:
    """End those of some orders that have expired; all of them where their owner's account is deactivated.

    Those that ended with their pool before that are left to `end_pool`, which notifies their owner once.
    """
    pools = _lock(tx, [place.pool_id for place in places])
    at_ms = now_ms(tx)
    found = orders_fetch([place.order_id for place in places if place.pool_id in pools]).fetch(tx)
    otherwise = OrderEnd(at_ms, "cancelled", "deactivated") if is_deactivated else None
    ended = [
        EndedOrder(one, end)
        for one, ends in found
        if (end := end_of(one.order, ends, now_ms=at_ms) or otherwise) is not None
        and one.order.is_open
        and end.reason in (None, "deactivated")
    ]
    return _end(tx, pools, ended)


def end_pool(tx: WriteTx, pool_id: int, *, after_user_id: int, size: int) -> OrderPiece:
    """End the open orders of the next traders of a pool that has ended, some `size` of them."""
    return end_locked(tx, lock_priced_pools(tx, [pool_id])[pool_id], after_user_id=after_user_id, size=size)


def end_locked(tx: WriteTx, pool: PricedPool, *, after_user_id: int = 0, size: int) -> OrderPiece:
    """Do what `end_pool` does in a locked pool, whose row is as it is now."""
    if not pool.open_orders:
        return OrderPiece()
    at_ms = now_ms(tx)
    found = due.next_traders(tx, pool.id, after_user_id=after_user_id, size=size)
    ends = due.ends_of(tx, pool.id)
    ended = [EndedOrder(one, end) for one in found if (end := _end_of(one, ends, at_ms)) is not None]
    return _end(tx, {pool.id: pool}, ended)


def end_of_traders(tx: WriteTx, pool_id: int, user_ids: Collection[int]) -> OrderPiece:
    """End all open orders of some traders of a pool that has ended."""
    pool = lock_priced_pools(tx, [pool_id])[pool_id]
    at_ms, ends = now_ms(tx), due.ends_of(tx, pool_id)
    ended = [
        EndedOrder(one, end)
        for user_id in sorted(user_ids)
        for one in due.next_traders(tx, pool_id, after_user_id=user_id - 1, size=1)
        if one.order.user_id == user_id and (end := _end_of(one, ends, at_ms)) is not None
    ]
    return _end(tx, {pool_id: pool}, ended)


def settle_locked(tx: WriteTx, pool: PricedPool, *, size: int) -> OrderPiece:
    """Do a piece of all that is to be done for the orders of a locked pool that has ended, before it is paid."""
    ended = end_locked(tx, pool, size=size)
    if not ended.is_empty:
        return ended
    dues = due.dues_of(tx, [pool.id], limit=size)
    if dues:
        settle_orders(tx, {pool.id: pool}, dues=dues)
    return OrderPiece(paid=len(dues))


def _end(tx: WriteTx, pools: dict[int, PricedPool], ended: Sequence[EndedOrder]) -> OrderPiece:
    if not ended:
        return OrderPiece()
    used = {one.found.order.pool_id: pools[one.found.order.pool_id] for one in ended}
    last_id = max(one.found.order.user_id for one in ended)
    settle_orders(tx, used, ended=ended)
    return OrderPiece(ended=len(ended), pool_ids=used.keys(), after_user_id=last_id)


def _lock(tx: WriteTx, pool_ids: Sequence[int]) -> dict[int, PricedPool]:
    """Lock pools that are free; where none is, wait for the first."""
    if len(set(pool_ids)) > 1 and (found := lock_free_pools(tx, set(pool_ids))):
        return found
    return lock_priced_pools(tx, pool_ids[:1])


def _end_of(one: FoundOrder, ends: PoolEnds, at_ms: int) -> OrderEnd | None:
    return end_of(one.order, ends, now_ms=at_ms)
