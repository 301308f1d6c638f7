"""Reads the trades that follow the cursor, added up.

The order of trades is the feed's (ADR 0006): ids on SQLite, `feed_order` on PostgreSQL. There the feed numbers only the
last trades of a database that was copied; the others have the ids below its first number, and are read by id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.kernel.units import INT64_MAX
from foreknow.people.users.tables import IS_PERSON, users
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.feed.tables import feed_order
from foreknow.trading.desk.tables import trades
from foreknow.trading.history.trades import traded_legs


class TraderMinute(NamedTuple):
    """What one trader did in a pool in one minute."""

    event_id: int
    pool_id: int
    user_id: int
    #: Unix minutes, rounded down.
    minute: int
    #: 1 for a person; 0 for a sub-account and the house's own trader.
    is_person: int
    trades: int
    volume_kopecks: int
    realized_kopecks: int


@dataclass(frozen=True, slots=True)
class TradePiece:
    """The trades after the cursor `after` up to `through`, both included in the feed's order."""

    after: int
    through: int
    minutes: Sequence[TraderMinute]
    #: By position that was traded: the profit of these sales.
    sold_pnl_kopecks: Mapping[int, int]
    #: Whether more trades may follow.
    is_full: bool

    @property
    def rows(self) -> int:
        """How much there is to write."""
        return len(self.minutes) + len(self.sold_pnl_kopecks)


def read_piece(tx: ReadTx, after: int, count: int) -> TradePiece | None:
    """Return the next `count` trades; None where there are none."""
    before_numbers = _first_number(tx) - 1
    if after >= before_numbers:
        return _read(tx, _NUMBERED, after, count=count)
    piece = _read(tx, _BY_ID, after, count=count, most=before_numbers)
    return piece or TradePiece(after, before_numbers, (), {}, is_full=True)


def _first_number(tx: ReadTx) -> int:
    """Return the number of the first trade that the feed has numbered; 0 where every trade has one."""
    if tx.dialect.name == "sqlite":
        return 0
    return tx.execute(sa.select(sa.func.min(feed_order.c.seq))).scalar() or 0


class _Reader(NamedTuple):
    """Queries of one order of trades."""

    bounds: CompiledQuery
    minutes: CompiledQuery
    positions: CompiledQuery


def _read(tx: ReadTx, reader: _Reader, after: int, *, count: int, most: int = INT64_MAX) -> TradePiece | None:
    bounds = read_bounds(tx, reader.bounds, after, count=count, most=most)
    if bounds is None:
        return None
    return TradePiece(
        after,
        bounds.through,
        [TraderMinute(*row) for row in reader.minutes.fetch(tx, bounds.parameters)],
        {position_id: pnl for position_id, pnl in reader.positions.fetch(tx, bounds.parameters)},  # noqa: C416 - rows
        is_full=bounds.count == count,
    )


@dataclass(frozen=True, slots=True)
class PieceBounds:
    """Where the next trades are: after a number up to `through`, by id from `first_id` to `last_id`."""

    after: int
    through: int
    first_id: int
    last_id: int
    #: How many there are.
    count: int

    @property
    def parameters(self) -> Mapping[str, int]:
        """The parameters of a query of these trades, which has the condition `is_within`."""
        return {"after": self.after, "through": self.through, "first_id": self.first_id, "last_id": self.last_id}


def read_bounds(
    tx: ReadTx, query: CompiledQuery, after: int, *, count: int, most: int = INT64_MAX
) -> PieceBounds | None:
    """Return where the next `count` trades after a number up to `most` are; None where there are none."""
    ((found, through, first_id, last_id),) = query.fetch(tx, {"after": after, "piece": count, "most": most})
    return None if through is None else PieceBounds(after, through, first_id, last_id, found)


def in_order(dialect: str, *, numbered: bool = True) -> tuple[sa.FromClause, sa.ColumnElement[int]]:
    """Return trades with their number in the feed's order; `numbered`: those that it has numbered, else by id."""
    if numbered and dialect != "sqlite":
        return feed_order.join(trades, trades.c.id == feed_order.c.trade_id), feed_order.c.seq
    return trades, trades.c.id


def bounds_of_piece(dialect: str, *, numbered: bool = True) -> sa.Select[Any]:
    """Return the query for `read_bounds`."""
    is_numbered = numbered and dialect != "sqlite"
    number, trade_id = (feed_order.c.seq, feed_order.c.trade_id) if is_numbered else (trades.c.id, trades.c.id)
    query = sa.select(number.label("number"), trade_id.label("trade_id"))
    query = query.where(number > sa.bindparam("after"), number <= sa.bindparam("most"))
    piece = query.order_by(number).limit(sa.bindparam("piece")).subquery("piece")
    ids = piece.c.trade_id
    bounds: Sequence[Any] = (sa.func.count(), sa.func.max(piece.c.number), sa.func.min(ids), sa.func.max(ids))
    return sa.select(*bounds).select_from(piece)


def is_within(number: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    """Return the condition on trades that they are within `PieceBounds`.

    Also by id: PostgreSQL may merge both tables by it, and would else begin with the first trade ever made.
    """
    by_number = sa.and_(number > sa.bindparam("after"), number <= sa.bindparam("through"))
    return sa.and_(by_number, trades.c.id >= sa.bindparam("first_id"), trades.c.id <= sa.bindparam("last_id"))


def _reader(*, numbered: bool) -> _Reader:
    def minutes(dialect: str) -> sa.Select[Any]:
        rows, number = in_order(dialect, numbered=numbered)
        rows = rows.join(users, users.c.id == trades.c.user_id)
        return sa.select(*_MINUTE, *_MINUTE_SUMS).select_from(rows).where(is_within(number)).group_by(*_MINUTE)

    def positions(dialect: str) -> sa.Select[Any]:
        rows, number = in_order(dialect, numbered=numbered)
        # A basket's trade changes several.
        legs = traded_legs("position_id", "pnl_kopecks", where=is_within(number), source=rows).c
        return sa.select(legs.position_id, _total(legs.pnl_kopecks)).group_by(legs.position_id)

    return _Reader(
        CompiledQuery(lambda dialect: bounds_of_piece(dialect, numbered=numbered)),
        CompiledQuery(minutes),
        CompiledQuery(positions),
    )


def _total(column: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    # PostgreSQL sums 64-bit integers as decimals.
    return sa.cast(sa.func.sum(column), Int64)


_T = trades.c
#: 1 for a person; 0 for a sub-account and the house's own trader.
is_person = sa.case((IS_PERSON, sa.literal_column("1")), else_=sa.literal_column("0")).label("is_person")
#: In literals: PostgreSQL must recognize the expression among those of GROUP BY.
_MINUTE_NUMBER = sa.cast(_T.created_at_ms.op("/")(sa.literal_column(str(MINUTE_MS))), Int64)
_MINUTE = (_T.event_id, _T.pool_id, _T.user_id, _MINUTE_NUMBER)
_MINUTE_SUMS = (
    sa.func.max(is_person),
    sa.func.count(),
    _total(_T.amount_kopecks),
    _total(_T.pnl_kopecks),
)
_NUMBERED = _reader(numbered=True)
_BY_ID = _reader(numbered=False)
