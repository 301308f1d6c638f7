"""What trades did in each market: a basket's trade has legs, any other is one itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.market.markets.tables import markets
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trade_legs, trades


class TradedLeg(NamedTuple):
    """What a basket's trade did in one market."""

    market_id: int
    outcome_index: int
    name: str
    #: `stake`, `back` or `change` (`trade_legs.kind`).
    kind: str
    shares: int
    amount_kopecks: int


def legs_of(tx: ReadTx, trade_ids: Collection[int]) -> Mapping[int, Sequence[TradedLeg]]:
    """Return the legs of those trades that are baskets', in the order of outcomes."""
    legs: dict[int, list[TradedLeg]] = defaultdict(list)
    for trade_id, *leg in _LEGS.fetch(tx, {"ids": trade_ids}) if trade_ids else ():
        legs[trade_id].append(TradedLeg(*leg))
    return legs


_OF_LEGS = ("market_id", "position_id", "shares", "amount_kopecks", "pnl_kopecks")


def traded_legs(*names: str, where: sa.ColumnElement[bool], source: sa.FromClause = trades) -> sa.Subquery:
    """Return columns of trades, market by market, for those trades of `source` for which a condition holds.

    `source` joins `trades` with what the condition or further columns need.
    """
    of_trades = [_column(name) for name in names]
    of_legs = [trade_legs.c[name] if name in _OF_LEGS else _column(name) for name in names]
    single = sa.select(*of_trades).select_from(source).where(trades.c.basket_id.is_(None), where)
    rows = source.join(trade_legs, trade_legs.c.trade_id == trades.c.id)
    parts = sa.select(*of_legs).select_from(rows).where(trades.c.basket_id.is_not(None), where)
    return single.union_all(parts).subquery("legs")


def _column(name: str) -> sa.ColumnElement[Any]:
    return trades.c[name]


_LEGS = CompiledQuery(
    sa.select(
        trade_legs.c.trade_id,
        trade_legs.c.market_id,
        markets.c.outcome_index,
        markets.c.name,
        trade_legs.c.kind,
        trade_legs.c.shares,
        trade_legs.c.amount_kopecks,
    )
    .join_from(trade_legs, markets, markets.c.id == trade_legs.c.market_id)
    .where(in_array(trade_legs.c.trade_id))
    .order_by(trade_legs.c.trade_id, markets.c.outcome_index)
)
