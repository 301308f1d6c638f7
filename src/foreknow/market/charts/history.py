"""Histories of at most 1,000 points: the market charts and the traders' PnL charts."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import sqlalchemy as sa

from foreknow.market.charts.buckets import DOUBLE_BYTES, pack, unpack
from foreknow.market.charts.prices import CurrentPrices, PoolPoint, PoolTrades, as_then
from foreknow.market.charts.tables import life_points, pnl_points, pnl_totals
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.changes import Delete, Insert, Sink, apply, insert_rows
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Limits the size of a pool's whole history, points times markets: in pools of over 50 markets it has fewer points.
VALUES_MAX = 50_000
#: (Unix milliseconds, one YES probability per market); (Unix milliseconds, kopecks)
_PricePoint = tuple[int, Sequence[float]]
_PnlTuple = tuple[int, int]
Point = TypeVar("Point")

#: Most stored points: with the newest (which need not be a multiple of the stride) and the current one, 1,000.
STORED_POINTS_MAX = 998


def stride(newest_ordinal: int) -> int:
    """Return the least power of two with at most `STORED_POINTS_MAX` multiples in 0 … `newest_ordinal`."""
    step = 1
    while newest_ordinal // step >= STORED_POINTS_MAX:
        step *= 2
    return step


@dataclass(frozen=True, slots=True)
class NewPoints(Generic[Point]):
    """Points to append to a series; the first has the ordinal `first`."""

    first: int
    points: Sequence[Point]

    @property
    def newest(self) -> int:
        """The ordinal of the last point."""
        return self.first + len(self.points) - 1


class DownsampledSeries(Generic[Point]):
    """A table of series with the columns `key` (the series' owner), `ordinal`, and `values` (a point's data).

    A series grows without end and stores at most `STORED_POINTS_MAX` evenly spaced points: points 0, 1, 2, … whose
    ordinal is a multiple of the stride, a power of two that doubles when the limit would be exceeded. So a new point
    writes at most one row, the first point always stays, and doubling the stride deletes half of one series' rows.
    """

    def __init__(
        self, table: sa.Table, key: str, values: tuple[str, ...], row: Callable[[Point], tuple[Any, ...]]
    ) -> None:
        """`row` converts a point to its `values`."""
        self._table = table
        self._names = (key, "ordinal", *values)
        self._row = row
        self._thin = Delete(
            table,
            {"series": Int64, "stride": Int64},
            f"old.{key} = given.series AND old.ordinal % given.stride <> 0",
        )

    def append(self, into: Sink, new: Mapping[int, NewPoints[Point]]) -> None:
        """Append new points to each series; points that are not stored cost nothing."""
        rows: list[tuple[Any, ...]] = []
        thinned: list[tuple[int, int]] = []
        for key, added in new.items():
            step = stride(added.newest)
            before = added.first - 1
            if before > 0 and stride(before) != step:
                thinned.append((key, step))
            stored = range(-(-added.first // step) * step, added.newest + 1, step)
            rows += [(key, ordinal, *self._row(added.points[ordinal - added.first])) for ordinal in stored]
        if thinned:
            apply(into, self._thin, thinned)
        insert_rows(into, self._table, self._names, rows)


def _price_row(point: _PricePoint) -> tuple[int, bytes]:
    at_ms, probabilities = point
    return at_ms, pack(probabilities)


_price_series = DownsampledSeries[_PricePoint](life_points, "pool_id", ("at_ms", "probabilities"), _price_row)
_pnl_series = DownsampledSeries[_PnlTuple](pnl_points, "user_id", ("at_ms", "pnl_kopecks"), tuple)


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
    """The profit of a sale or a settled position (below 0: a loss), and how many positions it closed."""

    user_id: int
    pnl_kopecks: int
    at_ms: int
    closed: int = 0


class PnlTotal(NamedTuple):
    """A trader's realized profit, and how many positions they have closed; None where these must be counted."""

    pnl_kopecks: int
    closed_positions: int | None


def begin_history(tx: WriteTx, *, pool_id: int, probabilities: Sequence[float], at_ms: int) -> None:
    """Write a pool's prior, the first point of its markets' charts."""
    _price_series.append(tx, {pool_id: NewPoints(0, [(at_ms, probabilities)])})


def move_prior(tx: WriteTx, *, pool_id: int, probabilities: Sequence[float]) -> None:
    """Change the first point of a pool's charts, while it is the only one; its time stays that of the publication."""
    first = sa.and_(life_points.c.pool_id == pool_id, life_points.c.ordinal == 0)
    tx.execute(life_points.update().where(first).values(probabilities=pack(probabilities)))


def record_trades(into: Sink, batches: Iterable[PoolTrades]) -> None:
    """Append trades to the histories of their pools."""
    _price_series.append(
        into, {batch.pool_id: NewPoints(batch.first_ordinal, _without_going_back(batch)) for batch in batches}
    )


def _without_going_back(batch: PoolTrades) -> Sequence[_PricePoint]:
    """Return a batch's points; if the clock was set back, their times stay at the newest point's."""
    since_ms = batch.before.since_ms
    if all(at_ms >= since_ms for at_ms, _ in batch.points):
        return batch.points
    return [(max(at_ms, since_ms), probabilities) for at_ms, probabilities in batch.points]


def pool_history(tx: ReadTx, pool_id: int, current: CurrentPrices, *, end_ms: int) -> list[PoolPoint]:
    """Return the prices of a pool from publication to `end_ms` (now, or the end of trading), oldest point first."""
    query = sa.select(life_points.c.at_ms, life_points.c.probabilities).where(life_points.c.pool_id == pool_id)
    stored = tx.execute(query.order_by(life_points.c.ordinal)).all()
    values = tuple(current.probabilities)
    step = -(-len(stored) * len(values) // VALUES_MAX)
    points = [
        PoolPoint(at_ms, as_then(unpack(packed), current.splits, at_ms=at_ms)) for at_ms, packed in stored[::step]
    ]
    newest_ms = max(current.since_ms, stored[-1][0])
    newest = PoolPoint(newest_ms, as_then(values, current.splits, at_ms=newest_ms))
    if points[-1] != newest:
        points.append(newest)
    if end_ms > newest.at_ms:
        points.append(PoolPoint(end_ms, values))
    return points


def market_chart(
    tx: ReadTx, pool_id: int, outcome_index: int, current: CurrentPrices, *, end_ms: int
) -> list[MarketPoint]:
    """Return a market's history from publication to `end_ms` (now, or the end of trading), oldest point first.

    That of an outcome that was taken out of a list's Other begins with that.
    """
    # Reads only this outcome's eight bytes of each point.
    own_bytes = sa.func.substr(life_points.c.probabilities, 1 + DOUBLE_BYTES * outcome_index, DOUBLE_BYTES)
    query = (
        sa.select(life_points.c.at_ms, own_bytes)
        .where(life_points.c.pool_id == pool_id)
        .order_by(life_points.c.ordinal)
    )
    read = struct.Struct("<d").unpack
    points = [MarketPoint(at_ms, *read(own)) for at_ms, own in tx.execute(query) if len(own) == DOUBLE_BYTES]
    probability = current.probabilities[outcome_index]
    if any(split.outcome_index == outcome_index for split in current.splits):
        first = next(split for split in current.splits if split.outcome_index == outcome_index)
        points.insert(0, MarketPoint(first.at_ms, first.probability))
    newest_ms = max(current.since_ms, points[-1].at_ms)
    then = as_then(current.probabilities, current.splits, at_ms=newest_ms)
    newest = MarketPoint(newest_ms, then[outcome_index])
    if points[-1] != newest:
        points.append(newest)
    if end_ms > newest.at_ms:
        points.append(MarketPoint(end_ms, probability))
    return points


class LastPoint(NamedTuple):
    """The number of a trader's newest point, counted from 0, and their realized profit then."""

    ordinal: int
    pnl_kopecks: int


def record_pnl(tx: WriteTx, changes: Sequence[PnlChange]) -> None:
    """Append profits of sales and settlements to their traders' charts, in the order given.

    Call it once per transaction. The caller holds the locks of the traders' accounts, as all who append do.
    """
    if changes:
        write_pnl(tx, changes, last_points_fetch({change.user_id for change in changes}).fetch(tx))


def last_points_fetch(user_ids: Collection[int]) -> Fetch[dict[int, LastPoint]]:
    """Return the query of the traders' newest points, for `write_pnl`."""
    return Fetch(
        _LAST_POINTS,
        {"ids": user_ids},
        lambda rows: {user_id: LastPoint(*point) for user_id, *point in rows},
        is_empty=not user_ids,
    )


def write_pnl(into: Sink, changes: Sequence[PnlChange], last: Mapping[int, LastPoint]) -> None:
    """Do what `record_pnl` does after the traders' newest points, which were read under their accounts' locks."""
    by_user: dict[int, list[PnlChange]] = {}
    # In user id order: that of the locks of the totals.
    for change in sorted(changes, key=lambda change: change.user_id):
        by_user.setdefault(change.user_id, []).append(change)
    if not by_user:
        return
    totals: list[tuple[int, ...]] = []
    series: dict[int, NewPoints[_PnlTuple]] = {}
    for user_id, user_changes in by_user.items():
        before = last.get(user_id, LastPoint(-1, 0))
        sums = list(itertools.accumulate((change.pnl_kopecks for change in user_changes), initial=before.pnl_kopecks))
        points = [(change.at_ms, pnl_kopecks) for change, pnl_kopecks in zip(user_changes, sums[1:], strict=True)]
        series[user_id] = NewPoints(before.ordinal + 1, points)
        added = len(points) - 1
        closed = sum(change.closed for change in user_changes)
        totals.append((user_id, added, points[-1][0], sums[-1] - sums[0], closed, added))
    apply(into, _ADD_TO_TOTALS, totals)
    _pnl_series.append(into, series)


def pnl_total(tx: ReadTx, user_id: int) -> PnlTotal:
    """Return what a trader has earned by sales and settlements so far."""
    found = _TOTAL.fetch(tx, {"user_id": user_id})
    if not found:
        return PnlTotal(0, 0)
    ((ordinal, pnl_kopecks, closed_positions, closed_ordinal),) = found
    return PnlTotal(pnl_kopecks, closed_positions if closed_ordinal == ordinal else None)


def recount_closed(tx: WriteTx, user_id: int, count: Callable[[], int]) -> None:
    """Write how many positions a trader has closed, as `count` returns it.

    A sale or settlement locks the total after writing its position: under that lock the count is exact.
    """
    own = pnl_totals.c.user_id == user_id
    tx.execute(sa.select(pnl_totals.c.ordinal).where(own).with_for_update())
    closed = {"closed_positions": count(), "closed_ordinal": pnl_totals.c.ordinal}
    tx.execute(pnl_totals.update().where(own).values(closed))


def pnl_point_count(tx: ReadTx, user_id: int) -> int:
    """Return how many points a trader's PnL chart has had so far; while this number stays, the chart does."""
    newest = _NEWEST_PNL.fetch(tx, {"user_id": user_id})
    return newest[0][0] + 1 if newest else 0


def pnl_chart(tx: ReadTx, user_id: int) -> list[PnlPoint]:
    """Return a trader's cumulative realized profit after every sale and settled position, oldest point first."""
    rows = _STORED_PNL.fetch(tx, {"user_id": user_id})
    newest = _NEWEST_PNL.fetch(tx, {"user_id": user_id})
    points = [PnlPoint(at_ms, pnl_kopecks) for _, at_ms, pnl_kopecks in rows]
    # The newest point is also a stored one if its ordinal is a multiple of the stride.
    if newest and rows[-1][0] != newest[0][0]:
        points.append(PnlPoint(*newest[0][1:]))
    return points


def _pnl(table: sa.Table) -> sa.Select[Any]:
    columns = table.c
    own = columns.user_id == sa.bindparam("user_id")
    return sa.select(columns.ordinal, columns.at_ms, columns.pnl_kopecks).where(own).order_by(columns.ordinal)


_STORED_PNL = CompiledQuery(_pnl(pnl_points))
_NEWEST_PNL = CompiledQuery(_pnl(pnl_totals))
_TOTAL = CompiledQuery(
    sa.select(
        pnl_totals.c.ordinal, pnl_totals.c.pnl_kopecks, pnl_totals.c.closed_positions, pnl_totals.c.closed_ordinal
    ).where(pnl_totals.c.user_id == sa.bindparam("user_id"))
)


#: Adds n points to each trader's newest point: `ordinal` is n − 1, since ordinals count from 0. What was not counted so
#: far stays uncounted.
_ADD_TO_TOTALS = Insert(
    pnl_totals,
    ("user_id", "ordinal", "at_ms", "pnl_kopecks", "closed_positions", "closed_ordinal"),
    conflict="""ON CONFLICT (user_id) DO UPDATE SET
        ordinal = pnl_totals.ordinal + excluded.ordinal + 1,
        at_ms = excluded.at_ms,
        pnl_kopecks = pnl_totals.pnl_kopecks + excluded.pnl_kopecks,
        closed_positions = pnl_totals.closed_positions + excluded.closed_positions,
        closed_ordinal = pnl_totals.closed_ordinal + excluded.ordinal + 1
    """,
)
_LAST_POINTS = CompiledQuery(
    sa.select(pnl_totals.c.user_id, pnl_totals.c.ordinal, pnl_totals.c.pnl_kopecks).where(
        in_array(pnl_totals.c.user_id)
    )
)
