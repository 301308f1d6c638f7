"""The current value of open positions.

Loading whole rows of a hundred positions and pools would cost several times as much as the columns that set prices.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from foreknow.db.bulk import CompiledQuery, in_array
from foreknow.db.transactions import ReadTx
from foreknow.kernel.units import INT64_MAX
from foreknow.markets.tables import markets
from foreknow.pools.liquidity import LiquidityStep, PastTrades, market_maker_at
from foreknow.pools.resolutions import Resolution, read_resolution
from foreknow.pools.store import PoolState
from foreknow.pools.tables import pools
from foreknow.positions.tables import positions
from foreknow.pricing import Lmsr, Side


class Holding(NamedTuple):
    """Shares of one side of one market."""

    market_id: int
    pool_id: int
    #: YES or NO
    side: str
    shares: int


class ValuedPosition(NamedTuple):
    """An open position and its value: floor(shares · probability of its side), or what it will be paid."""

    market_id: int
    #: YES or NO
    side: str
    shares: int
    cost_kopecks: int
    value_kopecks: int


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
    values = values_kopecks(tx, [Holding(*row[:4]) for row in rows], now_ms=now_ms, markets_max=markets_max)
    return [
        ValuedPosition(market_id, side, shares, cost_kopecks, value)
        for (market_id, _, side, shares, cost_kopecks), value in zip(rows, values, strict=True)
    ]


def values_kopecks(
    tx: ReadTx, holdings: Sequence[Holding], *, now_ms: int, markets_max: int | None = None
) -> list[int]:
    """Return each holding's value at `now_ms` in the order given: floor(shares · probability of its side).

    Where the pool's result is final, it is exactly what will be paid. Raises `TooManyMarkets` if the pools have more
    than `markets_max` markets.
    """
    if not holdings:
        return []
    pools_by_id: dict[int, _Pool] = {}
    outcomes: dict[int, int] = {}
    rows = _PRICES.fetch(tx, {"ids": {holding.pool_id for holding in holdings}, "limit": _limit(markets_max)})
    if markets_max is not None and len(rows) > markets_max:
        raise TooManyMarkets
    for pool_id, market_id, q_yes, q_no, *rest in rows:
        terms = _Terms(*rest)
        if terms.weights is not None:
            pools_by_id[pool_id] = _Pool(terms, now_ms)
        outcomes[market_id] = pools_by_id[pool_id].add(q_yes, q_no)
    return [
        pools_by_id[pool_id].value_kopecks(outcomes[market_id], _SIDES[side], shares)
        for market_id, pool_id, side, shares in holdings
    ]


class _Terms(NamedTuple):
    """Columns of a pool that determine values; texts are JSON, in the row of its first market only."""

    b: int
    weights: str | None
    liquidity: str | None
    state: str
    disputable_until_ms: int | None
    resolution: str | None
    void_prices: str | None


class _Pool:
    """A pool's prices or payouts, built from the rows of its markets in outcome order."""

    __slots__ = ("_lmsr", "_q_no", "_q_yes", "_resolution", "_terms")

    def __init__(self, terms: _Terms, now_ms: int) -> None:
        self._terms = terms
        self._q_yes: list[int] = []
        self._q_no: list[int] = []
        self._lmsr: Lmsr | None = None
        self._resolution: Resolution | None = None
        until_ms = terms.disputable_until_ms
        is_resolved = terms.state == PoolState.RESOLVED.value or (until_ms is not None and until_ms <= now_ms)
        if is_resolved and terms.resolution is not None:
            requested = msgspec.json.decode(terms.resolution)
            self._resolution = read_resolution(requested, outcomes=len(self._weights))

    def add(self, q_yes: int, q_no: int) -> int:
        """Add the next market and return its outcome index."""
        self._q_yes.append(q_yes)
        self._q_no.append(q_no)
        return len(self._q_yes) - 1

    def value_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return what shares are worth, once all markets are added."""
        if self._resolution is not None:
            return self._resolution.payout_kopecks(self._market_maker, outcome, side, shares)
        return self._market_maker.value_kopecks(outcome, side, shares)

    @property
    def _weights(self) -> tuple[int, ...]:
        assert self._terms.weights is not None
        return _weights(self._terms.weights)

    @property
    def _market_maker(self) -> Lmsr:
        if self._lmsr is None:
            terms = self._terms
            steps = () if terms.liquidity is None else _steps(terms.liquidity)
            then: PastTrades | None = None
            if self._resolution is not None and terms.void_prices is not None:
                then = msgspec.json.decode(terms.void_prices, type=PastTrades)
            self._lmsr = market_maker_at(
                then, b=terms.b, weights=self._weights, q_yes=self._q_yes, q_no=self._q_no, steps=steps
            )
        return self._lmsr


_SIDES = {side.value: side for side in Side}
_OPEN = CompiledQuery(
    lambda _dialect: (
        sa.select(
            positions.c.market_id, positions.c.pool_id, positions.c.side, positions.c.shares, positions.c.cost_kopecks
        )
        .where(positions.c.user_id == sa.bindparam("user_id"), positions.c.closed_at_ms.is_(None))
        .order_by(positions.c.id)
        .limit(sa.bindparam("limit"))
    )
)
_FIRST_TEXTS = {
    column.name: sa.case((markets.c.outcome_index == 0, sa.type_coerce(column, sa.Text)))
    for column in (pools.c.weights, pools.c.liquidity, pools.c.resolution, pools.c.void_prices)
}
#: Columns that determine the values, one row per market, in the order of `_Terms`.
_PRICES = CompiledQuery(
    lambda _dialect: (
        sa.select(
            pools.c.id,
            markets.c.id,
            markets.c.q_yes,
            markets.c.q_no,
            *(_FIRST_TEXTS.get(name, pools.c[name]) for name in _Terms._fields),
        )
        .join_from(pools, markets, markets.c.pool_id == pools.c.id)
        .where(in_array(pools.c.id))
        .order_by(markets.c.pool_id, markets.c.outcome_index)
        .limit(sa.bindparam("limit"))
    )
)


def _limit(markets_max: int | None) -> int:
    """Return the row limit: one more than allowed shows that there are too many."""
    return INT64_MAX if markets_max is None else markets_max + 1


# Fewer entries than of the weights: one holds up to 21 steps of 100 markets.
@functools.lru_cache(maxsize=256)
def _steps(text: str) -> tuple[LiquidityStep, ...]:
    return msgspec.json.decode(text, type=tuple[LiquidityStep, ...])


@functools.lru_cache(maxsize=4096)
def _weights(text: str) -> tuple[int, ...]:
    return tuple(map(int, msgspec.json.decode(text, type=list[str])))
