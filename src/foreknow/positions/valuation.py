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
from foreknow.pools.liquidity import LiquidityStep, market_maker
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
    """An open position and its value: floor(shares · probability of its side)."""

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


def valued_positions(tx: ReadTx, user_id: int, *, markets_max: int | None = None) -> list[ValuedPosition]:
    """Return all open positions of a user or sub-account in id order.

    Raises `TooManyMarkets` if they, or the markets of their pools, are more than `markets_max`.
    """
    rows = _OPEN.fetch(tx, {"user_id": user_id, "limit": _limit(markets_max)})
    if markets_max is not None and len(rows) > markets_max:
        raise TooManyMarkets
    values = values_kopecks(tx, [Holding(*row[:4]) for row in rows], markets_max=markets_max)
    return [
        ValuedPosition(market_id, side, shares, cost_kopecks, value)
        for (market_id, _, side, shares, cost_kopecks), value in zip(rows, values, strict=True)
    ]


def values_kopecks(tx: ReadTx, holdings: Sequence[Holding], *, markets_max: int | None = None) -> list[int]:
    """Return each holding's current value in the order given: floor(shares · probability of its side).

    Raises `TooManyMarkets` if the pools have more than `markets_max` markets.
    """
    if not holdings:
        return []
    market_makers: dict[int, _MarketMaker] = {}
    outcomes: dict[int, int] = {}
    rows = _PRICES.fetch(tx, {"ids": {holding.pool_id for holding in holdings}, "limit": _limit(markets_max)})
    if markets_max is not None and len(rows) > markets_max:
        raise TooManyMarkets
    for pool_id, market_id, q_yes, q_no, b, weights, liquidity in rows:
        if weights is not None:
            market_makers[pool_id] = _MarketMaker(b, weights, liquidity)
        outcomes[market_id] = market_makers[pool_id].add(q_yes, q_no)
    return [
        market_makers[pool_id].lmsr.value_kopecks(outcomes[market_id], _SIDES[side], shares)
        for market_id, pool_id, side, shares in holdings
    ]


class _MarketMaker:
    """A pool's market maker, built from the rows of its markets in outcome order."""

    __slots__ = ("_b", "_liquidity", "_lmsr", "_q_no", "_q_yes", "_weights")

    def __init__(self, b: int, weights: str, liquidity: str | None) -> None:
        self._b, self._weights, self._liquidity = b, weights, liquidity
        self._q_yes: list[int] = []
        self._q_no: list[int] = []
        self._lmsr: Lmsr | None = None

    def add(self, q_yes: int, q_no: int) -> int:
        """Add the next market and return its outcome index."""
        self._q_yes.append(q_yes)
        self._q_no.append(q_no)
        return len(self._q_yes) - 1

    @property
    def lmsr(self) -> Lmsr:
        """The market maker, once all markets are added."""
        if self._lmsr is None:
            self._lmsr = market_maker(
                b=self._b,
                weights=_weights(self._weights),
                q_yes=self._q_yes,
                q_no=self._q_no,
                steps=() if self._liquidity is None else _steps(self._liquidity),
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
#: Columns that determine the prices, one row per market. Weights and liquidity come as JSON text, in a pool's first row
#: only.
_PRICES = CompiledQuery(
    lambda _dialect: (
        sa.select(
            pools.c.id,
            markets.c.id,
            markets.c.q_yes,
            markets.c.q_no,
            pools.c.b,
            sa.case((markets.c.outcome_index == 0, sa.type_coerce(pools.c.weights, sa.Text))),
            sa.case((markets.c.outcome_index == 0, sa.type_coerce(pools.c.liquidity, sa.Text))),
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
