"""What a transaction does for resting orders under the locks of their pools, and mostly of their owners' accounts.

It ends orders, pays what is owed, and does what a fill may not do for the owner of the order that it met: the profit
chart, the notice, the count of who traded that day. Pools are locked first, then all owners' accounts at once, so that
two that cross each other wait and never deadlock. What an account that was deleted gets goes on to the house.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from foreknow.kernel.clock import DAY_MS
from foreknow.market import charts
from foreknow.market.charts import PnlChange
from foreknow.market.events.store import load_events
from foreknow.market.pools.store import PoolRow, PricedPool, load_pools
from foreknow.money import statements, stats
from foreknow.money.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind, account_ids, accounts_of_fetch
from foreknow.money.pricing import Side
from foreknow.money.statements import StatementLine
from foreknow.people import notifications
from foreknow.people.notifications import NewNotifications
from foreknow.people.notifications.kinds.own import OrderFilled, OrdersEnded
from foreknow.people.users.store import deleted_among
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.effects.paying import line_of, paying
from foreknow.trading.limit_orders import due
from foreknow.trading.limit_orders.due import StoredDue
from foreknow.trading.limit_orders.levels import LevelChanges
from foreknow.trading.limit_orders.order import LimitOrderRow, OrderEnd, PoolEnds, end_of
from foreknow.trading.limit_orders.store import (
    FoundOrder,
    OrderDue,
    open_orders_of_market,
    orders_fetch,
    write_dues,
    write_orders,
)
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.position import OpenPosition
from foreknow.trading.positions.store import PositionKey


class OrderEffects:
    """What ends of orders, and payments for them, change beside the orders' own rows."""

    def __init__(self) -> None:
        """Begin with no change."""
        #: Shares that came to rest, and that fills and ends have taken.
        self.levels = LevelChanges()
        #: Positions whose shares came to be reserved, or free.
        self.positions: list[OpenPosition] = []
        #: By partner: what orders of its users hold more than before.
        self.held_kopecks: dict[int, int] = {}
        #: Of partners' statements, in their order.
        self.lines: list[StatementLine] = []

    def end_order(self, row: LimitOrderRow, end: OrderEnd, position: OpenPosition | None) -> None:
        """End an open order: what it holds is owed, and the shares of `position` that it offers are free."""
        if row.reserved_shares:
            assert position is not None
            self.reserve(position, -row.reserved_shares)
        self.levels.add(row, -row.rest_shares)
        row.end(end.status, end.reason, at_ms=end.at_ms)

    def pay_for(
        self, ledger_tx: LedgerTransaction, row: LimitOrderRow, *, source: int, target: int, at_ms: int
    ) -> bool:
        """Pay what is owed for an order from its pool's order account to its owner's; return whether anything was."""
        owed_kopecks = row.pay_out()
        if not owed_kopecks:
            return False
        transfer = Transfer(
            kind=TransferKind.ORDER_RETURN, source=source, target=target, amount_kopecks=owed_kopecks, order_id=row.id
        )
        # What is held is paid whatever a balance may hold.
        ledger_tx.transfer(transfer, over_limit=True)
        self.hold(row, -owed_kopecks)
        self.add_line(row, "order_return", at_ms=at_ms, balance_change_kopecks=owed_kopecks)
        return True

    def reserve(self, position: OpenPosition, shares: int) -> None:
        """Reserve shares of a position for orders, or free some (below 0)."""
        position.reserved_shares += shares
        assert 0 <= position.reserved_shares <= position.shares
        self.positions.append(position)

    def hold(self, row: LimitOrderRow, kopecks: int) -> None:
        """Note that an order holds more than before, or less (below 0)."""
        if row.partner_id is not None:
            self.held_kopecks[row.partner_id] = self.held_kopecks.get(row.partner_id, 0) + kopecks

    def add_line(
        self,
        row: LimitOrderRow,
        kind: Literal["order", "order_return"],
        *,
        at_ms: int,
        float_change_kopecks: int = 0,
        balance_change_kopecks: int,
    ) -> None:
        """Add the line of an order to the statement of its user's partner, if it has one."""
        if row.partner_id is not None:
            line = line_of(
                row,
                kind,
                at_ms=at_ms,
                market_id=row.market_id,
                order_id=row.id,
                float_change_kopecks=float_change_kopecks,
                balance_change_kopecks=balance_change_kopecks,
            )
            self.lines.append(line)


#: Ends of which a person is notified, once a pool: those that end all their orders there.
_NOTICED = frozenset({"closed", "resolved", "split"})


@dataclass(frozen=True, slots=True)
class EndedOrder:
    """An open order, and how it ends."""

    found: FoundOrder
    end: OrderEnd


def settle_orders(
    tx: WriteTx,
    pools: Mapping[int, PricedPool],
    *,
    ended: Sequence[EndedOrder] = (),
    dues: Sequence[StoredDue] = (),
) -> None:
    """End open orders and do what is due, all of locked pools; `ended` has all of a trader's orders that end at once.

    What is paid ignores the balance limit.
    """
    orders = {one.found.order.id: one.found.order for one in ended}
    others = {stored.due.order_id for stored in dues} - orders.keys()
    orders.update((found.order.id, found.order) for found, _ in orders_fetch(others).fetch(tx))
    owners = account_ids(tx, kind=AccountKind.USER, owner_ids={order.user_id for order in orders.values()})
    not_before_ms = max((pool.last_trade_at_ms or 0 for pool in pools.values()), default=0)
    with paying(tx, owners, not_before_ms=not_before_ms) as payment:
        accounts = accounts_of_fetch(AccountKind.ORDERS, pools.keys()).fetch(tx)
        # Their pools' locks protect them.
        payment.ledger_tx.hold(accounts.values())
        effects = _Effects(payment.at_ms, payment.deleted_ids)
        for one in ended:
            effects.end(one)
        for order in orders.values():
            source, target = accounts[order.pool_id][0], owners[order.user_id]
            effects.pay_for(payment.ledger_tx, order, source=source, target=target, at_ms=payment.at_ms)
        for stored in dues:
            effects.complete(stored, orders[stored.due.order_id])
    write_orders(tx, new=[], changed=list(orders.values()))
    positions.write(tx, list(effects.freed.values()))
    effects.write(tx, pools)
    payment.write(tx)


def end_orders_on(tx: WriteTx, pool: PoolRow, market_id: int, *, at_ms: int) -> None:
    """End the open orders of a list's Other in a locked pool, out of which an outcome was taken.

    All at once, with the split; each owner gets one notice. What they held is left in `order_dues`, and is paid within
    seconds; shares that they reserved are free at once. The pool itself goes on.
    """
    found = open_orders_of_market(tx, market_id) if pool.open_orders else []
    if not found:
        return
    ends = PoolEnds(pool.finish_at_ms, None)
    # Who gets no notification is looked up below, of those alone who would.
    effects = _Effects(at_ms, ())
    for one in found:
        end = end_of(one.order, ends, now_ms=at_ms) or OrderEnd(at_ms, "cancelled", "split")
        effects.end(EndedOrder(one, end))
    orders = [order for order, _ in found]
    write_orders(tx, new=[], changed=orders)
    positions.write(tx, list(effects.freed.values()))
    write_dues(tx, [OrderDue.of_end(order, at_ms=at_ms) for order in orders if order.owed_kopecks])
    effects.deleted_ids = deleted_among(tx, {user_id for _, user_id in effects.ended})
    effects.write(tx, {pool.id: pool})


class _Effects(OrderEffects):
    """What follows from it, written after the accounts' locks."""

    def __init__(self, at_ms: int, deleted_ids: Collection[int]) -> None:
        """`deleted_ids`: who gets no notifications, as their accounts were deleted."""
        super().__init__()
        self._at_ms, self.deleted_ids = at_ms, deleted_ids
        #: Positions that orders have offered shares of, each once.
        self.freed: dict[PositionKey, OpenPosition] = {}
        #: By pool and trader: how many orders ended with their pool.
        self.ended: Counter[tuple[int, int]] = Counter()
        self._done_ids: list[int] = []
        self._pnl: list[PnlChange] = []
        #: User id → the newest day of a fill.
        self._days: dict[int, int] = {}
        self._filled: list[LimitOrderRow] = []
        #: By pool: how many orders ended.
        self._left: Counter[int] = Counter()

    def end(self, one: EndedOrder) -> None:
        """End an open order and free the shares that it offers."""
        order, held = one.found.order, one.found.position
        self.end_order(order, one.end, None if held is None else self.freed.setdefault(held.key, held))
        self._left[order.pool_id] += 1
        if one.end.reason in _NOTICED and order.partner_id is None:
            self.ended[order.pool_id, order.user_id] += 1

    def complete(self, stored: StoredDue, order: LimitOrderRow) -> None:
        """Do what else a fill, or an end, has left to be done."""
        self._done_ids.append(stored.id)
        one = stored.due
        if one.trade_id is None:
            return
        day = one.created_at_ms // DAY_MS
        self._days[one.user_id] = max(day, self._days.get(one.user_id, day))
        if one.pnl_kopecks is not None:
            self._pnl.append(
                PnlChange(user_id=one.user_id, pnl_kopecks=one.pnl_kopecks, at_ms=self._at_ms, closed=one.closes)
            )
        if one.completes and order.partner_id is None and order.user_id not in self.deleted_ids:
            self._filled.append(order)

    def write(self, tx: WriteTx, pools: Mapping[int, PricedPool]) -> None:
        """Write everything, what all share last."""
        due.delete_dues(tx, self._done_ids)
        self.levels.write(tx)
        due.note_ended(tx, [(pools[pool_id].open_orders - count, pool_id) for pool_id, count in self._left.items()])
        charts.record_pnl(tx, self._pnl)
        self._notify(tx)
        statements.record(tx, self.lines, self.held_kopecks)
        stats.record_traders(tx, self._days)

    def _notify(self, tx: WriteTx) -> None:
        pool_ids = {order.pool_id for order in self._filled} | {pool_id for pool_id, _ in self.ended}
        if not pool_ids:
            return
        pools = load_pools(tx, pool_ids)
        events = load_events(tx, {pool.event_id for pool in pools.values()})
        new = {event_id: NewNotifications(event, at_ms=self._at_ms) for event_id, event in events.items()}
        for order in self._filled:
            pool = pools[order.pool_id]
            filled = OrderFilled(
                pool_name=pool.name,
                pool_name_ru=pool.name_ru,
                market_name=_market_name(pool, order.market_id),
                token_type=Side(order.side),
                action=order.action,
                shares=order.shares,
                amount_kopecks=order.amount_kopecks,
            )
            new[pool.event_id].add(order.user_id, filled, happened_at_ms=order.updated_at_ms)
        for (pool_id, user_id), count in self.ended.items():
            if user_id in self.deleted_ids:
                continue
            pool = pools[pool_id]
            ended = OrdersEnded(pool_name=pool.name, pool_name_ru=pool.name_ru, order_count=count)
            new[pool.event_id].add(user_id, ended)
        notifications.record(tx, [one for added in new.values() for one in added])


def _market_name(pool: PoolRow, market_id: int) -> str:
    return next(market.name for market in pool.markets if market.id == market_id)
