"""Whole lives in at most 1,000 points: the market charts and the traders' PnL charts."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from foreknow.charts.downsampling import DownsampledSeries, NewPoints
from foreknow.charts.packing import DOUBLE_BYTES, pack
from foreknow.charts.prices import CurrentPrices, PoolTrades
from foreknow.charts.tables import life_points, pnl_points, pnl_totals
from foreknow.db.bulk import CompiledQuery
from foreknow.db.transactions import ReadTx, WriteTx

#: (Unix milliseconds, one YES probability a market); (Unix milliseconds, kopecks)
_LifePoint = tuple[int, Sequence[float]]
_EarnedPoint = tuple[int, int]


def _life(point: _LifePoint) -> tuple[int, bytes]:
    at_ms, probabilities = point
    return at_ms, pack(probabilities)


_pool_lives = DownsampledSeries[_LifePoint](life_points, "pool_id", ("at_ms", "probabilities"), _life)
_trader_lives = DownsampledSeries[_EarnedPoint](pnl_points, "user_id", ("at_ms", "pnl_kopecks"), tuple)


@dataclass(frozen=True, slots=True)
class MarketPoint:
    """A market's YES probability at `at_ms` (Unix milliseconds)."""

    at_ms: int
    probability: float


class PnlPoint(NamedTuple):
    """A trader's cumulative realized profit at `at_ms` (Unix milliseconds)."""

    at_ms: int
    pnl_kopecks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PnlChange:
    """What a sale or a settled position earned (below 0: lost)."""

    user_id: int
    pnl_kopecks: int
    at_ms: int


def begin_life(tx: WriteTx, *, pool_id: int, probabilities: Sequence[float], at_ms: int) -> None:
    """Write a pool's prior, the first point of its markets' charts."""
    _pool_lives.append(tx, {pool_id: NewPoints(0, [(at_ms, probabilities)])})


def record_lives(tx: WriteTx, batches: Iterable[PoolTrades]) -> None:
    """Append trades to the lives of their pools."""
    _pool_lives.append(tx, {batch.pool_id: NewPoints(batch.first_ordinal, _forward(batch)) for batch in batches})


def _forward(batch: PoolTrades) -> Sequence[_LifePoint]:
    """Return a batch's points: a clock that was set back must not make a chart run backwards."""
    since_ms = batch.before.since_ms
    if all(at_ms >= since_ms for at_ms, _ in batch.points):
        return batch.points
    return [(max(at_ms, since_ms), probabilities) for at_ms, probabilities in batch.points]


def market_chart(
    tx: ReadTx, pool_id: int, outcome_index: int, present: CurrentPrices, *, end_ms: int
) -> list[MarketPoint]:
    """Return a market's life from its publication to `end_ms` (now, or when it was resolved), oldest point first."""
    # Only this outcome's eight bytes of each point leave the database.
    own_bytes = sa.func.substr(life_points.c.probabilities, 1 + DOUBLE_BYTES * outcome_index, DOUBLE_BYTES)
    query = (
        sa.select(life_points.c.at_ms, own_bytes)
        .where(life_points.c.pool_id == pool_id)
        .order_by(life_points.c.ordinal)
    )
    read = struct.Struct("<d").unpack
    points = [MarketPoint(at_ms, *read(own)) for at_ms, own in tx.execute(query)]
    probability = present.probabilities[outcome_index]
    newest = MarketPoint(max(present.since_ms, points[-1].at_ms), probability)
    if points[-1] != newest:
        points.append(newest)
    if end_ms > newest.at_ms:
        points.append(MarketPoint(end_ms, probability))
    return points


def record_pnl(tx: WriteTx, changes: Sequence[PnlChange]) -> None:
    """Append what sales and settlements earned to their traders' charts, in the order given.

    Call it once a transaction, after the accounts are locked: it locks the traders' newest points in the order of
    their ids.
    """
    by_user: dict[int, list[PnlChange]] = {}
    for change in sorted(changes, key=lambda change: change.user_id):
        by_user.setdefault(change.user_id, []).append(change)
    if not by_user:
        return
    totals = [
        {
            "user_id": user_id,
            "ordinal": len(earned) - 1,
            "at_ms": earned[-1].at_ms,
            "pnl_kopecks": sum(change.pnl_kopecks for change in earned),
        }
        for user_id, earned in by_user.items()
    ]
    series: dict[int, NewPoints[_EarnedPoint]] = {}
    for user_id, newest, total_kopecks in tx.execute(_ADD[tx.dialect.name], totals):
        earned = by_user[user_id]
        total_before = total_kopecks - sum(change.pnl_kopecks for change in earned)
        sums = itertools.accumulate((change.pnl_kopecks for change in earned), initial=total_before)
        next(sums)
        points = [(change.at_ms, pnl_kopecks) for change, pnl_kopecks in zip(earned, sums, strict=True)]
        series[user_id] = NewPoints(newest - len(points) + 1, points)
    _trader_lives.append(tx, series)


def pnl_points_ever(tx: ReadTx, user_id: int) -> int:
    """Return how many points a trader's PnL chart has had so far: while this number stays, so does the chart."""
    newest = tx.execute(_NEWEST_PNL, {"user_id": user_id}).one_or_none()
    return 0 if newest is None else newest[0] + 1


def pnl_chart(tx: ReadTx, user_id: int) -> list[PnlPoint]:
    """Return a trader's cumulative realized profit after every sale and settled position, oldest point first."""
    rows = _STORED_PNL.fetch(tx, {"user_id": user_id})
    newest = tx.execute(_NEWEST_PNL, {"user_id": user_id}).one_or_none()
    points = [PnlPoint(at_ms, pnl_kopecks) for _, at_ms, pnl_kopecks in rows]
    # The newest point is stored too where its ordinal is a multiple of the stride.
    if newest is not None and rows[-1][0] != newest[0]:
        points.append(PnlPoint(*newest[1:]))
    return points


def _pnl(table: sa.Table) -> sa.Select[Any]:
    columns = table.c
    own = columns.user_id == sa.bindparam("user_id")
    return sa.select(columns.ordinal, columns.at_ms, columns.pnl_kopecks).where(own).order_by(columns.ordinal)


_STORED_PNL = CompiledQuery(lambda _dialect: _pnl(pnl_points))
_NEWEST_PNL = _pnl(pnl_totals)


def _add(insert: Any) -> Any:
    """Add to a trader's newest point: its ordinal counts from 0, so that n more points move it on by n."""
    return insert.on_conflict_do_update(
        index_elements=["user_id"],
        set_={
            "ordinal": pnl_totals.c.ordinal + insert.excluded.ordinal + 1,
            "at_ms": insert.excluded.at_ms,
            "pnl_kopecks": pnl_totals.c.pnl_kopecks + insert.excluded.pnl_kopecks,
        },
    ).returning(pnl_totals.c.user_id, pnl_totals.c.ordinal, pnl_totals.c.pnl_kopecks)


_ADD = {"sqlite": _add(sqlite.insert(pnl_totals)), "postgresql": _add(postgresql.insert(pnl_totals))}
