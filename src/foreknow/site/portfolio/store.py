"""Pages of a trader's open and closed positions, of all events or of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.pagination import Cursors, PagePosition, Slice
from foreknow.kernel.units import INT64_MAX
from foreknow.market import charts
from foreknow.market.events.tables import events
from foreknow.market.markets.tables import markets
from foreknow.market.pools.tables import pools
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.positions.tables import positions
from foreknow.trading.positions.valuation import HeldShares, HoldingValue, holding_values


class HeldRow(NamedTuple):
    """An open position as the older of the two lists shows it."""

    id: int
    market_id: int
    side: str
    shares: int
    reserved_shares: int
    cost_kopecks: int
    pnl_kopecks: int
    event_id: int
    event_name: str
    pool_id: int
    pool_name: str
    market_name: str


class CompletedRow(NamedTuple):
    """A closed position as the older of the two lists shows it."""

    id: int
    market_id: int
    side: str
    left_shares: int
    left_cost_kopecks: int
    pnl_kopecks: int
    event_id: int
    event_name: str
    pool_id: int
    pool_name: str
    market_name: str
    closed_at_ms: int
    won_side: int | None


class OpenRow(NamedTuple):
    """An open position with the names of its event, pool and market."""

    id: int
    market_id: int
    side: str
    shares: int
    reserved_shares: int
    cost_kopecks: int
    pnl_kopecks: int
    opened_at_ms: int
    event_id: int
    event_name: str
    event_name_ru: str
    pool_id: int
    pool_name: str
    pool_name_ru: str
    market_name: str
    outcome_index: int


class ClosedRow(NamedTuple):
    """A closed position with the names of its event, pool and market."""

    id: int
    market_id: int
    side: str
    left_shares: int
    left_cost_kopecks: int
    pnl_kopecks: int
    opened_at_ms: int
    event_id: int
    event_name: str
    event_name_ru: str
    pool_id: int
    pool_name: str
    pool_name_ru: str
    market_name: str
    outcome_index: int
    closed_at_ms: int
    won_side: int | None
    #: 1 where a void pool paid it.
    void: int


def held_positions(tx: ReadTx, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None) -> Slice[HeldRow]:
    """Return a page of a user's open positions, newest first, for the older list."""
    binding = f"positions open {user_id}"
    (before,) = (INT64_MAX,) if cursor is None else cursors.decode(cursor, binding=binding)
    rows = _HELD.fetch(tx, {"user_id": user_id, "before_id": before, "limit": limit + 1})
    return cursors.slice(list(map(HeldRow._make, rows)), limit=limit, binding=binding, position=lambda row: (row.id,))


def completed_positions(
    tx: ReadTx, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None
) -> Slice[CompletedRow]:
    """Return a page of a user's closed positions, last closed first, for the older list."""
    binding = f"positions closed {user_id}"
    start = (INT64_MAX, INT64_MAX) if cursor is None else cursors.decode(cursor, binding=binding)
    before = dict(zip(("before_ms", "before_id"), start, strict=True))
    rows = _COMPLETED.fetch(tx, {"user_id": user_id, **before, "limit": limit + 1})
    shown = list(map(CompletedRow._make, rows))
    return cursors.slice(shown, limit=limit, binding=binding, position=_closed_position)


def open_positions(tx: ReadTx, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None) -> Slice[OpenRow]:
    """Return a page of a user's open positions, newest first."""
    binding = f"own positions open {user_id}"
    (before,) = (INT64_MAX,) if cursor is None else cursors.decode(cursor, binding=binding)
    rows = _OPEN.fetch(tx, {"user_id": user_id, "before_id": before, "limit": limit + 1})
    return cursors.slice(list(map(OpenRow._make, rows)), limit=limit, binding=binding, position=lambda row: (row.id,))


def open_positions_in(
    tx: ReadTx, user_id: int, event_id: int, cursors: Cursors, *, limit: int, cursor: str | None
) -> Slice[OpenRow]:
    """Return a page of a user's open positions in one event, newest first."""
    binding = f"positions open {user_id} event {event_id}"
    (before,) = (INT64_MAX,) if cursor is None else cursors.decode(cursor, binding=binding)
    assert isinstance(before, int)
    rows = all_open_in(tx, user_id, event_id, before_id=before, limit=limit + 1)
    return cursors.slice(rows, limit=limit, binding=binding, position=lambda row: (row.id,))


def all_open_in(
    tx: ReadTx, user_id: int, event_id: int, *, before_id: int = INT64_MAX, limit: int | None = None
) -> list[OpenRow]:
    """Return a user's open positions in one event, newest first: at most two for each of its markets."""
    found = _OPEN_IDS_IN_EVENT.fetch(tx, {"user_id": user_id, "event_id": event_id})
    ids = sorted((position_id for (position_id,) in found if position_id < before_id), reverse=True)[:limit]
    rows = map(OpenRow._make, _OPEN_BY_ID.fetch(tx, {"ids": ids, "user_id": user_id})) if ids else ()
    return sorted(rows, key=lambda row: row.id, reverse=True)


def has_traded_in(tx: ReadTx, user_id: int, event_id: int) -> bool:
    """Return whether a user has ever traded in an event."""
    return bool(_TRADED_IN_EVENT.fetch(tx, {"user_id": user_id, "event_id": event_id}))


def closed_positions(
    tx: ReadTx, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None, event_id: int | None = None
) -> Slice[ClosedRow]:
    """Return a page of a user's closed positions, in one event if given, last closed first.

    Its cursors hold for the event alone.
    """
    binding = f"own positions closed {user_id}" + ("" if event_id is None else f" event {event_id}")
    start = (INT64_MAX, INT64_MAX) if cursor is None else cursors.decode(cursor, binding=binding)
    selected: dict[str, Any] = {"user_id": user_id, **dict(zip(("before_ms", "before_id"), start, strict=True))}
    if event_id is None:
        rows = _CLOSED.fetch(tx, {**selected, "limit": limit + 1})
    else:
        rows = _CLOSED_IN_EVENT.fetch(tx, {**selected, "event_id": event_id, "limit": limit + 1})
    return cursors.slice(list(map(ClosedRow._make, rows)), limit=limit, binding=binding, position=_closed_position)


def closed_count(tx: ReadTx, user_id: int) -> int:
    """Count a user's closed positions; takes the longer the more there are."""
    return int(_CLOSED_COUNT.fetch(tx, {"user_id": user_id})[0][0])


def values_of(
    tx: ReadTx, rows: Sequence[OpenRow | HeldRow], *, now_ms: int, markets_max: int | None = None
) -> list[HoldingValue]:
    """Return the present value of each of these positions, kopecks, and what it will be paid.

    Raises `TooManyMarkets` where they depend on the prices of more than `markets_max` markets.
    """
    held = [HeldShares(row.market_id, row.pool_id, row.side, row.shares, row.id) for row in rows]
    return holding_values(tx, held, now_ms=now_ms, markets_max=markets_max)


def recount_closed(tx: WriteTx, user_id: int) -> None:
    """Count a user's closed positions and write their number where it is read from then on."""
    charts.recount_closed(tx, user_id, lambda: closed_count(tx, user_id))


def _closed_position(row: ClosedRow | CompletedRow) -> PagePosition:
    return row.closed_at_ms, row.id


_table = positions.c
_IS_OPEN, _IS_CLOSED = _table.closed_at_ms.is_(None), _table.closed_at_ms.is_not(None)
_BY_VOID = sa.and_(
    _table.settled_shares > 0, _table.won_side.is_(None), sa.type_coerce(pools.c.resolution, sa.Text).like('{"void"%')
)
_PAGE: dict[str, sa.ColumnElement[Any]] = {
    "id": _table.id,
    "market_id": _table.market_id,
    "side": _table.side,
    "shares": _table.shares,
    "reserved_shares": _table.reserved_shares,
    "cost_kopecks": _table.cost_kopecks,
    "left_shares": _table.left_shares,
    "left_cost_kopecks": _table.left_cost_kopecks,
    "pnl_kopecks": _table.pnl_kopecks,
    "opened_at_ms": _table.opened_at_ms,
    "event_id": _table.event_id,
    "event_name": events.c.name,
    "event_name_ru": events.c.name_ru,
    "pool_id": _table.pool_id,
    "pool_name": pools.c.name,
    "pool_name_ru": pools.c.name_ru,
    "market_name": markets.c.name,
    "outcome_index": markets.c.outcome_index,
    "closed_at_ms": _table.closed_at_ms,
    "won_side": _table.won_side,
    "void": sa.case((_BY_VOID, 1), else_=0),
}


def _page(
    row: type[OpenRow | ClosedRow | HeldRow | CompletedRow], *conditions: sa.ColumnElement[bool]
) -> sa.Select[Any]:
    return (
        sa.select(*(_PAGE[name] for name in row._fields))
        .join_from(positions, markets, markets.c.id == _table.market_id)
        .join(pools, pools.c.id == _table.pool_id)
        .join(events, events.c.id == _table.event_id)
        .where(_table.user_id == sa.bindparam("user_id"), *conditions)
    )


def _open(row: type[OpenRow | HeldRow]) -> CompiledQuery:
    return CompiledQuery(
        _page(row, _IS_OPEN, _table.id < sa.bindparam("before_id"))
        .order_by(_table.id.desc())
        .limit(sa.bindparam("limit"))
    )


def _closed(row: type[ClosedRow | CompletedRow], *conditions: sa.ColumnElement[bool]) -> CompiledQuery:
    before = sa.tuple_(_table.closed_at_ms, _table.id) < sa.tuple_(
        sa.bindparam("before_ms", type_=Int64), sa.bindparam("before_id", type_=Int64)
    )
    return CompiledQuery(
        _page(row, _IS_CLOSED, before, *conditions)
        .order_by(_table.closed_at_ms.desc(), _table.id.desc())
        .limit(sa.bindparam("limit"))
    )


_HELD = _open(HeldRow)
_OPEN = _open(OpenRow)
_COMPLETED = _closed(CompletedRow)
_CLOSED = _closed(ClosedRow)
_CLOSED_IN_EVENT = _closed(ClosedRow, _table.event_id == sa.bindparam("event_id"))
_OPEN_BY_ID = CompiledQuery(_page(OpenRow, _IS_OPEN, in_array(_table.id)))
#: By the markets, of which there are few: positions have no index by event until they are closed.
_OPEN_IN_EVENT = sa.select(_table.id).where(
    _table.user_id == sa.bindparam("user_id"),
    _IS_OPEN,
    _table.market_id.in_(
        sa.select(markets.c.id)
        .join_from(pools, markets, markets.c.pool_id == pools.c.id)
        .where(pools.c.event_id == sa.bindparam("event_id"))
    ),
)
_OPEN_IDS_IN_EVENT = CompiledQuery(_OPEN_IN_EVENT)
#: Whatever was traded is a position, open or closed; one of either is found by an index.
_TRADED_IN_EVENT = CompiledQuery(
    sa.select(sa.literal_column("1", Int64).label("found")).where(
        sa.select(_table.id)
        .where(_table.user_id == sa.bindparam("user_id"), _table.event_id == sa.bindparam("event_id"), _IS_CLOSED)
        .exists()
        | _OPEN_IN_EVENT.exists()
    )
)
_CLOSED_COUNT = CompiledQuery(sa.select(sa.func.count()).where(_table.user_id == sa.bindparam("user_id"), _IS_CLOSED))
