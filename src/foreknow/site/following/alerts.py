"""Rows of price alerts: what waits for which price, and what a price has reached."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import MINUTE_MS
from foreknow.market.events.tables import events
from foreknow.market.markets.tables import markets
from foreknow.market.pools.tables import pools
from foreknow.people.follows.tables import price_alerts
from foreknow.platform.db.bulk import CompiledQuery, as_rows, values_table
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Price alerts that one person may have.
ALERTS_MAX = 200
BPS = 10_000
#: Reached alerts that one transaction ends; the others follow at once.
REACHED_MAX = 500
#: Pools with price alerts that are looked at together, and how long ago they must have ended: their last trades may
#: not have been read yet.
SWEPT_POOLS = 100
ENDED_MS = MINUTE_MS
#: Prices within this of an alert, in basis points, are at it: a double is no exact decimal.
TOLERANCE_BPS = 1e-6
_BILLIONTHS_A_BPS = 100_000
#: More than `TOLERANCE_BPS` and what a price in billionths is rounded by.
_SLACK = 2

AlertLimit = Literal["above", "below"]
LIMITS: tuple[AlertLimit, ...] = ("above", "below")
_A = price_alerts.c


@dataclass(frozen=True, slots=True)
class PricePoint:
    """The YES price of a market after a trade, or after new priors.

    `number` is the number of the pool's trades by then, 0 of new priors; `actor_id` is who traded.
    """

    probability: float
    number: int
    at_ms: int
    actor_id: int | None = None


@dataclass(frozen=True, slots=True)
class ReachedAlert:
    """A price alert that a price has reached."""

    user_id: int
    market_id: int
    pool_id: int
    limit: AlertLimit
    bps: int
    trades: int
    point: PricePoint


def is_reached(probability: float, limit: AlertLimit, bps: int) -> bool:
    """Return whether a price is at an alert's price or past it."""
    if limit == "above":
        return probability * BPS >= bps - TOLERANCE_BPS
    return probability * BPS <= bps + TOLERANCE_BPS


def reachable_pools(tx: ReadTx, left: Mapping[int, tuple[int, int]]) -> set[int]:
    """Return which of some pools have price alerts that trades may have reached.

    `left`: by pool, the lowest and the highest YES price in billionths that a trade left in its own market. In a pool
    of one market they rule out most alerts without a look at each trade; in others a trade moves all prices.
    """
    rows = as_rows(
        [
            (pool_id, -((_SLACK - lowest) // _BILLIONTHS_A_BPS), (highest + _SLACK) // _BILLIONTHS_A_BPS)
            for pool_id, (lowest, highest) in left.items()
        ]
    )
    return {pool_id for (pool_id,) in _REACHABLE.fetch(tx, {"rows": rows})} if left else set()


def reached(
    tx: ReadTx, points: Mapping[int, Sequence[PricePoint]], *, most: int, user_id: int | None = None
) -> list[ReachedAlert]:
    """Return up to `most` alerts, of a person if given, that the prices of markets, in their order, have reached."""
    of_person = [] if user_id is None else [_A.user_id == user_id]
    found: list[ReachedAlert] = []
    for market_id, prices in points.items():
        probabilities = [point.probability for point in prices]
        bounds: tuple[tuple[AlertLimit, sa.ColumnElement[bool]], ...] = (
            ("above", _A.above_bps <= math.floor(max(probabilities) * BPS + TOLERANCE_BPS)),
            ("below", _A.below_bps >= math.ceil(min(probabilities) * BPS - TOLERANCE_BPS)),
        )
        for limit, bound in bounds:
            bps = _A[f"{limit}_bps"]
            query = sa.select(_A.user_id, _A.pool_id, bps.label("bps"), _A.trades, _A.set_at_ms)
            for row in tx.execute(query.where(_A.market_id == market_id, bps.is_not(None), bound, *of_person)):
                first = next((point for point in prices if _passes(point, row, limit)), None)
                if first is not None:
                    found.append(ReachedAlert(row.user_id, market_id, row.pool_id, limit, row.bps, row.trades, first))
                if len(found) == most:
                    return found
    return found


def _passes(point: PricePoint, alert: Any, limit: AlertLimit) -> bool:
    is_later = point.number > alert.trades if point.number else point.at_ms >= alert.set_at_ms
    return is_later and is_reached(point.probability, limit, alert.bps)


def take(tx: WriteTx, found: Collection[ReachedAlert]) -> list[ReachedAlert]:
    """End these alerts; return those that were as they were found."""
    taken: list[ReachedAlert] = []
    for limit in LIMITS:
        by_key = {(one.user_id, one.market_id, one.bps, one.trades): one for one in found if one.limit == limit}
        bps = _A[f"{limit}_bps"]
        key = sa.tuple_(_A.user_id, _A.market_id, bps, _A.trades)
        for keys in chunks(sorted(by_key), REACHED_MAX):
            change = price_alerts.update().where(key.in_(keys)).values({bps.name: None})
            # RETURNING gives the new values: a person has one alert a market.
            gone = {tuple(row) for row in tx.execute(change.returning(_A.user_id, _A.market_id))}
            taken += [by_key[one] for one in keys if one[:2] in gone]
    is_empty = sa.and_(_A.above_bps.is_(None), _A.below_bps.is_(None))
    for pairs in chunks(sorted({(one.user_id, one.market_id) for one in found}), REACHED_MAX):
        tx.execute(price_alerts.delete().where(sa.tuple_(_A.user_id, _A.market_id).in_(pairs), is_empty))
    return taken


def is_open(at_ms: int) -> sa.ColumnElement[bool]:
    """Return the condition that trading in a pool has not ended by `at_ms`."""
    finish_at_ms = pools.c.finish_at_ms
    return sa.and_(
        pools.c.state == sa.literal("open", literal_execute=True),
        pools.c.decided_at_ms.is_(None),
        sa.or_(finish_at_ms.is_(None), finish_at_ms > at_ms),
    )


class OwnAlert(NamedTuple):
    """A price alert as its owner sees it."""

    market_id: int
    above_bps: int | None
    below_bps: int | None
    event_id: int
    event_name: str
    event_name_ru: str
    pool_id: int
    market_name: str


def alerts_of(tx: ReadTx, user_id: int, *, at_ms: int) -> list[OwnAlert]:
    """Return a person's alerts whose markets have not ended, by market."""
    names = (pools.c.event_id, events.c.name, events.c.name_ru, _A.pool_id, markets.c.name)
    query = (
        sa.select(_A.market_id, _A.above_bps, _A.below_bps, *names)
        .join_from(price_alerts, pools, pools.c.id == _A.pool_id)
        .join(events, events.c.id == pools.c.event_id)
        .join(markets, markets.c.id == _A.market_id)
        .where(_A.user_id == user_id, is_open(at_ms))
    )
    return [OwnAlert(*row) for row in tx.execute(query.order_by(_A.market_id))]


def markets_of(tx: ReadTx, user_id: int, *, at_ms: int) -> Collection[int]:
    """Return the markets, of those that have not ended, on which a person has alerts."""
    query = sa.select(_A.market_id).join(pools, pools.c.id == _A.pool_id)
    found: Collection[int] = tx.execute(query.where(_A.user_id == user_id, is_open(at_ms))).scalars().all()
    return found


def is_set(tx: ReadTx, *, user_id: int, market_id: int) -> bool:
    """Return whether a person has an alert on a market."""
    query = sa.select(_A.user_id).where(_A.user_id == user_id, _A.market_id == market_id)
    return tx.execute(query).first() is not None


def replace(tx: WriteTx, *, user_id: int, market_id: int, values: Mapping[str, int | None]) -> None:
    """Write the alert of a person, who is locked, on a market in place of another."""
    delete(tx, user_id=user_id, market_id=market_id)
    tx.execute(price_alerts.insert().values(user_id=user_id, market_id=market_id, **values))


def delete(tx: WriteTx, *, user_id: int, market_id: int) -> None:
    """Delete the alert of a person on a market."""
    tx.execute(price_alerts.delete().where(_A.user_id == user_id, _A.market_id == market_id))


def ended_pools(tx: ReadTx, after_id: int) -> tuple[list[int], int | None]:
    """Return which of the next pools with alerts ended a while ago, and the last one looked at; None: all were."""
    query = sa.select(_A.pool_id).where(_A.pool_id > after_id).distinct().order_by(_A.pool_id).limit(SWEPT_POOLS)
    looked_at = tx.execute(query).scalars().all()
    if not looked_at:
        return [], None
    ended_by_ms = now_ms(tx) - ENDED_MS
    is_going_on = sa.or_(is_open(ended_by_ms), pools.c.decided_at_ms > ended_by_ms)
    going_on = set(tx.execute(sa.select(pools.c.id).where(pools.c.id.in_(looked_at), is_going_on)).scalars())
    return [pool_id for pool_id in looked_at if pool_id not in going_on], looked_at[-1]


def delete_of_pools(tx: WriteTx, pool_ids: Sequence[int]) -> None:
    """Delete the alerts on the markets of pools."""
    tx.execute(price_alerts.delete().where(_A.pool_id.in_(pool_ids)))


def _reachable(dialect: str) -> sa.Select[Any]:
    rows = values_table(dialect, "rows", {"pool_id": Int64, "lowest_bps": Int64, "highest_bps": Int64}).c
    m = markets.c
    count = sa.select(sa.func.count()).where(m.pool_id == rows.pool_id).scalar_subquery()
    of_market = sa.and_(m.pool_id == rows.pool_id, _A.market_id == m.id)
    may_be_reached = (
        count > sa.literal_column("1"),
        sa.exists().where(of_market, _A.above_bps.is_not(None), _A.above_bps <= rows.highest_bps),
        sa.exists().where(of_market, _A.below_bps.is_not(None), _A.below_bps >= rows.lowest_bps),
    )
    has_any = sa.exists().where(_A.pool_id == rows.pool_id)
    return sa.select(rows.pool_id).where(has_any, sa.or_(*may_be_reached))


_REACHABLE = CompiledQuery(_reachable)
