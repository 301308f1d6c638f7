"""Rows of limit orders: the best of each queue of some pools, orders by id, and their writing.

A transaction that changes an order holds its pool's lock, under which all of this is read and written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.market.markets.tables import markets
from foreknow.market.pools.tables import first_decided_at_ms, pools
from foreknow.money.holds.tables import IS_OPEN, limit_orders, order_dues
from foreknow.platform.db.bulk import CompiledQuery, Fetch, as_rows, found_beside, in_array, values_table
from foreknow.platform.db.changes import Sink, insert_rows, update_rows
from foreknow.platform.db.metadata import Flag, Int64
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.limit_orders.order import LimitOrderRow, PoolEnds
from foreknow.trading.positions.position import OpenPosition
from foreknow.trading.positions.tables import positions

#: Most open orders of a trader in a pool, beside which no further one may rest.
OPEN_MAX = 200

#: (user id, pool id)
TraderInPool = tuple[int, int]


class FoundOrder(NamedTuple):
    """An order, and its owner's open position of its market and side."""

    order: LimitOrderRow
    position: OpenPosition | None


class OrderDue(NamedTuple):
    """What is left to be done for the owner of an order that was filled, or ended, by others: a row of `order_dues`."""

    pool_id: int
    order_id: int
    user_id: int
    trade_id: int | None
    pnl_kopecks: int | None
    closes: bool
    #: Whether the fill was the order's last.
    completes: bool
    created_at_ms: int

    @classmethod
    def of_end(cls, order: LimitOrderRow, *, at_ms: int) -> OrderDue:
        """Return what is left of an order that ended."""
        return cls(order.pool_id, order.id, order.user_id, None, None, False, False, created_at_ms=at_ms)


def best_orders_fetch(pool_ids: Collection[int], *, each: int) -> Fetch[list[FoundOrder]]:
    """Return the query of the best `each` open orders of every queue of some pools, in any order."""
    return Fetch(_BEST, {"ids": pool_ids, "each": each}, _found, is_empty=not pool_ids)


def best_orders_of_queues(queues: Collection[tuple[int, bool]], *, each: int) -> Fetch[list[FoundOrder]]:
    """Return the query of the best `each` open orders of these queues, (market id, is_up); likewise."""
    ups, downs = ([market_id for market_id, is_up in queues if is_up == up] for up in (True, False))
    return Fetch(_BEST_OF_QUEUES, {"ups": ups, "downs": downs, "each": each}, _found, is_empty=not queues)


def orders_fetch(order_ids: Collection[int]) -> Fetch[list[tuple[FoundOrder, PoolEnds]]]:
    """Return the query of orders by id, with what ends those of their pools."""
    return Fetch(_BY_IDS, {"ids": order_ids}, _with_ends, is_empty=not order_ids)


def open_orders_of_pool(tx: ReadTx, pool_id: int, *, after_user_id: int, limit: int) -> list[FoundOrder]:
    """Return open orders of a locked pool, those of one trader after the other."""
    rows = _OF_POOL.fetch(tx, {"pool_id": pool_id, "after_user_id": after_user_id, "limit": limit})
    return _found(rows)


def next_with_orders(tx: ReadTx, pool_ids: Collection[int], *, after_user_id: int, limit: int) -> list[int]:
    """Return the next users and sub-accounts, by id, who have open orders in any of some pools."""
    rows = _WITH_ORDERS.fetch(tx, {"ids": pool_ids, "after_user_id": after_user_id, "limit": limit})
    return [user_id for (user_id,) in rows]


def open_orders_of_market(tx: ReadTx, market_id: int) -> list[FoundOrder]:
    """Return all open orders of a market of a locked pool."""
    return _found(_OF_MARKET.fetch(tx, {"market_id": market_id}))


def open_expiries_fetch(traders: Collection[TraderInPool]) -> Fetch[dict[TraderInPool, list[tuple[int | None, int]]]]:
    """Return the query of how many orders of some traders in some pools are open until when: (expires_at_ms, count)."""
    return Fetch(_EXPIRIES, {"traders": as_rows(traders)}, _by_trader, is_empty=not traders)


def write_orders(into: Sink, *, new: Sequence[LimitOrderRow], changed: Sequence[LimitOrderRow]) -> None:
    """Insert orders, whose ids are drawn, and write what fills and ends have changed of others."""
    insert_rows(into, limit_orders, _WRITTEN, list(map(_written, new)))
    update_rows(into, limit_orders, _CHANGED, list(map(_change, changed)))


def write_dues(into: Sink, dues: Sequence[OrderDue]) -> None:
    """Leave to be done what a transaction may not do for others' owners."""
    insert_rows(into, order_dues, OrderDue._fields, dues)


_NAMES = LimitOrderRow.__struct_fields__
_POSITION_NAMES = OpenPosition.__struct_fields__
_WRITTEN = (*_NAMES, "is_up", "rank")
_written = attrgetter(*_WRITTEN)
_CHANGED = (
    "filled_shares",
    "status",
    "reason",
    "amount_kopecks",
    "held_kopecks",
    "owed_kopecks",
    "updated_at_ms",
)
_change = attrgetter(*_CHANGED, "id")


def columns_of(table: sa.FromClause) -> list[sa.ColumnElement[Any]]:
    """Return the columns of a `LimitOrderRow`; flags as integers, which SQLite returns all at once."""
    return [
        sa.type_coerce(column, Int64).label(column.key) if isinstance(column.type, Flag) else column
        for column in (table.c[name] for name in _NAMES)
    ]


def order_of(row: Sequence[Any]) -> LimitOrderRow:
    """Read the columns of `columns_of`."""
    values = dict(zip(_NAMES, row, strict=True))
    values["post_only"] = bool(values["post_only"])
    return LimitOrderRow(**values)


def _found(rows: Rows) -> list[FoundOrder]:
    return list(map(_found_order, rows))


def _found_order(row: Sequence[Any]) -> FoundOrder:
    held = row[len(_NAMES) :]
    position = None if held[0] is None else OpenPosition(**dict(zip(_POSITION_NAMES, held, strict=True)))
    return FoundOrder(order_of(row[: len(_NAMES)]), position)


def _with_ends(rows: Rows) -> list[tuple[FoundOrder, PoolEnds]]:
    return [(_found_order(row[:-2]), PoolEnds(*row[-2:])) for row in rows]


def _by_trader(rows: Rows) -> dict[TraderInPool, list[tuple[int | None, int]]]:
    found: dict[TraderInPool, list[tuple[int | None, int]]] = {}
    for user_id, pool_id, expires_at_ms, count in rows:
        found.setdefault((user_id, pool_id), []).append((expires_at_ms, count))
    return found


_IS_POSITION_OPEN = positions.c.closed_at_ms.is_(None)


def _select(
    dialect: str, order: sa.FromClause, *more: sa.ColumnElement[Any], source: sa.FromClause | None = None
) -> sa.Select[Any]:
    """Select orders with the open positions of their owner, market and side, and `more` of `source`."""
    key = (positions.c.user_id, positions.c.market_id, positions.c.side)
    held: sa.FromClause
    if dialect == "sqlite":
        held, is_held = positions, sa.and_(*(column == order.c[column.name] for column in key), _IS_POSITION_OPEN)
    else:
        columns = (positions.c[name] for name in _POSITION_NAMES)
        held, is_held = found_beside(key, order, sa.select(*columns).where(_IS_POSITION_OPEN)), sa.true()
    of_position = (held.c[name].label(f"position_{name}") for name in _POSITION_NAMES)
    query = sa.select(*columns_of(order), *of_position, *more)
    return query.select_from((order if source is None else source).outerjoin(held, is_held))


#: Whose queues of a direction are wanted.
QueueFilter = Callable[[bool], sa.ColumnElement[bool]]


def _best_of(dialect: str, wanted: QueueFilter, *, is_up: bool) -> sa.Select[Any]:
    """Select the best orders of one queue of each market that is wanted."""
    queued, order = limit_orders.alias(), limit_orders.alias("resting")
    best = (
        sa.select(queued.c.id)
        .where(
            queued.c.market_id == markets.c.id,
            # Literals, so that the partial index of the queues is used.
            queued.c.is_up == sa.literal_column("true" if is_up else "false"),
            queued.c.status == sa.literal_column("'open'"),
        )
        .order_by(queued.c.rank, queued.c.id)
        .limit(sa.bindparam("each", type_=Int64))
        .correlate(markets)
    )
    if dialect == "postgresql":
        each = best.lateral(f"best_{is_up}")
        queues = markets.join(each, sa.true()).join(order, order.c.id == each.c.id)
    else:
        queues = markets.join(order, order.c.id.in_(best))
    return _select(dialect, order, source=queues).where(wanted(is_up))


def _best(dialect: str, *, wanted: QueueFilter) -> sa.Select[Any]:
    both = (_best_of(dialect, wanted, is_up=is_up) for is_up in (True, False))
    return sa.select(*sa.union_all(*both).subquery("both").c)


def _of_pools(_is_up: bool) -> sa.ColumnElement[bool]:  # noqa: FBT001 - `QueueFilter`
    return in_array(markets.c.pool_id)


def _of_queues(is_up: bool) -> sa.ColumnElement[bool]:  # noqa: FBT001 - `QueueFilter`
    return in_array(markets.c.id, "ups" if is_up else "downs")


def _by_ids(dialect: str) -> sa.Select[Any]:
    source = limit_orders.join(pools, pools.c.id == limit_orders.c.pool_id)
    ends = (pools.c.finish_at_ms, first_decided_at_ms())
    return _select(dialect, limit_orders, *ends, source=source).where(in_array(limit_orders.c.id))


def _of_pool(dialect: str) -> sa.Select[Any]:
    order = limit_orders.c
    return (
        _select(dialect, limit_orders)
        .where(
            IS_OPEN,
            order.pool_id == sa.bindparam("pool_id", type_=Int64),
            order.user_id > sa.bindparam("after_user_id", type_=Int64),
        )
        .order_by(order.user_id, order.id)
        .limit(sa.bindparam("limit", type_=Int64))
    )


def _of_market(dialect: str) -> sa.Select[Any]:
    return (
        _select(dialect, limit_orders)
        .where(IS_OPEN, limit_orders.c.market_id == sa.bindparam("market_id", type_=Int64))
        .order_by(limit_orders.c.user_id, limit_orders.c.id)
    )


def _expiries(dialect: str) -> sa.Select[Any]:
    wanted = values_table(dialect, "traders", {"user_id": Int64, "pool_id": Int64})
    order = limit_orders.c
    of_trader = sa.and_(
        order.user_id == wanted.c.user_id,
        order.pool_id == wanted.c.pool_id,
        order.status == sa.literal_column("'open'"),
    )
    return (
        sa.select(wanted.c.user_id, wanted.c.pool_id, order.expires_at_ms, sa.func.count())
        .join_from(wanted, limit_orders, of_trader)
        .group_by(wanted.c.user_id, wanted.c.pool_id, order.expires_at_ms)
    )


_BEST = CompiledQuery(partial(_best, wanted=_of_pools))
_BEST_OF_QUEUES = CompiledQuery(partial(_best, wanted=_of_queues))
_BY_IDS = CompiledQuery(_by_ids)
_EXPIRIES = CompiledQuery(_expiries)
_OF_POOL = CompiledQuery(_of_pool)
_WITH_ORDERS = CompiledQuery(
    sa.select(limit_orders.c.user_id)
    .where(
        in_array(limit_orders.c.pool_id),
        limit_orders.c.user_id > sa.bindparam("after_user_id", type_=Int64),
        IS_OPEN,
    )
    .distinct()
    .order_by(limit_orders.c.user_id)
    .limit(sa.bindparam("limit", type_=Int64))
)
_OF_MARKET = CompiledQuery(_of_market)
