"""Pages of a trader's open and closed positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.db.bulk import CompiledQuery
from foreknow.db.metadata import Int64
from foreknow.db.transactions import ReadTx
from foreknow.events.tables import events
from foreknow.kernel.pagination import Cursors, Position, Slice
from foreknow.kernel.units import INT64_MAX
from foreknow.markets.tables import markets
from foreknow.pools.tables import pools
from foreknow.positions.tables import positions


class OpenRow(NamedTuple):
    """An open position with the names of its event, pool and market."""

    id: int
    market_id: int
    side: str
    shares: int
    cost_kopecks: int
    pnl_kopecks: int
    event_id: int
    event_name: str
    pool_id: int
    pool_name: str
    market_name: str


class ClosedRow(NamedTuple):
    """A closed position with the names of its event, pool and market."""

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


def open_positions(tx: ReadTx, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None) -> Slice[OpenRow]:
    """Return a page of a user's open positions, newest first."""
    binding = f"positions open {user_id}"
    (before,) = (INT64_MAX,) if cursor is None else cursors.decode(cursor, binding=binding)
    rows = _OPEN.fetch(tx, {"user_id": user_id, "before_id": before, "limit": limit + 1})
    return cursors.slice(list(map(OpenRow._make, rows)), limit=limit, binding=binding, position=lambda row: (row.id,))


def closed_positions(tx: ReadTx, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None) -> Slice[ClosedRow]:
    """Return a page of a user's closed positions, last closed first."""
    binding = f"positions closed {user_id}"
    start = (INT64_MAX, INT64_MAX) if cursor is None else cursors.decode(cursor, binding=binding)
    before = dict(zip(("before_ms", "before_id"), start, strict=True))
    rows = _CLOSED.fetch(tx, {"user_id": user_id, **before, "limit": limit + 1})
    return cursors.slice(list(map(ClosedRow._make, rows)), limit=limit, binding=binding, position=_closed_position)


def _closed_position(row: ClosedRow) -> Position:
    return (row.closed_at_ms, row.id)


# Built once, with a first page that starts at the maximum: building a query of four tables takes several times as long
# as running it.
_table = positions.c
_PAGE = {
    "id": _table.id,
    "market_id": _table.market_id,
    "side": _table.side,
    "shares": _table.shares,
    "cost_kopecks": _table.cost_kopecks,
    "left_shares": _table.left_shares,
    "left_cost_kopecks": _table.left_cost_kopecks,
    "pnl_kopecks": _table.pnl_kopecks,
    "event_id": _table.event_id,
    "event_name": events.c.name,
    "pool_id": _table.pool_id,
    "pool_name": pools.c.name,
    "market_name": markets.c.name,
    "closed_at_ms": _table.closed_at_ms,
    "won_side": _table.won_side,
}


def _page(row: type[OpenRow | ClosedRow], *conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return (
        sa.select(*(_PAGE[name] for name in row._fields))
        .join_from(positions, markets, markets.c.id == _table.market_id)
        .join(pools, pools.c.id == _table.pool_id)
        .join(events, events.c.id == _table.event_id)
        .where(_table.user_id == sa.bindparam("user_id"), *conditions)
        .limit(sa.bindparam("limit"))
    )


_OPEN = CompiledQuery(
    lambda _dialect: _page(OpenRow, _table.closed_at_ms.is_(None), _table.id < sa.bindparam("before_id")).order_by(
        _table.id.desc()
    )
)
_CLOSED = CompiledQuery(
    lambda _dialect: _page(
        ClosedRow,
        _table.closed_at_ms.is_not(None),
        sa.tuple_(_table.closed_at_ms, _table.id)
        < sa.tuple_(sa.bindparam("before_ms", type_=Int64), sa.bindparam("before_id", type_=Int64)),
    ).order_by(_table.closed_at_ms.desc(), _table.id.desc())
)
