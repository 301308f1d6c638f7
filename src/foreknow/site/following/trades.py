"""Reads the trades that follow the cursor, in the feed's order (ADR 0006)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.people.follows.tables import following_cursor
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Cursor
from foreknow.site.activity import tables as activity
from foreknow.site.activity.trades import bounds_of_piece, in_order, is_person, is_within, read_bounds
from foreknow.site.following.alerts import reachable_pools
from foreknow.trading.desk.tables import trades

_T = trades.c


class FollowedTrader(NamedTuple):
    """What followers see of a trader's trades in a pool."""

    event_id: int
    pool_id: int
    user_id: int
    #: 1 for a person; 0 for a sub-account and the house's own trader.
    is_person: int
    #: When the first of them was made.
    first_ms: int
    #: The last one's number in the feed's order, of those that moved a price themselves: not of what others' orders
    #: filled of theirs. None without one.
    last_number: int | None
    #: The lowest and the highest YES price that one of them left in its market, in billionths.
    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class FollowedPiece:
    """The trades up to the number `through`, of each trader in each pool together."""

    through: int
    traders: Sequence[FollowedTrader]
    #: Those in pools that have price alerts which may be reached: their traders by id of the trade.
    alerted: Mapping[int, int]
    #: These pools.
    alerted_pool_ids: Collection[int]
    #: Whether more trades may follow.
    is_full: bool

    @property
    def rows(self) -> int:
        """How much there is to look at."""
        return len(self.traders) + len(self.alerted)


def _begin(tx: ReadTx) -> Mapping[str, int]:
    """Begin with what comes from now on: of older trades and events no one is notified."""
    return {"seq": activity.CURSOR.get(tx, "seq"), "closing_ms": now_ms(tx)}


CURSOR = Cursor(following_cursor, _begin)


def read_piece(tx: ReadTx, after: int, count: int) -> FollowedPiece | None:
    """Return the next `count` trades; None where there are none."""
    bounds = read_bounds(tx, _BOUNDS, after, count=count)
    if bounds is None:
        return None
    traders = [FollowedTrader(*row) for row in _TRADERS.fetch(tx, bounds.parameters)]
    left: dict[int, tuple[int, int]] = {}
    for one in traders:
        lowest, highest = left.get(one.pool_id, (one.lowest, one.highest))
        left[one.pool_id] = min(lowest, one.lowest), max(highest, one.highest)
    pool_ids = reachable_pools(tx, left)
    alerted: dict[int, int] = {}
    if pool_ids:
        event_ids = {one.event_id for one in traders if one.pool_id in pool_ids}
        rows = _TRADES.fetch(tx, {**bounds.parameters, "events": event_ids, "pools": pool_ids})
        alerted = {trade_id: user_id for trade_id, user_id in rows}  # noqa: C416 # dict() takes no rows of any length
    return FollowedPiece(bounds.through, traders, alerted, pool_ids, is_full=bounds.count == count)


def _traders(dialect: str) -> sa.Select[Any]:
    rows, number = in_order(dialect)
    keys = (_T.event_id, _T.pool_id, _T.user_id)
    own_number = sa.case((_T.role.is_(None) | (_T.role != sa.literal_column("'maker'")), number))
    first_and_last = (sa.func.min(_T.created_at_ms).label("first_ms"), sa.func.max(own_number).label("last_number"))
    # Whole, as those are fetched at once.
    price = sa.cast(_T.probability_after * sa.literal_column("1e9"), Int64)
    extremes = (sa.func.min(price).label("lowest"), sa.func.max(price).label("highest"))
    found = sa.select(*keys, *first_and_last, *extremes).select_from(rows)
    summed = found.where(is_within(number)).group_by(*keys).subquery()
    # Of a deleted person nothing more is written.
    follows = sa.case((users.c.deleted_at_ms.is_(None), is_person), else_=sa.literal_column("0"))
    own = (summed.c.event_id, summed.c.pool_id, summed.c.user_id)
    sums = (summed.c.first_ms, summed.c.last_number, summed.c.lowest, summed.c.highest)
    query = sa.select(*own, follows.label("is_person"), *sums)
    return query.select_from(summed.join(users, users.c.id == summed.c.user_id))


def _of_pools(dialect: str) -> sa.Select[Any]:
    rows, number = in_order(dialect)
    of_pools = sa.and_(in_array(_T.event_id, "events"), in_array(_T.pool_id, "pools"))
    return sa.select(_T.id, _T.user_id).select_from(rows).where(is_within(number), of_pools)


_BOUNDS = CompiledQuery(bounds_of_piece)
_TRADERS, _TRADES = CompiledQuery(_traders), CompiledQuery(_of_pools)
