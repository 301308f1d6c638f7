"""Resting orders on a list's Other end when an outcome is taken out of it: all of them at once, with the split.

What they held is left in `order_dues`, and is paid within seconds; shares that they reserved are free at once.
"""

from __future__ import annotations

from collections import Counter

from foreknow.kernel.currency import ROUBLES, Currency
from foreknow.market.events.store import load_events
from foreknow.market.pools.store import PoolRow
from foreknow.people import notifications
from foreknow.people.notifications import NewNotifications
from foreknow.people.users.store import deleted_among
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.limit_orders import due
from foreknow.trading.limit_orders.levels import LevelChanges
from foreknow.trading.limit_orders.status import OrderEnd, PoolEnds, end_of
from foreknow.trading.limit_orders.store import OrderDue, open_orders_of_market, write_dues, write_orders
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.position import OpenPosition
from foreknow.trading.positions.store import PositionKey


def end_orders_on(tx: WriteTx, pool: PoolRow, market_id: int, *, at_ms: int, currency: Currency = ROUBLES) -> None:
    """End the open orders of a market of a locked pool, which itself goes on; each owner gets one notice."""
    if not pool.open_orders:
        return
    found = open_orders_of_market(tx, market_id)
    if not found:
        return
    ends = PoolEnds(pool.finish_at_ms, None)
    freed: dict[PositionKey, OpenPosition] = {}
    ended: Counter[int] = Counter()
    levels = LevelChanges()
    for order, held in found:
        if order.reserved_shares:
            assert held is not None
            position = freed.setdefault(held.key, held)
            position.reserved_shares -= order.reserved_shares
        levels.add(order, -order.rest_shares)
        end = end_of(order, ends, now_ms=at_ms) or OrderEnd(at_ms, "cancelled", "split")
        order.end(end.status, end.reason, at_ms=end.at_ms)
        if end.reason == "split" and order.partner_id is None:
            ended[order.user_id] += 1
    orders = [order for order, _ in found]
    write_orders(tx, new=[], changed=orders)
    levels.write(tx)
    positions.write(tx, list(freed.values()))
    dues = [
        OrderDue(order.pool_id, order.id, order.user_id, None, None, False, False, created_at_ms=at_ms)
        for order in orders
        if order.owed_kopecks
    ]
    write_dues(tx, dues)
    due.note_ended(tx, [(pool.open_orders - len(orders), pool.id)])
    _notify(tx, pool, ended, at_ms=at_ms, currency=currency)


def _notify(tx: WriteTx, pool: PoolRow, ended: Counter[int], *, at_ms: int, currency: Currency) -> None:
    if not ended:
        return
    notices = NewNotifications(load_events(tx, [pool.event_id])[pool.event_id], at_ms=at_ms, currency=currency)
    deleted_ids = deleted_among(tx, ended)
    for user_id, count in ended.items():
        if user_id not in deleted_ids:
            notices.add("orders_ended", user_id, pool_name=pool.name, pool_name_ru=pool.name_ru, order_count=count)
    notifications.record(tx, notices)
