"""Rows of positions, read and written in bulk by trading and settlement."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from foreknow.market.markets.tables import markets
from foreknow.platform.db.bulk import CompiledQuery, Fetch, as_rows, found_by, in_array, values_table
from foreknow.platform.db.changes import Sink, insert_rows, update_rows
from foreknow.platform.db.ids import draw_ids, ids_fetch
from foreknow.platform.db.metadata import Int64, Text
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.positions.position import OpenPosition
from foreknow.trading.positions.tables import position_splits, positions

__all__ = ["OpenPosition", "PositionKey", "load_open", "open_of_market", "write"]

#: (user id, market id, side)
PositionKey = tuple[int, int, str]
#: (user id, pool id)
HolderInPool = tuple[int, int]

_NAMES = OpenPosition.__struct_fields__
#: Columns that bets and sales change while a position stays open. None is in an index, so that none is written.
_TRADED = ("shares", "cost_kopecks", "left_shares", "left_cost_kopecks", "pnl_kopecks", "reserved_shares")
#: Columns that change when it is closed.
_CLOSING = (*_TRADED, "settled_shares", "settled_kopecks", "closed_at_ms", "won_side")
_SELECT = sa.select(*(positions.c[name] for name in _NAMES)).where(positions.c.closed_at_ms.is_(None))


def _find(dialect: str) -> sa.Select[Any]:
    keys = values_table(dialect, "keys", {"user_id": Int64, "market_id": Int64, "side": Text})
    return found_by(dialect, [positions.c.user_id, positions.c.market_id, positions.c.side], keys, _SELECT)


_FIND = CompiledQuery(_find)


_OF_MARKET = CompiledQuery(
    _SELECT.where(positions.c.market_id == sa.bindparam("market_id"), positions.c.id > sa.bindparam("after_id"))
    .order_by(positions.c.id)
    .limit(sa.bindparam("limit"))
)


def load_open(tx: ReadTx, keys: Collection[PositionKey]) -> dict[PositionKey, OpenPosition]:
    """Return the open positions of these keys.

    Call it with their pools locked: every change of a position happens under its pool's lock.
    """
    return open_fetch(keys).fetch(tx)


def open_fetch(keys: Collection[PositionKey]) -> Fetch[dict[PositionKey, OpenPosition]]:
    """Return `load_open` as a query to be fetched with others."""
    return Fetch(_FIND, {"keys": as_rows(keys)}, _by_key, is_empty=not keys)


def open_in_pools_fetch(holders: Collection[HolderInPool], *, side: str) -> Fetch[dict[PositionKey, OpenPosition]]:
    """Return the query of some users' open positions of a side in some pools, in whatever markets; likewise."""
    return Fetch(_IN_POOLS, {"holders": as_rows(holders), "side": side}, _by_key, is_empty=not holders)


def _in_pools(dialect: str) -> sa.Select[Any]:
    """Look by the key of open positions, market after market: a user may have thousands in other pools."""
    wanted = values_table(dialect, "holders", {"user_id": Int64, "pool_id": Int64})
    matches = sa.and_(
        positions.c.user_id == wanted.c.user_id,
        positions.c.market_id == markets.c.id,
        positions.c.side == sa.bindparam("side"),
    )
    of_pool = markets.c.pool_id == wanted.c.pool_id
    columns = (positions.c[name] for name in _NAMES)
    rows = sa.select(*columns).join_from(wanted, markets, of_pool).join(positions, matches)
    return rows.where(positions.c.closed_at_ms.is_(None))


_IN_POOLS = CompiledQuery(_in_pools)


def _by_key(rows: Rows) -> dict[PositionKey, OpenPosition]:
    return {position.key: position for position in map(_position, rows)}


def open_of_market(tx: ReadTx, market_id: int, *, after_id: int, limit: int) -> list[OpenPosition]:
    """Return up to `limit` open positions of a market with ids over `after_id`, in id order.

    Call it with the pool locked.
    """
    rows = _OF_MARKET.fetch(tx, {"market_id": market_id, "after_id": after_id, "limit": limit})
    return list(map(_position, rows))


def unturned(
    tx: ReadTx, *, market_id: int, new_market_id: int, last_id: int, after_id: int = 0, limit: int
) -> list[OpenPosition]:
    """Return up to `limit` open positions of Other (`market_id`) with ids over `after_id`, in id order, that are to be
    turned for the new market: those up to `last_id` that are not. Call it with the pool locked.
    """
    which = {"market_id": market_id, "new_market_id": new_market_id, "last_id": last_id}
    return list(map(_position, _UNTURNED.fetch(tx, {**which, "after_id": after_id, "limit": limit})))


def unturned_of(
    tx: ReadTx, user_ids: Collection[int], *, market_id: int, new_market_id: int, last_id: int
) -> list[OpenPosition]:
    """Return those of these users, as `unturned` does."""
    which = {"market_id": market_id, "new_market_id": new_market_id, "last_id": last_id}
    return list(map(_position, _UNTURNED_OF.fetch(tx, {**which, "ids": user_ids})))


def traded_pools(tx: ReadTx, *, user_id: int, event_id: int) -> set[int]:
    """Return the pools of an event in which a person holds a position, or has held one."""
    own = sa.select(positions.c.pool_id).where(positions.c.user_id == user_id, positions.c.event_id == event_id)
    # By the index of open positions, and by that of closed ones.
    query = sa.union(own.where(positions.c.closed_at_ms.is_(None)), own.where(positions.c.closed_at_ms.is_not(None)))
    return set(tx.execute(query).scalars())


def last_open_id(tx: ReadTx, market_id: int) -> int:
    """Return the id of the newest open position of a market; 0 for none."""
    newest = sa.select(sa.func.max(positions.c.id))
    is_open = positions.c.closed_at_ms.is_(None)
    return tx.execute(newest.where(positions.c.market_id == market_id, is_open)).scalar() or 0


def _to_turn() -> sa.Select[Any]:
    turned = position_splits.c
    # With a limit, PostgreSQL looks it up by its key for each position, and joins no whole table.
    is_turned = (
        sa.select(turned.id)
        .where(turned.market_id == sa.bindparam("new_market_id", type_=Int64), turned.position_id == positions.c.id)
        .limit(1)
        .correlate(positions)
        .scalar_subquery()
    )
    return _SELECT.where(
        positions.c.market_id == sa.bindparam("market_id", type_=Int64),
        positions.c.side == "YES",
        positions.c.id <= sa.bindparam("last_id", type_=Int64),
        is_turned.is_(None),
    )


_UNTURNED = CompiledQuery(
    _to_turn()
    .where(positions.c.id > sa.bindparam("after_id", type_=Int64))
    .order_by(positions.c.id)
    .limit(sa.bindparam("limit", type_=Int64))
)
_UNTURNED_OF = CompiledQuery(_to_turn().where(in_array(positions.c.user_id)))


def write(tx: WriteTx, changed: Collection[OpenPosition]) -> None:
    """Update or insert positions and give new ones their ids. Call it with their pools locked."""
    write_with_ids(tx, changed, draw_ids(tx, positions, sum(not position.id for position in changed)))


def write_with_ids(into: Sink, changed: Collection[OpenPosition], new_ids: Sequence[int]) -> None:
    """Update or insert positions; new ones get the first of `new_ids`. Call it with their pools locked."""
    existing = [position for position in changed if position.id]
    new = [position for position in changed if not position.id]
    # Updates first: only one position per key may be open, and the next may have been opened after closing one.
    closed = [position for position in existing if position.closed_at_ms is not None]
    update_rows(into, positions, _CLOSING, list(map(_closed, closed)))
    still_open = [position for position in existing if position.closed_at_ms is None]
    update_rows(into, positions, _TRADED, list(map(_traded, still_open)))
    for position, position_id in zip(new, new_ids[: len(new)], strict=True):
        position.id = position_id
    insert_rows(into, positions, _NAMES, list(map(_values, new)))


def write_turned(
    into: Sink, turned: Collection[OpenPosition], new: Collection[OpenPosition], new_ids: Sequence[int]
) -> None:
    """Update what turned positions have cost, and insert what they became, too. Call it with their pool locked."""
    update_rows(into, positions, ("cost_kopecks",), [(old.cost_kopecks, old.id) for old in turned])
    for one, position_id in zip(new, new_ids, strict=True):
        one.id = position_id
    insert_rows(into, positions, _NAMES, list(map(_values, new)))


def ids_of_new(count: int) -> Fetch[list[int]]:
    """Return the query that draws ids for new positions, to be fetched with others."""
    return ids_fetch(positions, count)


_values = attrgetter(*_NAMES)
_traded = attrgetter(*_TRADED, "id")
_closed = attrgetter(*_CLOSING, "id")


def _position(row: Sequence[Any]) -> OpenPosition:
    # Each by its name, a third of what a dictionary of them takes: a batch reads one for each order.
    (
        position_id,
        user_id,
        market_id,
        pool_id,
        event_id,
        side,
        shares,
        cost_kopecks,
        left_shares,
        left_cost_kopecks,
        pnl_kopecks,
        settled_shares,
        settled_kopecks,
        reserved_shares,
        opened_at_ms,
        closed_at_ms,
        won_side,
    ) = row
    return OpenPosition(
        id=position_id,
        user_id=user_id,
        market_id=market_id,
        pool_id=pool_id,
        event_id=event_id,
        side=side,
        shares=shares,
        cost_kopecks=cost_kopecks,
        left_shares=left_shares,
        left_cost_kopecks=left_cost_kopecks,
        pnl_kopecks=pnl_kopecks,
        settled_shares=settled_shares,
        settled_kopecks=settled_kopecks,
        reserved_shares=reserved_shares,
        opened_at_ms=opened_at_ms,
        closed_at_ms=closed_at_ms,
        won_side=won_side,
    )
