"""Counting resolved pools: which ones, at which prices, into which sums; and the worker that does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import sqlalchemy as sa

from foreknow.market import charts
from foreknow.market.events.store import load_events
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.market.pools.tables import pools
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Follower
from foreknow.platform.jobs.follower import OVERLAP_MS, is_to_move
from foreknow.site.activity.tables import pool_activity, pool_traders
from foreknow.site.record.moments import Horizon, bin_of, moments_of
from foreknow.site.record.tables import CURSOR, record_bins, record_sums, recorded_pools
from foreknow.trading.house import find_trader
from foreknow.trading.settlement.past_trades import NOTHING_KNOWN, past_trades
from foreknow.trading.settlement.store import all_final_before_ms

#: The fewest traders of a pool that counts, the house's own trader left out.
TRADERS_MIN = 5
#: Sums are whole numbers of it: a sum of a million terms is right to 24 digits.
UNIT = Fraction(1, 2**100)
#: Pools of one transaction. Their trades are read before it.
PIECE_POOLS = 20
ALL_TAGS = ""

_P, _A = pools.c, pool_activity.c
#: Nothing wakes it.
POLL_S = 2.0


@dataclass(frozen=True, slots=True)
class HorizonPrices:
    """The YES probabilities of a pool's markets at a horizon and at first, and which of them won."""

    horizon: Horizon
    probabilities: Sequence[float]
    first: Sequence[float]
    won: Sequence[bool]


@dataclass(frozen=True, slots=True)
class ResolvedPools:
    """The next resolved pools: what counts of each, and the moment before which all are looked at."""

    next_ms: int
    #: By pool; nothing of those that do not count.
    forecasts: Mapping[int, Sequence[HorizonPrices]] = field(default_factory=dict)
    tags: Mapping[int, Sequence[str]] = field(default_factory=dict)
    is_full: bool = False


def next_resolved(tx: ReadTx) -> ResolvedPools | None:
    """Return the pools resolved next, as far as all of their trades are counted by `activity`.

    None: there are none, and the cursor is not to be moved on.
    """
    since_ms, at_ms = CURSOR.get(tx, "resolved_since_ms"), now_ms(tx)
    is_counted = sa.func.coalesce(_A.trades, 0) >= _P.trade_count
    query = (
        sa.select(_P.id, _P.resolved_at_ms, is_counted.label("is_counted"))
        .join_from(pools, pool_activity, _A.pool_id == _P.id, isouter=True)
        .where(
            # The clock may have been ahead, and set back.
            _P.resolved_at_ms >= min(since_ms, at_ms) - OVERLAP_MS,
            _P.trade_count >= TRADERS_MIN,
            _P.won_side >= 0,
            sa.not_(sa.exists().where(recorded_pools.c.pool_id == _P.id)),
        )
        .order_by(_P.resolved_at_ms, _P.id)
        .limit(PIECE_POOLS)
    )
    found = tx.execute(query).all()
    ready = [row.id for row in found if row.is_counted]
    waiting_ms = next((row.resolved_at_ms for row in found if not row.is_counted), None)
    is_full = len(found) == PIECE_POOLS
    if waiting_ms is not None:
        next_ms = waiting_ms
    else:
        next_ms = found[-1].resolved_at_ms if is_full else all_final_before_ms(tx, now_ms=at_ms)
    if not ready and not is_to_move(since_ms, next_ms):
        return None
    rows = load_pools(tx, ready)
    events = load_events(tx, {row.event_id for row in rows.values()})
    return ResolvedPools(
        next_ms,
        {pool_id: forecasts(tx, rows[pool_id]) for pool_id in ready},
        {pool_id: events[rows[pool_id].event_id].tags for pool_id in ready},
        is_full and bool(ready),
    )


def forecasts(tx: ReadTx, pool: PoolRow) -> list[HorizonPrices]:
    """Return what counts of a finally resolved pool; nothing where it has no one winner, or too few traders."""
    moments = moments_of(pool)
    if not moments:
        return []
    trader = find_trader(tx)
    query = sa.select(pool_traders.c.user_id).where(pool_traders.c.pool_id == pool.id).limit(TRADERS_MIN + 1)
    traders = set(tx.execute(query).scalars()) - ({trader.user_id} if trader is not None else set())
    if len(traders) < TRADERS_MIN:
        return []
    splits = [split.charted for split in pool.splits]
    found: list[HorizonPrices] = []
    for moment in moments:
        then = past_trades(tx, pool, NOTHING_KNOWN, at_ms=moment.at_ms)
        prices = charts.as_then(pool.lmsr_at(then).probabilities(), splits, at_ms=moment.at_ms)[: len(moment.won)]
        found.append(HorizonPrices(moment.horizon, prices, moment.first, moment.won))
    return found


def count(tx: WriteTx, of: ResolvedPools) -> None:
    """Count pools that are not counted yet, under the lock of the worker's row."""
    known = recorded_pools.c.pool_id
    counted = set(tx.execute(sa.select(known).where(known.in_(of.forecasts))).scalars())
    sums = _Sums(tx)
    for pool_id, found in of.forecasts.items():
        if pool_id not in counted:
            for one in found:
                for tag in (ALL_TAGS, *dict.fromkeys(of.tags[pool_id])):
                    sums.add(tag, one)
    sums.write()
    apply(tx, _RECORDED, [(pool_id,) for pool_id in sorted(of.forecasts.keys() - counted)])
    CURSOR.move(tx, resolved_since_ms=of.next_ms)


@dataclass(slots=True)
class _Total:
    pools: int = 0
    markets: int = 0
    brier: int = 0
    base_brier: int = 0


@dataclass(slots=True)
class _Bin:
    markets: int = 0
    won: int = 0
    probability: int = 0


class _Sums:
    """Sums by tag and horizon, read when they are first added to."""

    def __init__(self, tx: WriteTx) -> None:
        self._tx = tx
        self._totals: dict[tuple[str, Horizon], _Total] = {}
        self._bins: dict[tuple[str, Horizon, int], _Bin] = {}

    def add(self, tag: str, one: HorizonPrices) -> None:
        """Add a pool."""
        total = self._total(tag, one.horizon)
        total.pools += 1
        total.markets += len(one.won)
        for probability, first, won in zip(one.probabilities, one.first, one.won, strict=True):
            total.brier += _units(_squared_error(probability, won=won))
            total.base_brier += _units(_squared_error(first, won=won))
            place = self._bin(tag, one.horizon, bin_of(probability))
            place.markets += 1
            place.won += won
            place.probability += _units(Fraction(probability))

    def write(self) -> None:
        """Write all that was added to."""
        apply(
            self._tx,
            _SUMS,
            [
                (*key, one.pools, one.markets, str(one.brier), str(one.base_brier))
                for key, one in sorted(self._totals.items())
            ],
        )
        apply(
            self._tx,
            _BINS,
            [(*key, one.markets, one.won, str(one.probability)) for key, one in sorted(self._bins.items())],
        )

    def _total(self, tag: str, horizon: Horizon) -> _Total:
        key = (tag, horizon)
        if key not in self._totals:
            table = record_sums.c
            query = sa.select(table.pools, table.markets, table.brier, table.base_brier)
            row = self._tx.execute(query.where(table.tag == tag, table.horizon == horizon)).one_or_none()
            self._totals[key] = _Total() if row is None else _Total(*map(int, row))
        return self._totals[key]

    def _bin(self, tag: str, horizon: Horizon, number: int) -> _Bin:
        key = (tag, horizon, number)
        if key not in self._bins:
            table = record_bins.c
            query = sa.select(table.markets, table.won, table.probability)
            own = sa.and_(table.tag == tag, table.horizon == horizon, table.bin == number)
            row = self._tx.execute(query.where(own)).one_or_none()
            self._bins[key] = _Bin() if row is None else _Bin(*map(int, row))
        return self._bins[key]


def _squared_error(probability: float, *, won: bool) -> Fraction:
    return (Fraction(probability) - won) ** 2


def _units(value: Fraction) -> int:
    return round(value / UNIT)


_SUM_NAMES = ("pools", "markets", "brier", "base_brier")
_BIN_NAMES = ("markets", "won", "probability")
_RECORDED = Insert(recorded_pools, ("pool_id",))
_SUMS = Insert(
    record_sums,
    ("tag", "horizon", *_SUM_NAMES),
    conflict=on_conflict(record_sums, **{name: f"excluded.{name}" for name in _SUM_NAMES}),
)
_BINS = Insert(
    record_bins,
    ("tag", "horizon", "bin", *_BIN_NAMES),
    conflict=on_conflict(record_bins, **{name: f"excluded.{name}" for name in _BIN_NAMES}),
)


class RecordFollower(Follower):
    """Counts each resolved pool once, however many processes there are."""

    def __init__(self, db: Database) -> None:
        """Count the pools of `db`."""
        super().__init__("record", db, CURSOR, poll_s=POLL_S)

    async def follow(self) -> bool:
        """Count some pools; return whether there may be more."""
        found = await self.step(next_resolved, count)
        return found is not None and found.is_full
