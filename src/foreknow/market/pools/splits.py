"""The outcomes that were taken out of a list's Other, as stored (docs/lists.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import msgspec
import sqlalchemy as sa

from foreknow.market.charts import ChartSplit
from foreknow.market.pools.tables import pools
from foreknow.money.pricing import SplitTerms
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx


class SplitStep(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One of them, as stored in `pools.splits`."""

    at_ms: int
    #: Of the new market.
    outcome_index: int
    market_id: int
    #: How much of Other it got, in hundredths.
    share_percent: int
    name: str
    name_ru: str
    #: The liquidity parameter then, kopecks.
    b: int
    #: What the house paid into escrow for it.
    subsidy_kopecks: int
    #: The new market's first price.
    probability: float
    #: YES shares outstanding of Other then, and so of the new market.
    q_yes: int
    #: The pool's trades before it: how many, and the id of the last.
    trades: int
    last_trade_id: int
    #: Positions of Other with ids up to this are turned.
    last_position_id: int

    @property
    def terms(self) -> SplitTerms:
        """What its price depends on."""
        return SplitTerms(self.b, self.share_percent)

    @property
    def charted(self) -> ChartSplit:
        """What charts need of it."""
        return ChartSplit(self.at_ms, self.outcome_index, self.share_percent / 100, self.probability)


class _ListedPool(Protocol):
    @property
    def metadata(self) -> Mapping[str, Any]: ...
    @property
    def splits(self) -> Sequence[SplitStep]: ...
    @property
    def markets(self) -> Sequence[object]: ...


def market_names_ru(pool: _ListedPool) -> list[str]:
    """Return the Russian name of each market, "" where none was sent."""
    sent = pool.metadata.get("market_names_ru")
    names = [name if isinstance(name, str) else "" for name in sent] if isinstance(sent, list) else []
    first = len(pool.markets) - len(pool.splits)
    names = [*names[:first], *[""] * (first - len(names))]
    return [*names, *(split.name_ru for split in pool.splits)]


def outcomes_at(splits: Sequence[SplitStep], outcomes: int, *, at_ms: int) -> int:
    """Return how many of a pool's `outcomes` it had at `at_ms`."""
    return outcomes - sum(split.at_ms > at_ms for split in splits)


def winner_then(winner: int, outcomes: int, other: int | None) -> int:
    """Return what the winner was part of while there were `outcomes`: what came later was Other's."""
    return winner if winner < outcomes or other is None else other


def last_splits(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, SplitStep]:
    """Return the last split of those lists that have one, by pool."""
    rows = _SPLITS.fetch(tx, {"ids": pool_ids})
    return {pool_id: msgspec.convert(splits[-1], SplitStep) for pool_id, splits in rows if splits}


_SPLITS = CompiledQuery(sa.select(pools.c.id, pools.c.splits).where(in_array(pools.c.id)))
