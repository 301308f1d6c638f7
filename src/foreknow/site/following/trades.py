"""Reads the trades that follow the cursor, in the feed's order (ADR 0006)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.people.follows.tables import following_cursor
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity.counting import cursor_seq
from foreknow.site.activity.trades import is_person
from foreknow.site.feed.tables import feed_order
from foreknow.trading.desk.tables import trades

#: Trades that are looked at together.
PIECE_TRADES = 1_000
_ONE_ROW = 1
_C, _T = following_cursor.c, trades.c


class FollowedTrade(NamedTuple):
    """A trade as its followers see it; its number is its place in the feed's order."""

    number: int
    id: int
    event_id: int
    pool_id: int
    market_id: int
    user_id: int
    #: 1 for a person; 0 for a sub-account and the house's own trader.
    is_person: int
    #: YES of its market.
    before: float
    after: float
    created_at_ms: int


class FollowingPlace(NamedTuple):
    """Up to which trade, and which moment, followers are notified."""

    seq: int
    closing_ms: int


def place(tx: ReadTx) -> FollowingPlace | None:
    """Return how far followers are notified; None before the first start."""
    row = tx.execute(sa.select(_C.seq, _C.closing_ms).where(_C.id == _ONE_ROW)).one_or_none()
    return None if row is None else FollowingPlace(*row)


def begin(tx: WriteTx, *, at_ms: int) -> None:
    """Begin with what comes from now on: of older trades and events no one is notified."""
    if place(tx) is None:
        # A process that loses the race for the key runs its transaction again.
        tx.execute(following_cursor.insert().values(id=_ONE_ROW, seq=cursor_seq(tx), closing_ms=at_ms))


def lock_place(tx: WriteTx) -> FollowingPlace | None:
    """Lock the row and return how far followers are notified; None while another process works."""
    row = tx.execute(
        sa.select(_C.seq, _C.closing_ms).where(_C.id == _ONE_ROW).with_for_update(skip_locked=True)
    ).one_or_none()
    return None if row is None else FollowingPlace(*row)


def move_on(tx: WriteTx, **values: int) -> None:
    """Note in the locked row how far followers are notified now."""
    tx.execute(following_cursor.update().where(_C.id == _ONE_ROW).values(values))


def next_trades(tx: ReadTx, after: int) -> list[FollowedTrade]:
    """Return the next trades."""
    return [FollowedTrade(*row) for row in _NEXT.fetch(tx, {"after": after, "piece": PIECE_TRADES})]


def of_pools_since(tx: ReadTx, event_ids: Collection[int], pool_ids: Collection[int], *, since_id: int) -> list[Any]:
    """Return `(pool_id, market_id, before, after, basket_id)` of all trades of these pools from an id on, newest first.

    Trades of a pool have ids in their order: each locks it.
    """
    query = sa.select(_T.id, _T.pool_id, _T.market_id, _T.probability_before, _T.probability_after, _T.basket_id)
    query = query.where(in_array(_T.event_id), _T.id >= since_id, _T.pool_id.in_(pool_ids)).order_by(_T.id.desc())
    return list(tx.execute(query, {"ids": event_ids}))


def _next(dialect: str) -> sa.Select[Any]:
    is_numbered = dialect != "sqlite"
    number = feed_order.c.seq if is_numbered else _T.id
    rows: sa.FromClause = trades.join(users, users.c.id == _T.user_id)
    if is_numbered:
        rows = feed_order.join(rows, _T.id == feed_order.c.trade_id)
    # Of a deleted person nothing more is written.
    follows = sa.case((users.c.deleted_at_ms.is_(None), is_person), else_=sa.literal_column("0"))
    own = (_T.id, _T.event_id, _T.pool_id, _T.market_id, _T.user_id, follows.label("is_person"))
    query = sa.select(number, *own, _T.probability_before, _T.probability_after, _T.created_at_ms).select_from(rows)
    return query.where(number > sa.bindparam("after")).order_by(number).limit(sa.bindparam("piece"))


_NEXT = CompiledQuery(_next)
