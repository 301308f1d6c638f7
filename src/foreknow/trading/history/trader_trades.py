"""A trader's trades, newest first.

Those on arrival name the one before them, and the ledger account names the newest: the *chain*. Fills of resting orders
stand outside, since an order that fills one locks no account of its owner; they are found by an index, with the first
of each chain.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from itertools import islice
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX
from foreknow.money.ledger import last_trade_ids
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades


class TradesPlace(NamedTuple):
    """What comes next of a trader's trades."""

    #: The newest one of the chain, 0 for none.
    chain_id: int
    #: Of the others: those with lower ids.
    before_id: int


class PlacedTrade(NamedTuple):
    """A trade's id, and what comes after it."""

    id: int
    place: TradesPlace


def trades_from(tx: ReadTx, user_id: int, *, place: TradesPlace | None, limit: int) -> list[PlacedTrade]:
    """Return up to `limit` trades of a trader, newest first, from a place on; None: from the newest."""
    if place is None:
        place = TradesPlace(last_trade_ids(tx, [user_id]).get(user_id, 0), INT64_MAX)
    linked = _CHAIN.fetch(tx, {"newest_id": place.chain_id, "limit": limit}) if place.chain_id else ()
    bounds = {"user_id": user_id, "before_id": place.before_id, "limit": limit}
    others = [(trade_id, None) for (trade_id,) in _OTHERS.fetch(tx, bounds)]
    # Trades that are made meanwhile are none of these.
    place = place._replace(before_id=min(place.before_id, others[0][0] + 1 if others else 0))
    chain = [(trade_id, previous_id) for trade_id, previous_id in linked if previous_id is not None]
    found: list[PlacedTrade] = []
    for trade_id, previous_id in islice(heapq.merge(chain, others, key=_newest_first), limit):
        place = place._replace(before_id=trade_id) if previous_id is None else place._replace(chain_id=previous_id)
        found.append(PlacedTrade(trade_id, place))
    return found


def _newest_first(trade: tuple[int, int | None]) -> int:
    return -trade[0]


def traded_between(tx: ReadTx, user_ids: Collection[int], *, start_ms: int, end_ms: int) -> set[int]:
    """Return who of these traders traded at `start_ms` or later and before `end_ms`, looking back from now."""
    bounds = {"start_ms": start_ms, "end_ms": end_ms}
    found = _traders(_SINCE.fetch(tx, {"ids": last_trade_ids(tx, user_ids).values(), **bounds}))
    rest = set(user_ids) - found
    return found | (_traders(_OTHERS_BETWEEN.fetch(tx, {"ids": rest, **bounds})) if rest else set())


def _traders(rows: Sequence[Sequence[int]]) -> set[int]:
    return {row[0] for row in rows}


def _chain(dialect: str) -> sa.Select[tuple[int, int | None]]:
    limit = sa.bindparam("limit", type_=Int64)
    newest = sa.select(
        trades.c.id,
        trades.c.previous_trade_id,
        sa.literal_column("1::bigint" if dialect == "postgresql" else "1", Int64).label("place"),
    )
    chain = newest.where(trades.c.id == sa.bindparam("newest_id", type_=Int64)).cte("chain", recursive=True)
    chain = chain.union_all(
        sa.select(trades.c.id, trades.c.previous_trade_id, chain.c.place + sa.literal_column("1"))
        .join_from(chain, trades, trades.c.id == chain.c.previous_trade_id)
        .where(chain.c.place < limit)
    )
    return sa.select(chain.c.id, chain.c.previous_trade_id)


_CHAIN = CompiledQuery(_chain)
#: Fills of resting orders, each trader's first one, and what was traded before the trades named one another.
_OTHERS = CompiledQuery(
    sa.select(trades.c.id)
    .where(
        trades.c.user_id == sa.bindparam("user_id"),
        trades.c.previous_trade_id.is_(None),
        trades.c.id < sa.bindparam("before_id"),
    )
    .order_by(trades.c.id.desc())
    .limit(sa.bindparam("limit"))
)

_START, _END = sa.bindparam("start_ms", type_=Int64), sa.bindparam("end_ms", type_=Int64)


def _since(_dialect: str) -> sa.Select[tuple[int]]:
    columns = (trades.c.user_id, trades.c.created_at_ms, trades.c.previous_trade_id)
    back = sa.select(*columns).where(in_array(trades.c.id)).cte("back", recursive=True)
    # A trader's trades are never older than the ones before them, but for a clock that was set back.
    before = sa.select(*columns).join_from(back, trades, trades.c.id == back.c.previous_trade_id)
    back = back.union_all(before.where(back.c.created_at_ms >= _END))
    return sa.select(back.c.user_id).where(back.c.created_at_ms >= _START, back.c.created_at_ms < _END)


_SINCE = CompiledQuery(_since)


def _others_since(_dialect: str) -> sa.Select[tuple[int]]:
    """Go back, trader by trader, through the trades outside the chain, to the first that is not too new."""
    other = trades.alias()
    newest = sa.select(sa.func.max(other.c.id)).where(other.c.previous_trade_id.is_(None))
    first = newest.where(other.c.user_id == users.c.id).correlate(users).scalar_subquery()
    back = sa.select(users.c.id.label("user_id"), first.label("id")).where(in_array(users.c.id))
    back_cte = back.cte("back", recursive=True)
    of_trader = newest.where(other.c.user_id == back_cte.c.user_id, other.c.id < back_cte.c.id)
    before = sa.select(back_cte.c.user_id, of_trader.correlate(back_cte).scalar_subquery())
    before = before.join_from(back_cte, trades, trades.c.id == back_cte.c.id).where(trades.c.created_at_ms >= _END)
    back_cte = back_cte.union_all(before)
    found = sa.select(back_cte.c.user_id).join_from(back_cte, trades, trades.c.id == back_cte.c.id)
    return found.where(trades.c.created_at_ms >= _START, trades.c.created_at_ms < _END)


_OTHERS_BETWEEN = CompiledQuery(_others_since)
