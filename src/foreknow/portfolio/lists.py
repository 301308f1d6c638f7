"""The lists of a trader's open and closed positions, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.events.tables import events
from foreknow.kernel.pages import Cursors, Position, Slice
from foreknow.markets.tables import markets
from foreknow.pools.tables import pools
from foreknow.positions.store import OpenPosition
from foreknow.positions.tables import positions

_table = positions.c
_SELECT = (
    sa.select(positions, events.c.name.label("event"), pools.c.name.label("pool"), markets.c.name.label("market"))
    .join(markets, markets.c.id == _table.market_id)
    .join(pools, pools.c.id == _table.pool_id)
    .join(events, events.c.id == _table.event_id)
)


@dataclass(frozen=True, slots=True)
class Named:
    """A position and what it is in."""

    position: OpenPosition
    event_name: str
    pool_name: str
    market_name: str


def open_positions(
    tx: sa.Connection, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None
) -> Slice[Named]:
    """Return a page of a user's open positions, newest first."""
    binding = f"positions open {user_id}"
    query = _SELECT.where(_table.user_id == user_id, _table.closed_at_ms.is_(None))
    if cursor is not None:
        (after,) = cursors.open(cursor, binding=binding)
        query = query.where(_table.id < after)
    rows = _read(tx, query.order_by(_table.id.desc()).limit(limit + 1))
    return cursors.slice(rows, limit=limit, binding=binding, position=lambda row: (row.position.id,))


def closed_positions(
    tx: sa.Connection, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None
) -> Slice[Named]:
    """Return a page of a user's closed positions, the one closed last first."""
    binding = f"positions closed {user_id}"
    query = _SELECT.where(_table.user_id == user_id, _table.closed_at_ms.is_not(None))
    if cursor is not None:
        closed_at_ms, after = cursors.open(cursor, binding=binding)
        query = query.where(sa.tuple_(_table.closed_at_ms, _table.id) < (closed_at_ms, after))
    rows = _read(tx, query.order_by(_table.closed_at_ms.desc(), _table.id.desc()).limit(limit + 1))
    return cursors.slice(rows, limit=limit, binding=binding, position=_closing)


def _closing(row: Named) -> Position:
    return (row.position.closed_at_ms, row.position.id)


def _read(tx: sa.Connection, query: sa.Select[Any]) -> Sequence[Named]:
    found = []
    for row in tx.execute(query).mappings():
        columns = dict(row)
        names = (columns.pop("event"), columns.pop("pool"), columns.pop("market"))
        found.append(Named(OpenPosition(**columns), *names))
    return found
