"""What a transaction does for resting orders under the locks of their pools and their owners' accounts.

It ends orders, pays what is owed, and does what a fill may not do for the owner of the order that it met: the profit
chart, the notice, the count of who traded that day. Pools are locked first, then all owners' accounts at once, so that
two that cross each other wait and never deadlock. What an account that was deleted gets goes on to the house.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.currency import ROUBLES, Currency
from foreknow.market import charts
from foreknow.market.charts import PnlChange
from foreknow.market.events.store import load_events
from foreknow.market.pools.store import PoolRow, PricedPool, load_pools
from foreknow.money import statements, stats
from foreknow.money.ledger import (
    AccountKind,
    LedgerTransaction,
    Transfer,
    TransferKind,
    account_ids,
    accounts_of_fetch,
    forfeit,
    house_account,
)
from foreknow.money.statements import StatementLine
from foreknow.people import notifications
from foreknow.people.notifications import NewNotifications
from foreknow.people.users.store import deleted_among
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.limit_orders import due
from foreknow.trading.limit_orders.due import StoredDue
from foreknow.trading.limit_orders.levels import LevelChanges
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.status import OrderEnd
from foreknow.trading.limit_orders.store import FoundOrder, orders_fetch, write_orders
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.position import OpenPosition
from foreknow.trading.positions.store import PositionKey

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
    currency: Currency = ROUBLES,
) -> None:
    """End open orders and do what is due, all of locked pools; `ended` has all of a trader's orders that end at once.

    What is paid ignores the balance limit. `currency`: that of notifications.
    """
    orders = {one.found.order.id: one.found.order for one in ended}
    others = {stored.due.order_id for stored in dues} - orders.keys()
    orders.update((found.order.id, found.order) for found, _ in orders_fetch(others).fetch(tx))
    owner_ids = {order.user_id for order in orders.values()}
    owners = account_ids(tx, kind=AccountKind.USER, owner_ids=owner_ids)
    deleted_ids = deleted_among(tx, owner_ids)
    with LedgerTransaction(tx) as ledger_tx:
        house = house_account(tx) if deleted_ids else None
        ledger_tx.lock({*owners.values(), *([] if house is None else [house])})
        # Again: a deletion locks the account first. Should this late lock deadlock, the transaction runs again.
        deleted_ids = deleted_among(tx, owner_ids)
        if deleted_ids and house is None:
            house = house_account(tx)
            ledger_tx.lock([house])
        accounts = accounts_of_fetch(AccountKind.ORDERS, pools.keys()).fetch(tx)
        # Their pools' locks protect them.
        ledger_tx.hold(accounts.values())
        at_ms = max(now_ms(tx), *(pool.last_trade_at_ms or 0 for pool in pools.values()), 0)
        effects = _Effects(at_ms, currency, deleted_ids)
        for one in ended:
            effects.end(one)
        for order in orders.values():
            owed_kopecks = order.pay_out()
            if owed_kopecks:
                transfer = Transfer(
                    kind=TransferKind.ORDER_RETURN,
                    source=accounts[order.pool_id][0],
                    target=owners[order.user_id],
                    amount_kopecks=owed_kopecks,
                    order_id=order.id,
                )
                ledger_tx.transfer(transfer, over_limit=True)
                effects.pay(order, owed_kopecks)
        for stored in dues:
            effects.complete(stored, orders[stored.due.order_id])
        if house is not None:
            effects.forfeited_kopecks = sum(forfeit(ledger_tx, owners[user_id], house=house) for user_id in deleted_ids)
        ledger_tx.post(at_ms=at_ms)
    write_orders(tx, new=[], changed=list(orders.values()))
    positions.write(tx, list(effects.positions.values()))
    effects.write(tx, pools)


@dataclass(slots=True)
class _Effects:
    """What follows from it, written after the accounts' locks."""

    at_ms: int
    currency: Currency
    #: Who gets no notifications: their accounts were deleted.
    deleted_ids: Collection[int]
    forfeited_kopecks: int = 0
    #: Positions of which shares are free again.
    positions: dict[PositionKey, OpenPosition] = field(default_factory=dict)
    done_ids: list[int] = field(default_factory=list)
    pnl: list[PnlChange] = field(default_factory=list)
    lines: list[StatementLine] = field(default_factory=list)
    held_kopecks: dict[int, int] = field(default_factory=dict)
    #: User id → the newest day of a fill.
    days: dict[int, int] = field(default_factory=dict)
    filled: list[LimitOrderRow] = field(default_factory=list)
    #: By pool and trader: how many orders ended with their pool.
    ended: dict[tuple[int, int], int] = field(default_factory=dict)
    #: By pool: how many orders ended.
    left: dict[int, int] = field(default_factory=dict)
    levels: LevelChanges = field(default_factory=LevelChanges)

    def end(self, one: EndedOrder) -> None:
        """End an open order and free the shares that it offers."""
        order, end = one.found.order, one.end
        if order.reserved_shares:
            held = one.found.position
            assert held is not None
            position = self.positions.setdefault(held.key, held)
            position.reserved_shares -= order.reserved_shares
            assert position.reserved_shares >= 0
        self.levels.add(order, -order.rest_shares)
        order.end(end.status, end.reason, at_ms=end.at_ms)
        self.left[order.pool_id] = self.left.get(order.pool_id, 0) + 1
        if end.reason in _NOTICED and self._is_notified(order):
            trader = (order.pool_id, order.user_id)
            self.ended[trader] = self.ended.get(trader, 0) + 1

    def pay(self, order: LimitOrderRow, owed_kopecks: int) -> None:
        """Note what was paid for an order, for its partner's statement."""
        if order.partner_id is None:
            return
        self.held_kopecks[order.partner_id] = self.held_kopecks.get(order.partner_id, 0) - owed_kopecks
        line = StatementLine(
            partner_id=order.partner_id,
            type="order_return",
            user_id=order.user_id,
            external_user_id=order.external_user_id,
            market_id=order.market_id,
            order_id=order.id,
            float_change_kopecks=0,
            balance_change_kopecks=owed_kopecks,
            created_at_ms=self.at_ms,
        )
        self.lines.append(line)

    def complete(self, stored: StoredDue, order: LimitOrderRow) -> None:
        """Do what else a fill, or an end, has left to be done."""
        self.done_ids.append(stored.id)
        one = stored.due
        if one.trade_id is None:
            return
        day = one.created_at_ms // DAY_MS
        self.days[one.user_id] = max(day, self.days.get(one.user_id, day))
        if one.pnl_kopecks is not None:
            self.pnl.append(
                PnlChange(user_id=one.user_id, pnl_kopecks=one.pnl_kopecks, at_ms=self.at_ms, closed=one.closes)
            )
        if one.completes and self._is_notified(order):
            self.filled.append(order)

    def write(self, tx: WriteTx, pools: Mapping[int, PricedPool]) -> None:
        """Write everything, what all share last."""
        due.delete_dues(tx, self.done_ids)
        self.levels.write(tx)
        due.note_ended(tx, [(pools[pool_id].open_orders - count, pool_id) for pool_id, count in self.left.items()])
        charts.record_pnl(tx, self.pnl)
        self._notify(tx)
        statements.record(tx, self.lines, self.held_kopecks)
        stats.record_traders(tx, self.days)
        if self.forfeited_kopecks:
            stats.record_grants(tx, at_ms=self.at_ms, amount_kopecks=-self.forfeited_kopecks)

    def _is_notified(self, order: LimitOrderRow) -> bool:
        return order.partner_id is None and order.user_id not in self.deleted_ids

    def _notify(self, tx: WriteTx) -> None:
        pool_ids = {order.pool_id for order in self.filled} | {pool_id for pool_id, _ in self.ended}
        if not pool_ids:
            return
        pools = load_pools(tx, pool_ids)
        events = load_events(tx, {pool.event_id for pool in pools.values()})
        new = {
            event_id: NewNotifications(event, at_ms=self.at_ms, currency=self.currency)
            for event_id, event in events.items()
        }
        for order in self.filled:
            pool = pools[order.pool_id]
            new[pool.event_id].add(
                "order_filled",
                order.user_id,
                pool_name=pool.name,
                pool_name_ru=pool.name_ru,
                market_name=_market_name(pool, order.market_id),
                token_type=order.side,
                action=order.action,
                shares=order.shares,
                amount_kopecks=order.amount_kopecks,
            )
        for (pool_id, user_id), count in self.ended.items():
            pool = pools[pool_id]
            new[pool.event_id].add(
                "orders_ended", user_id, pool_name=pool.name, pool_name_ru=pool.name_ru, order_count=count
            )
        notifications.record(tx, [one for added in new.values() for one in added])


def _market_name(pool: PoolRow, market_id: int) -> str:
    return next(market.name for market in pool.markets if market.id == market_id)
