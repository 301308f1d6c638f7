"""What trades did in each market: a basket's trade has legs, any other is one itself."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from foreknow.trading.desk.tables import trade_legs, trades

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
