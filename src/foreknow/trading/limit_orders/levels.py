"""What rests at each level of a pool's queues, for the order book: it costs by levels, not by orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX
from foreknow.market.pools.store import PricedPool
from foreknow.money.holds.tables import IS_OPEN, limit_orders, order_levels
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import Insert, Sink, apply
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.limit_orders.order import LimitOrderRow


class LevelPlace(NamedTuple):
    """A level of one of a market's queues; `rank` 1 … 99, the best first."""

    market_id: int
    is_up: bool
    rank: int


class LevelChanges:
    """What a transaction has added to levels, and taken from them."""

    def __init__(self) -> None:
        """Begin with no change."""
        self._shares: Counter[LevelPlace] = Counter()

    def add(self, order: LimitOrderRow, shares: int) -> None:
        """Note that an order has `shares` more left than before, or less (below 0)."""
        self._shares[LevelPlace(order.market_id, order.is_up, order.rank)] += shares

    def write(self, into: Sink) -> None:
        """Write them; the orders' pools are locked."""
        apply(into, _ADD, [(*place, shares) for place, shares in sorted(self._shares.items()) if shares])


class RestingLevels(NamedTuple):
    """What rests in a pool at a moment, and until when it does if nothing is traded, Unix milliseconds."""

    #: (level in percent, shares) of the queues by (outcome, is_up), each from its best level on.
    queues: Mapping[tuple[int, bool], list[tuple[int, int]]]
    until_ms: int


def resting_levels(tx: ReadTx, pool: PricedPool, *, now_ms: int, ahead_ms: int) -> RestingLevels:
    """Return what rests in a pool at `now_ms`; ends up to `ahead_ms` later count in `until_ms`."""
    outcomes = {market.id: market.outcome_index for market in pool.markets}
    # What has expired is taken from its level once that is written.
    expired: Counter[LevelPlace] = Counter()
    until_ms = pool.finish_at_ms or INT64_MAX
    bounds = {"ids": outcomes.keys(), "until_ms": now_ms + ahead_ms}
    for market_id, is_up, rank, shares, expires_at_ms in _EXPIRING.fetch(tx, bounds):
        if expires_at_ms > now_ms:
            until_ms = min(until_ms, expires_at_ms)
        else:
            expired[LevelPlace(market_id, bool(is_up), rank)] += shares
    found: dict[tuple[int, bool], list[tuple[int, int]]] = {}
    for market_id, is_up, rank, shares in _LEVELS.fetch(tx, {"ids": outcomes.keys()}):
        left = shares - expired[LevelPlace(market_id, bool(is_up), rank)]
        if left:
            found.setdefault((outcomes[market_id], bool(is_up)), []).append((100 - rank if is_up else rank, left))
    return RestingLevels(found, until_ms)


_ADD = Insert(
    order_levels,
    (*LevelPlace._fields, "shares"),
    conflict="ON CONFLICT (market_id, is_up, rank) DO UPDATE SET shares = order_levels.shares + excluded.shares",
)
_LEVELS = CompiledQuery(
    sa.select(
        order_levels.c.market_id,
        sa.type_coerce(order_levels.c.is_up, Int64),
        order_levels.c.rank,
        order_levels.c.shares,
    )
    .where(in_array(order_levels.c.market_id), order_levels.c.shares > 0)
    .order_by(order_levels.c.market_id, order_levels.c.is_up, order_levels.c.rank)
)
_EXPIRING = CompiledQuery(
    sa.select(
        limit_orders.c.market_id,
        sa.type_coerce(limit_orders.c.is_up, Int64),
        limit_orders.c.rank,
        limit_orders.c.shares - limit_orders.c.filled_shares,
        limit_orders.c.expires_at_ms,
    ).where(
        # A sum, so that no planner walks a market's queue: the index of what expires has little by then.
        in_array(limit_orders.c.market_id + 0),
        IS_OPEN,
        limit_orders.c.expires_at_ms.is_not(None),
        limit_orders.c.expires_at_ms <= sa.bindparam("until_ms", type_=Int64),
    )
)
