"""The fills of a limit order: its trades, newest first."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.kernel.units import INT64_MAX
from foreknow.money.pricing import average_price_bps
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.schemas import OrderFill
from foreknow.trading.order_entry.partner_order_schemas import PartnerOrderFill


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


def fill_view(row: FillRow) -> OrderFill:
    """Show a fill to the order's owner."""
    return OrderFill(**_fields(row), avg_price=_avg_price_bps(row))


def partner_fill_view(row: FillRow, order: LimitOrderRow) -> PartnerOrderFill:
    """Show a fill of an order to its owner's partner."""
    return PartnerOrderFill(
        **_fields(row),
        external_user_id=order.external_user_id or "",
        user_id=order.user_id,
        avg_price_bps=_avg_price_bps(row),
    )


def _avg_price_bps(row: FillRow) -> int:
    return average_price_bps(money_kopecks=row.amount_kopecks, shares=row.shares)


def _fields(row: FillRow) -> dict[str, Any]:
    return {
        "trade_id": row.id,
        "role": row.role,
        "shares": row.shares,
        "amount_kopecks": row.amount_kopecks,
        "fee_kopecks": row.fee_kopecks,
        "pnl": row.pnl_kopecks,
        "created_at": iso(row.created_at_ms),
    }


_FILLS = CompiledQuery(
    sa.select(*(trades.c[name] for name in FillRow._fields))
    .where(trades.c.order_id == sa.bindparam("order_id"), trades.c.id < sa.bindparam("before_id"))
    .order_by(trades.c.id.desc())
    .limit(sa.bindparam("limit"))
)
