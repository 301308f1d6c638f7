"""What a limit order's body says, cancelling, and orders and their fills as the facts that answers show."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypedDict

import sqlalchemy as sa

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.units import INT64_MAX
from foreknow.kernel.validation.fields import optional_utc_ms, wrong_field
from foreknow.money.pricing import SIDES, Side, average_price_bps
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.book import LOT_SHARES
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.kinds import Cancel
from foreknow.trading.desk.orders import OrderCancellation
from foreknow.trading.desk.tables import trades
from foreknow.trading.entry.order_schemas import (
    CANCELS_MAX,
    CancelOrders,
    CancelPartnerOrders,
    NewOrder,
    NewPartnerOrder,
)
from foreknow.trading.entry.routes import Voice
from foreknow.trading.limit_orders.lists import ListedOrder, list_orders, orders_by_ids
from foreknow.trading.limit_orders.order import PERCENT_BPS, LimitOrderRow, OrderEnd, TimeInForce

#: Fewest shares of an order that may rest.
RESTING_SHARES_MIN = 1_000


class LimitTerms(TypedDict):
    """What a body says of a limit order, as the order has it."""

    market_id: int
    side: Side
    is_buy: bool
    shares: int
    price_bps: int
    time_in_force: TimeInForce
    post_only: bool
    expires_at_ms: int | None


def limit_terms(body: NewOrder | NewPartnerOrder) -> LimitTerms:
    """Return the terms of an order; `BadRequest` names the field that is wrong by itself or beside another."""
    time_in_force = body.time_in_force or "gtc"
    if body.shares % LOT_SHARES:
        raise wrong_field("shares", f"must be whole lots of {LOT_SHARES}")
    if body.price_bps % PERCENT_BPS:
        raise wrong_field("price_bps", "must be a whole percent")
    if time_in_force == "gtc" and body.shares < RESTING_SHARES_MIN:
        raise wrong_field("shares", f"must be {RESTING_SHARES_MIN} or more of an order that may rest")
    if time_in_force != "gtc" and body.post_only:
        raise wrong_field("post_only", "goes with time_in_force gtc only")
    if time_in_force != "gtc" and body.expires_at is not None:
        raise wrong_field("expires_at", "goes with time_in_force gtc only")
    return LimitTerms(
        market_id=body.market_id,
        side=SIDES[body.side],
        is_buy=body.action == "buy",
        shares=body.shares,
        price_bps=body.price_bps,
        time_in_force=time_in_force,
        post_only=bool(body.post_only),
        expires_at_ms=optional_utc_ms("expires_at", body.expires_at),
    )


def orders_to_cancel(
    tx: ReadTx, body: CancelOrders | CancelPartnerOrders, voice: Voice, *, now_ms: int
) -> list[ListedOrder]:
    """Return the orders that a body names of those that `voice` is about, newest first.

    Up to `CANCELS_MAX` and one more, which tells that open ones are left. `BadRequest` unless it is one of four forms.
    """
    if sum(form is not None for form in (body.order_ids, body.market_id, body.pool_id, body.all)) != 1:
        raise BadRequest("Give exactly one of order_ids, market_id, pool_id and all.")
    if body.order_ids is not None:
        return [one for one in orders_by_ids(tx, set(body.order_ids), now_ms=now_ms) if voice.owns(one.order)]
    which = voice.orders(tx)
    if which is None:
        return []
    which = replace(which, market_id=body.market_id, pool_id=body.pool_id, status="open")
    return list_orders(tx, which, before_id=None, limit=CANCELS_MAX + 1, now_ms=now_ms)


async def cancel_all(desk: TradeDesk, voice: Voice, listed: Collection[ListedOrder]) -> list[OrderCancellation]:
    """Cancel orders, those of each pool at once; return what became of them, a pool each."""
    by_pool: dict[int, list[ListedOrder]] = {}
    for one in listed:
        by_pool.setdefault(one.order.pool_id, []).append(one)
    queued = [
        desk.cancel(
            Cancel(
                caller=voice.caller,
                market_id=of_pool[0].order.market_id,
                order_ids=tuple(one.id for one in of_pool),
                owners=tuple({one.owner.user_id: one.owner for one in of_pool}.values()),
            )
        )
        for of_pool in by_pool.values()
    ]
    results = await asyncio.gather(*queued, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


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


def order_facts(voice: Voice, order: LimitOrderRow, event_id: int, end: OrderEnd | None = None) -> dict[str, Any]:
    """Return what there is to show of an order of a pool of an event; `end` is one that is not written yet."""
    return {
        "order_id": order.id,
        **owner_facts(order),
        "event_id": event_id,
        "pool_id": order.pool_id,
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
        "pnl": None if order.is_buy else fill.pnl_kopecks,
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
