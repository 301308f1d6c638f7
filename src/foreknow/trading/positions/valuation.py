"""The current value of open positions.

Loading whole rows of a hundred positions and pools would cost several times as much as the columns that set prices.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

import msgspec
import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX
from foreknow.market.markets.tables import markets
from foreknow.market.pools.liquidity import LiquidityStep, PastTrades, market_maker_at
from foreknow.market.pools.resolutions import Resolution, read_resolution
from foreknow.market.pools.splits import SplitStep
from foreknow.market.pools.store import PoolState
from foreknow.market.pools.tables import pools
from foreknow.money.pricing import Lmsr, Side
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.positions.tables import position_splits, positions


class HeldShares(NamedTuple):
    """Shares of one side of one market."""

    market_id: int
    pool_id: int
    #: YES or NO
    side: str
    shares: int
    position_id: int


class ValuedPosition(NamedTuple):
    """An open position and its value: floor(shares · probability of its side), or what it will be paid."""

    market_id: int
    #: YES or NO
    side: str
    shares: int
    cost_kopecks: int
    reserved_shares: int
    value_kopecks: int
    #: What it will be paid by the result that its pool has, final or not; None without a result.
    decided_kopecks: int | None


class HoldingValue(NamedTuple):
    """What shares are worth, and what the result that their pool has will pay for them; None without a result."""

    value_kopecks: int
    decided_kopecks: int | None


#: Most markets for a valuation on the event loop: their prices take some milliseconds.
BRIEF_MARKETS = 500


class TooManyMarkets(Exception):
    """The values depend on more than `markets_max` markets."""


def valued_positions(tx: ReadTx, user_id: int, *, now_ms: int, markets_max: int | None = None) -> list[ValuedPosition]:
    """Return all open positions of a user or sub-account in id order, with their values at `now_ms`.

    Raises `TooManyMarkets` if they, or the markets of their pools, are more than `markets_max`.
    """
    rows = _OPEN.fetch(tx, {"user_id": user_id, "limit": _limit(markets_max)})
    if markets_max is not None and len(rows) > markets_max:
        raise TooManyMarkets
    held = [HeldShares._make(row[:5]) for row in rows]
    values = holding_values(tx, held, now_ms=now_ms, markets_max=markets_max)
    return [
        ValuedPosition(market_id, side, shares, cost_kopecks, reserved_shares, *value)
        for (market_id, _, side, shares, _, cost_kopecks, reserved_shares), value in zip(rows, values, strict=True)
    ]


def values_kopecks(tx: ReadTx, holdings: Sequence[HeldShares], *, now_ms: int) -> list[int]:
    """Return what each holding is worth at `now_ms`, in the order given."""
    return [value.value_kopecks for value in holding_values(tx, holdings, now_ms=now_ms)]


def holding_values(
    tx: ReadTx, holdings: Sequence[HeldShares], *, now_ms: int, markets_max: int | None = None
) -> list[HoldingValue]:
    """Return each holding's value at `now_ms` in the order given: floor(shares · probability of its side).

    Where the pool's result is final, it is exactly what will be paid. Raises `TooManyMarkets` if the pools have more
    than `markets_max` markets.
    """
    if not holdings:
        return []
    rows = _PRICES.fetch(tx, {"ids": {holding.pool_id for holding in holdings}, "limit": _limit(markets_max)})
    if markets_max is not None and len(rows) > markets_max:
        raise TooManyMarkets
    pools_by_id: dict[int, _Pool] = {}
    outcomes: dict[int, int] = {}
    for pool_id, of_pool in itertools.groupby(rows, key=operator.itemgetter(0)):
        of_markets = list(of_pool)
        _, market_ids, q_yes, q_no, *_ = zip(*of_markets, strict=True)
        outcomes.update(zip(market_ids, itertools.count()))
        columns = _PoolColumns._make(of_markets[0][4:])
        pools_by_id[pool_id] = _Pool.of(columns, q_yes=q_yes, q_no=q_no, now_ms=now_ms)
    waiting = _unturned(tx, holdings, pools_by_id, outcomes)
    return [
        pools_by_id[pool_id].value(outcomes[market_id], _SIDES[side], shares)
        if position_id not in waiting
        else pools_by_id[pool_id].unturned_value(shares)
        for market_id, pool_id, side, shares, position_id in holdings
    ]


def _unturned(
    tx: ReadTx, holdings: Sequence[HeldShares], pools_by_id: Mapping[int, _Pool], outcomes: Mapping[int, int]
) -> set[int]:
    """Return the positions of Other that are still to be turned after a split: they are worth what both will be."""
    found: set[int] = set()
    if all(pool.last_split is None for pool in pools_by_id.values()):
        return found
    turned_for: set[int] = set()
    for held in holdings:
        pool = pools_by_id[held.pool_id]
        is_other = pool.last_split is not None and outcomes[held.market_id] == pool.other
        if is_other and pool.last_split is not None and held.position_id <= pool.last_split.last_position_id:
            found.add(held.position_id)
            turned_for.add(pool.last_split.market_id)
    if not found:
        return found
    turned = position_splits.c
    query = sa.select(turned.position_id).where(turned.market_id.in_(turned_for), turned.position_id.in_(found))
    return found - set(tx.execute(query).scalars())


class _PoolColumns(NamedTuple):
    """Columns of a pool that determine values; texts are JSON, in the row of its first market only."""

    b: int
    weights: str
    liquidity: str | None
    state: str
    disputable_until_ms: int | None
    resolution: str | None
    void_prices: str | None
    #: While positions of Other are to be turned.
    splits: str | None


class _Pool(NamedTuple):
    """The prices of a pool, and what its result pays, of which shares are worth as much once that is final."""

    #: After all trades; of a void at a moment's prices, that it pays, after those until then.
    market_maker: Lmsr
    paying: Lmsr
    resolution: Resolution | None
    is_final: bool
    #: While positions of Other are to be turned: the split, and Other's outcome.
    last_split: SplitStep | None = None
    other: int = 0

    @classmethod
    def of(cls, columns: _PoolColumns, *, q_yes: tuple[int, ...], q_no: tuple[int, ...], now_ms: int) -> Self:
        """Read a pool and its outstanding shares, a number for each market in outcome order."""
        until_ms = columns.disputable_until_ms
        is_final = columns.state == _RESOLVED or (until_ms is not None and until_ms <= now_ms)
        texts = (columns.weights, columns.liquidity)
        market_maker = paying = _market_maker(None, columns.b, texts, q_yes, q_no)
        resolution: Resolution | None = None
        if columns.resolution is not None:
            resolution = _resolution(columns.resolution, len(_weights(columns.weights)))
            if columns.void_prices is not None:
                then = msgspec.json.decode(columns.void_prices, type=PastTrades)
                paying = _market_maker(then, columns.b, texts, q_yes, q_no)
        pool = cls(market_maker, paying, resolution, is_final)
        if columns.splits is None:
            return pool
        splits = msgspec.json.decode(columns.splits, type=list[SplitStep])
        return pool._replace(last_split=splits[-1], other=len(q_yes) - len(splits) - 1)

    def value(self, outcome: int, side: Side, shares: int) -> HoldingValue:
        """Return what shares are worth."""
        if self.resolution is None:
            return HoldingValue(self.market_maker.value_kopecks(outcome, side, shares), None)
        decided_kopecks = self.resolution.payout_kopecks(self.paying, outcome, side, shares)
        if self.is_final:
            return HoldingValue(decided_kopecks, decided_kopecks)
        return HoldingValue(self.market_maker.value_kopecks(outcome, side, shares), decided_kopecks)

    def unturned_value(self, shares: int) -> HoldingValue:
        """Return what shares of Other are worth that are to be turned: what both will be."""
        assert self.last_split is not None
        both = (self.other, self.last_split.outcome_index)
        if self.resolution is None:
            return HoldingValue(self.market_maker.set_value_kopecks(both, shares), None)
        decided_kopecks = sum(
            self.resolution.payout_kopecks(self.paying, outcome, Side.YES, shares) for outcome in both
        )
        if self.is_final:
            return HoldingValue(decided_kopecks, decided_kopecks)
        return HoldingValue(self.market_maker.set_value_kopecks(both, shares), decided_kopecks)


_SIDES = {side.value: side for side in Side}
_RESOLVED = PoolState.RESOLVED.value
_OPEN = CompiledQuery(
    sa.select(
        positions.c.market_id,
        positions.c.pool_id,
        positions.c.side,
        positions.c.shares,
        positions.c.id,
        positions.c.cost_kopecks,
        positions.c.reserved_shares,
    )
    .where(positions.c.user_id == sa.bindparam("user_id"), positions.c.closed_at_ms.is_(None))
    .order_by(positions.c.id)
    .limit(sa.bindparam("limit"))
)
_FIRST_TEXTS: dict[str, sa.ColumnElement[str | None]] = {
    column.name: sa.case((markets.c.outcome_index == 0, sa.type_coerce(column, sa.Text)))
    for column in (pools.c.weights, pools.c.liquidity, pools.c.resolution, pools.c.void_prices)
}
_FIRST_TEXTS["splits"] = sa.case(
    (sa.and_(markets.c.outcome_index == 0, pools.c.turning), sa.type_coerce(pools.c.splits, sa.Text))
)
#: Columns that determine the values, one row per market, in the order of `_PoolColumns`.
_PRICES = CompiledQuery(
    sa.select(
        pools.c.id,
        markets.c.id,
        markets.c.q_yes,
        markets.c.q_no,
        *(_FIRST_TEXTS.get(name, pools.c[name]) for name in _PoolColumns._fields),
    )
    .join_from(pools, markets, markets.c.pool_id == pools.c.id)
    .where(in_array(pools.c.id))
    .order_by(markets.c.pool_id, markets.c.outcome_index)
    .limit(sa.bindparam("limit"))
)


def _limit(markets_max: int | None) -> int:
    """Return the row limit: one more than allowed shows that there are too many."""
    return INT64_MAX if markets_max is None else markets_max + 1


# Many hold shares of the same pools, and ask again before the next trade there.
@functools.lru_cache(maxsize=1024)
def _market_maker(
    then: PastTrades | None, b: int, texts: tuple[str, str | None], q_yes: tuple[int, ...], q_no: tuple[int, ...]
) -> Lmsr:
    weights, liquidity = texts
    steps = () if liquidity is None else _steps(liquidity)
    return market_maker_at(then, b=b, weights=_weights(weights), q_yes=q_yes, q_no=q_no, steps=steps)


# Fewer entries than of the weights: one holds up to 21 steps of 100 markets.
@functools.lru_cache(maxsize=256)
def _steps(text: str) -> tuple[LiquidityStep, ...]:
    return msgspec.json.decode(text, type=tuple[LiquidityStep, ...])


@functools.lru_cache(maxsize=1024)
def _resolution(text: str, outcomes: int) -> Resolution:
    return read_resolution(msgspec.json.decode(text), outcomes=outcomes)


@functools.lru_cache(maxsize=4096)
def _weights(text: str) -> tuple[int, ...]:
    return tuple(map(int, msgspec.json.decode(text, type=list[str])))
