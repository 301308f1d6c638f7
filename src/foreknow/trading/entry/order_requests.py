"""What a limit order's body says, and cancelling."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import TypedDict

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import optional_utc_ms, wrong_field
from foreknow.money.pricing import SIDES, Side
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.book import LOT_SHARES
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.kinds import Cancel
from foreknow.trading.desk.orders import OrderCancellation
from foreknow.trading.entry.order_schemas import (
    CANCELS_MAX,
    CancelOrders,
    CancelPartnerOrders,
    NewOrder,
    NewPartnerOrder,
)
from foreknow.trading.entry.voices import Voice
from foreknow.trading.limit_orders.lists import ListedOrder, list_orders, orders_by_ids
from foreknow.trading.limit_orders.order import PERCENT_BPS, TimeInForce

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
