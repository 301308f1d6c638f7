"""What the orders of a batch need to be locked and read; each kind of order says its own."""

from __future__ import annotations

from foreknow.kernel.access.callers import UserCaller
from foreknow.money.ledger import ScopedKey
from foreknow.people.users.sub_accounts import SubAccount, SubAccountName
from foreknow.trading.desk.id_cache import IdCache, MarketPlace
from foreknow.trading.desk.orders import Order
from foreknow.trading.desk.state import trader_of
from foreknow.trading.limit_orders.store import TraderInPool
from foreknow.trading.positions.store import HolderInPool, PositionKey


class Needs:
    """Pools and accounts to lock, and what to read then. Rows are named by their keys or ids."""

    def __init__(self, ids: IdCache) -> None:
        """`ids` are those of the batch's orders."""
        self.ids = ids
        self.pool_ids: set[int] = set()
        #: Each with the pool that it is needed for.
        self.accounts: set[tuple[int, int]] = set()
        self.session_ids: set[int] = set()
        self.key_ids: set[int] = set()
        self.record_keys: set[ScopedKey] = set()
        self.names: set[SubAccountName] = set()
        self.positions: set[PositionKey] = set()
        self.seller_ids: set[int] = set()
        #: Traders all of whose positions of YES in a pool are needed.
        self.holders: set[HolderInPool] = set()
        #: Pools of baskets that name markets of several: who may see them is read, and nothing locked.
        self.other_pool_ids: set[int] = set()
        #: Pools in which orders may trade, in which some may come to rest, and in which some are cancelled.
        self.trading_ids: set[int] = set()
        self.placing_ids: set[int] = set()
        self.cancelling_ids: set[int] = set()
        #: Traders whose open orders in a pool are counted, and orders to cancel.
        self.resting_traders: set[TraderInPool] = set()
        self.order_ids: set[int] = set()
        #: How many of each may be made: trades and positions beside one an order.
        self.limit_orders = self.baskets = 0
        self.trades_more = self.positions_more = 0

    def add(self, order: Order) -> tuple[MarketPlace | None, SubAccount | None]:
        """Need what every order does; return where it goes, and who trades."""
        caller, place = order.caller, self.ids.markets.get(order.market_id)
        if isinstance(caller, UserCaller):
            self.session_ids.add(caller.session_id)
        else:
            self.key_ids.add(caller.key_id)
            if (name := order.sub_account) is not None:
                self.names.add(name)
            if place is not None:
                self.accounts.add((place.pool_id, self.ids.partners[caller.partner_id].account_id))
        if order.idempotency_key is not None:
            self.record_keys.add(order.idempotency_key.scoped)
        if place is not None:
            self.pool_ids.add(place.pool_id)
        return place, trader_of(order, self.ids)

    def trade(self, order: Order, place: MarketPlace, trader: SubAccount | None) -> None:
        """Need what an order does that trades in one market."""
        pool_id = place.pool_id
        self.trading_ids.add(pool_id)
        self.accounts.add((pool_id, place.escrow_account_id))
        self.accounts.add((pool_id, place.fees_account_id))
        if trader is not None:
            self.accounts.add((pool_id, trader.account_id))
            self.positions.add((trader.user_id, order.market_id, order.side._value_))
