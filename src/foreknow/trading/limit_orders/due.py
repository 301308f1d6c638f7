"""What waits to be done for limit orders: money to pay out, and orders whose end has passed.

Workers look without locks (`find`), then read what they do under the locks of its pools.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import SECOND_MS
from foreknow.market.pools.tables import HAS_ORDERS, first_decided_at_ms, pools
from foreknow.money.holds.tables import IS_OPEN, limit_orders, order_dues, order_leavers
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, Fetch, fetch_together, in_array
from foreknow.platform.db.changes import Insert, apply
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.trading.limit_orders.order import PoolEnds
from foreknow.trading.limit_orders.store import OPEN_MAX, FoundOrder, OrderDue, open_orders_of_pool

#: Of a user whose orders are to end: after the death of a process another goes on this much later, and its poll.
LEASE_MS = SECOND_MS
#: Users whose orders are to end; `attempts` counts those since the last piece.
LEAVERS = JobTable(
    order_leavers.c.user_id, order_leavers.c.due_at_ms, lease_ms=LEASE_MS, claims=order_leavers.c.attempts
)


class OrderPlace(NamedTuple):
    """An order and its pool."""

    order_id: int
    pool_id: int


class StoredDue(NamedTuple):
    """A row of `order_dues`."""

    id: int
    due: OrderDue


@dataclass(frozen=True, slots=True)
class DueWork:
    """What was found to do."""

    #: Pools with orders, some of which have ended with their pool.
    ended_pool_ids: Sequence[int]
    #: Orders that have expired.
    expired: Sequence[OrderPlace]
    #: Pools with money to pay out, the longest wait first.
    owing_pool_ids: Sequence[int]

    @property
    def pool_ids(self) -> set[int]:
        """All pools with something to do."""
        return {*self.ended_pool_ids, *self.owing_pool_ids, *(place.pool_id for place in self.expired)}


def find(tx: ReadTx, *, now_ms: int, limit: int, except_pool_ids: Collection[int] = ()) -> DueWork:
    """Return up to `limit` of each that is due, of all pools but some; each query reads an index of what is due."""
    ending = {"now_ms": now_ms, "limit": limit, "except": except_pool_ids}
    owing = {"limit": limit, "except": except_pool_ids}
    finished, decided, expired, owed = fetches = (
        Fetch(_FINISHED, ending, list),
        Fetch(_DECIDED, ending, list),
        Fetch(_EXPIRED, ending, list),
        Fetch(_OWING, owing, list),
    )
    # Each exchange keeps makers waiting.
    fetch_together(tx, fetches)
    return DueWork(
        ended_pool_ids=sorted({pool_id for (pool_id,) in (*finished.result, *decided.result)}),
        expired=[OrderPlace(*row) for row in expired.result],
        owing_pool_ids=list(dict.fromkeys(pool_id for (pool_id,) in owed.result)),
    )


def dues_of(tx: ReadTx, pool_ids: Collection[int], *, limit: int) -> list[StoredDue]:
    """Return the oldest dues of locked pools."""
    rows = _DUES.fetch(tx, {"ids": pool_ids, "limit": limit})
    return [StoredDue(due_id, OrderDue(*rest)) for due_id, *rest in rows]


def delete_dues(tx: WriteTx, due_ids: Collection[int]) -> None:
    """Delete dues that are done."""
    if due_ids:
        tx.execute(order_dues.delete().where(in_array(order_dues.c.id)), {"ids": list(due_ids)})


def next_traders(tx: ReadTx, pool_id: int, *, after_user_id: int, size: int) -> list[FoundOrder]:
    """Return the open orders of the next traders of a locked pool: some `size` orders, of each trader all."""
    found = open_orders_of_pool(tx, pool_id, after_user_id=after_user_id, limit=size + OPEN_MAX)
    if len(found) <= size:
        return found
    last_id = found[size - 1].order.user_id
    return [one for one in found if one.order.user_id <= last_id]


def ends_of(tx: ReadTx, pool_id: int) -> PoolEnds:
    """Return what ends the orders of a pool."""
    return PoolEnds(
        *tx.execute(sa.select(pools.c.finish_at_ms, first_decided_at_ms()).where(pools.c.id == pool_id)).one()
    )


def open_orders_of(tx: ReadTx, user_id: int, *, limit: int, except_pool_ids: Collection[int] = ()) -> list[OrderPlace]:
    """Return a user's oldest open orders."""
    bounds = {"user_id": user_id, "limit": limit, "except": except_pool_ids}
    return [OrderPlace(*row) for row in _OPEN_OF.fetch(tx, bounds)]


def end_all_of(tx: WriteTx, user_id: int, *, at_ms: int) -> None:
    """Let all orders of a user end soon, whose account is deactivated or deleted by this transaction."""
    apply(tx, _LEAVE, [(user_id, at_ms)])


def end_no_more_of(tx: WriteTx, user_id: int, *, at_ms: int) -> None:
    """Let orders of a user stay whose account is active again: those too that could not end so far.

    Where a look at them is due, those end that can: their owner was deactivated. The worker leaves the rest.
    """
    is_put_off = order_leavers.c.due_at_ms > at_ms
    tx.execute(order_leavers.delete().where(order_leavers.c.user_id == user_id, is_put_off))


def is_active(tx: ReadTx, user_id: int) -> bool:
    """Return whether a user's account is active."""
    return bool(tx.execute(sa.select(users.c.is_active).where(users.c.id == user_id)).scalar())


def note_ended(tx: WriteTx, ended: Collection[tuple[int, int]]) -> None:
    """Write how many orders are left open in some locked pools: (count, pool id)."""
    for open_orders, pool_id in sorted(ended, key=lambda one: one[1]):
        tx.execute(pools.update().where(pools.c.id == pool_id).values(open_orders=open_orders))


_LEAVE = Insert(
    order_leavers,
    ("user_id", "due_at_ms"),
    conflict="ON CONFLICT (user_id) DO UPDATE SET due_at_ms = excluded.due_at_ms",
)
_LIMIT = sa.bindparam("limit", type_=Int64)
_NOW = sa.bindparam("now_ms", type_=Int64)


def _not_except(column: sa.Column[int]) -> sa.ColumnElement[bool]:
    return sa.not_(in_array(column, "except"))


def _passed(column: sa.Column[int | None]) -> CompiledQuery:
    return CompiledQuery(
        sa.select(pools.c.id)
        .where(HAS_ORDERS, column.is_not(None), column <= _NOW, _not_except(pools.c.id))
        .order_by(column)
        .limit(_LIMIT)
    )


_FINISHED, _DECIDED = _passed(pools.c.finish_at_ms), _passed(pools.c.decided_at_ms)
_EXPIRED = CompiledQuery(
    sa.select(limit_orders.c.id, limit_orders.c.pool_id)
    .where(
        IS_OPEN,
        limit_orders.c.expires_at_ms.is_not(None),
        limit_orders.c.expires_at_ms <= _NOW,
        _not_except(limit_orders.c.pool_id),
    )
    .order_by(limit_orders.c.expires_at_ms)
    .limit(_LIMIT)
)
_OWING = CompiledQuery(
    sa.select(order_dues.c.pool_id).where(_not_except(order_dues.c.pool_id)).order_by(order_dues.c.id).limit(_LIMIT)
)
_DUES = CompiledQuery(
    sa.select(order_dues.c.id, *(order_dues.c[name] for name in OrderDue._fields))
    .where(in_array(order_dues.c.pool_id))
    .order_by(order_dues.c.id)
    .limit(_LIMIT)
)
_OPEN_OF = CompiledQuery(
    sa.select(limit_orders.c.id, limit_orders.c.pool_id)
    .where(
        limit_orders.c.user_id == sa.bindparam("user_id", type_=Int64),
        limit_orders.c.status == sa.literal_column("'open'"),
        _not_except(limit_orders.c.pool_id),
    )
    .order_by(limit_orders.c.id)
    .limit(_LIMIT)
)
