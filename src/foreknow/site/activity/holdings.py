"""Who holds what; and the profits of paid positions, once all positions of their pool are paid.

A holding is set to what its position holds now, not to what its counted trades left: so it is right as soon as the
position's last trade is counted, whatever happens in between.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import Insert, adding, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs.follower import OVERLAP_MS, is_to_move
from foreknow.site.activity.periods import PERIODS, number_of
from foreknow.site.activity.tables import CURSOR, holdings, market_holders, pool_activity, trader_sums
from foreknow.site.activity.trades import is_person
from foreknow.trading.positions.tables import positions

#: Positions of a paid pool that are counted in one transaction.
PIECE_POSITIONS = 500
#: Resolved pools looked at together: more than a process pays at a time.
RESOLVED_POOLS = 200

_H = holdings.c


class _Position(NamedTuple):
    closed_at_ms: int | None
    pnl_kopecks: int


def follow(tx: WriteTx, sold_pnl_kopecks: Mapping[int, int]) -> None:
    """Bring the holdings of traded positions up to date: by the id of each, the profit of its sales since."""
    given = msgspec.json.encode(sold_pnl_kopecks).decode()
    for text in _FOLLOWING[tx.dialect.name] if sold_pnl_kopecks else ():
        execute_raw(tx, text, (given,))


@dataclass(frozen=True, slots=True)
class UncountedPool:
    """A traded pool that is resolved and whose positions are not all counted yet."""

    pool_id: int
    resolved_at_ms: int
    #: Whether it is paid, and all of its trades are counted.
    is_ready: bool


def next_resolved_pools(tx: ReadTx, *, since_ms: int, at_ms: int, limit: int = RESOLVED_POOLS) -> list[UncountedPool]:
    """Return the pools resolved first among those whose positions are to be counted, from about `since_ms` on."""
    # The clock may have been ahead, and set back.
    rows = tx.execute(_RESOLVED, {"since_ms": min(since_ms, at_ms) - OVERLAP_MS, "limit": limit})
    return [UncountedPool(pool_id, resolved_at_ms, bool(is_ready)) for pool_id, resolved_at_ms, is_ready in rows]


class PaidPools(NamedTuple):
    """Pools of which positions are to be counted, and the moment that the cursor moves to."""

    ready_ids: Sequence[int]
    resolved_since_ms: int


def next_paid(tx: ReadTx) -> PaidPools | None:
    """Return the pools to be counted next; None for none, where the cursor is not to be moved on either."""
    since_ms, at_ms = CURSOR.get(tx, "resolved_since_ms"), now_ms(tx)
    waiting = next_resolved_pools(tx, since_ms=since_ms, at_ms=at_ms)
    found = PaidPools(
        [pool.pool_id for pool in waiting if pool.is_ready], waiting[0].resolved_at_ms if waiting else at_ms
    )
    return found if found.ready_ids or is_to_move(since_ms, found.resolved_since_ms) else None


def is_any_pending(tx: ReadTx, *, since_ms: int, at_ms: int) -> bool:
    """Return whether a resolved pool waits to be counted, or the cursor's moment, `since_ms`, is to be moved on."""
    return is_to_move(since_ms, at_ms) or bool(next_resolved_pools(tx, since_ms=since_ms, at_ms=at_ms, limit=1))


def count_paid(tx: WriteTx, of: PaidPools) -> None:
    """Count some positions of pools that are ready."""
    left = PIECE_POSITIONS
    for pool_id in of.ready_ids:
        if left > 0:
            left -= _count_pool(tx, pool_id, limit=left)
    CURSOR.move(tx, resolved_since_ms=of.resolved_since_ms)


def _count_pool(tx: WriteTx, pool_id: int, *, limit: int) -> int:
    found = tx.execute(_OF_POOL, {"pool_id": pool_id, "limit": limit}).all()
    ids = [row.position_id for row in found]
    now = {position_id: _Position(*rest) for position_id, *rest in _POSITIONS.fetch(tx, {"ids": ids})}
    sums: Mapping[tuple[str, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    changes: Counter[tuple[int, str]] = Counter()
    for row in found:
        position = now[row.position_id]
        changes[row.market_id, row.side] -= row.shares > 0
        if row.is_person and position.closed_at_ms is not None:
            for period in PERIODS:
                total = sums[period, number_of(period, position.closed_at_ms), row.user_id]
                total[0] += position.pnl_kopecks - row.sold_pnl_kopecks
                if period == "all":
                    total[1] += 1
                    total[2] += position.pnl_kopecks > 0
    apply(tx, _PAID, [(*key, *added) for key, added in sorted(sums.items())])
    _delete(tx, ids)
    _add_holders(tx, changes)
    return len(found)


def _delete(tx: WriteTx, ids: Sequence[int]) -> None:
    if ids:
        tx.execute(holdings.delete().where(in_array(_H.position_id)), {"ids": ids})


def _add_holders(tx: WriteTx, changes: Mapping[tuple[int, str], int]) -> None:
    apply(tx, _HOLDERS, [(*key, change) for key, change in sorted(changes.items()) if change])


_P, _A = pools.c, pool_activity.c
_POSITIONS = CompiledQuery(
    sa.select(positions.c.id, positions.c.closed_at_ms, positions.c.pnl_kopecks).where(in_array(positions.c.id))
)
_IS_COUNTED = sa.func.coalesce(_A.trades, 0) >= _P.trade_count
_RESOLVED = (
    sa.select(_P.id, _P.resolved_at_ms, sa.and_(_IS_COUNTED, sa.not_(_P.paying)))
    .join_from(pools, pool_activity, _A.pool_id == _P.id, isouter=True)
    .where(
        _P.resolved_at_ms >= sa.bindparam("since_ms"),
        _P.trade_count > 0,
        sa.or_(_P.paying, sa.not_(_IS_COUNTED), sa.exists().where(_H.pool_id == _P.id)),
    )
    .order_by(_P.resolved_at_ms, _P.id)
    .limit(sa.bindparam("limit"))
)
_OF_POOL = (
    sa.select(*_H, is_person)
    .join_from(holdings, users, users.c.id == _H.user_id)
    .where(_H.pool_id == sa.bindparam("pool_id"))
    .order_by(_H.position_id)
    .limit(sa.bindparam("limit"))
)
_HOLDERS = Insert(market_holders, ("market_id", "side", "holders"), conflict=adding(market_holders, "holders"))
_PAID = Insert(
    trader_sums,
    ("period", "number", "user_id", "realized_kopecks", "settled", "earned"),
    conflict=adding(trader_sums, "realized_kopecks", "settled", "earned"),
)

_HELD = "INSERT INTO holdings (position_id, pool_id, market_id, side, user_id, shares, sold_pnl_kopecks)"
_HELD_MORE = on_conflict(
    holdings, shares="excluded.shares", sold_pnl_kopecks="holdings.sold_pnl_kopecks + excluded.sold_pnl_kopecks"
)
_HELD_BY = "INSERT INTO market_holders (market_id, side, holders)"
_HELD_BY_MORE = adding(market_holders, "holders")
#: Sold before the pool's result: nothing will be paid for it.
_IS_GONE = "(position.closed_at_ms IS NOT NULL AND position.settled_shares = 0)"
_GIVEN = "json_each(?) AS given CROSS JOIN positions AS position ON position.id = CAST(given.key AS INTEGER)"
_CHANGE = "sum((position.shares > 0) - (coalesce(held.shares, 0) > 0))"
_ON_SQLITE = (
    f"""{_HELD_BY} SELECT position.market_id, position.side, {_CHANGE}
    FROM {_GIVEN} LEFT JOIN holdings AS held ON held.position_id = position.id
    GROUP BY position.market_id, position.side HAVING {_CHANGE} <> 0
    {_HELD_BY_MORE}""",  # noqa: S608 # constants
    f"""{_HELD} SELECT position.id, position.pool_id, position.market_id, position.side, position.user_id,
        position.shares, given.value
    FROM {_GIVEN} WHERE NOT {_IS_GONE}
    {_HELD_MORE}""",  # noqa: S608 # constants
    f"DELETE FROM holdings WHERE position_id IN (SELECT position.id FROM {_GIVEN} WHERE {_IS_GONE})",  # noqa: S608
)
#: One statement, and so one snapshot: orders change positions meanwhile.
_ON_POSTGRES = f"""
WITH now AS MATERIALIZED (
    SELECT position.id, position.pool_id, position.market_id, position.side, position.user_id, position.shares,
        given.value::bigint AS sold_pnl_kopecks, {_IS_GONE} AS is_gone,
        (position.shares > 0)::integer - (coalesce(held.shares, 0) > 0)::integer AS change
    FROM json_each_text($1::text::json) AS given
    JOIN positions AS position ON position.id = given.key::bigint
    LEFT JOIN holdings AS held ON held.position_id = position.id
), kept AS (
    {_HELD} SELECT id, pool_id, market_id, side, user_id, shares, sold_pnl_kopecks FROM now WHERE NOT is_gone
    {_HELD_MORE}
), gone AS (
    DELETE FROM holdings USING now WHERE holdings.position_id = now.id AND now.is_gone
)
{_HELD_BY} SELECT market_id, side, sum(change) FROM now GROUP BY market_id, side HAVING sum(change) <> 0
{_HELD_BY_MORE}
"""  # noqa: S608 # constants
#: With a JSON object of profits by position as the parameter. The holders first: they follow from holdings before.
_FOLLOWING = {"sqlite": _ON_SQLITE, "postgresql": (_ON_POSTGRES,)}
