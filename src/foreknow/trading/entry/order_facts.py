"""Limit orders and their fills as answers show them: the facts of which each body takes those that it declares."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.units import INT64_MAX
from foreknow.money.pricing import average_price_bps
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.entry.voices import Voice
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.status import OrderEnd


class FillRow(NamedTuple):
    """A trade of a limit order."""

    id: int
    role: Literal["taker", "maker"]
    shares: int
    amount_kopecks: int
    fee_kopecks: int
    pnl_kopecks: int
    created_at_ms: int


def fills_of(tx: ReadTx, order_id: int, *, before_id: int | None, limit: int) -> list[FillRow]:
    """Return an order's newest fills, with ids under `before_id` if given."""
    bounds = {"order_id": order_id, "before_id": INT64_MAX if before_id is None else before_id, "limit": limit}
    return [FillRow(*row) for row in _FILLS.fetch(tx, bounds)]


def order_facts(voice: Voice, order: LimitOrderRow, end: OrderEnd | None = None) -> dict[str, Any]:
    """Return what there is to show of an order; `end` is one that is not written yet."""
    return {
        "order_id": order.id,
        **owner_facts(order),
        "market_id": order.market_id,
        "side": voice.side(order.side),
        "action": order.action,
        "price_bps": order.price_bps,
        "shares": order.shares,
        "filled_shares": order.filled_shares,
        "time_in_force": order.time_in_force,
        "post_only": order.post_only,
        "expires_at": iso_or_none(order.expires_at_ms),
        "status": order.status if end is None else end.status,
        "reason": order.reason if end is None else end.reason,
        "amount_kopecks": order.amount_kopecks,
        "fee_kopecks": order.fee_kopecks,
        "avg_price_bps": _avg_price_bps(order.amount_kopecks, order.filled_shares) if order.filled_shares else None,
        "held_kopecks": order.held_kopecks,
        "created_at": iso(order.created_at_ms),
        "updated_at": iso(order.updated_at_ms if end is None else end.at_ms),
    }


def fill_facts(fill: FillRow, order: LimitOrderRow) -> dict[str, Any]:
    """Return what there is to show of a fill of an order."""
    return {
        "trade_id": fill.id,
        **owner_facts(order),
        "role": fill.role,
        "shares": fill.shares,
        "amount_kopecks": fill.amount_kopecks,
        "fee_kopecks": fill.fee_kopecks,
        "avg_price_bps": _avg_price_bps(fill.amount_kopecks, fill.shares),
        "pnl": fill.pnl_kopecks,
        "created_at": iso(fill.created_at_ms),
    }


def owner_facts(order: LimitOrderRow) -> dict[str, Any]:
    """Return whose an order is, as partners see it."""
    return {"external_user_id": order.external_user_id, "user_id": order.user_id}


def _avg_price_bps(money_kopecks: int, shares: int) -> int:
    return average_price_bps(money_kopecks=money_kopecks, shares=shares)


_FILLS = CompiledQuery(
    lambda _dialect: (
        sa.select(*(trades.c[name] for name in FillRow._fields))
        .where(trades.c.order_id == sa.bindparam("order_id"), trades.c.id < sa.bindparam("before_id"))
        .order_by(trades.c.id.desc())
        .limit(sa.bindparam("limit"))
    )
)
