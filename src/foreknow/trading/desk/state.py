"""What the orders of a batch need locked and read, and those rows once they are, which orders change in memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.market.pools.tables import pools
from foreknow.money.ledger import IdempotencyRecord, ScopedKey
from foreknow.money.stats import last_days_fetch
from foreknow.people.users.sub_accounts import SubAccount, SubAccountName
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.ahead import Ahead
from foreknow.trading.desk.id_cache import IdCache, MarketPlace, PartnerFloat
from foreknow.trading.desk.made import TradedPool
from foreknow.trading.desk.orders import Order
from foreknow.trading.limit_orders.order import LimitOrderRow, PoolEnds
from foreknow.trading.limit_orders.store import FoundOrder, TraderInPool
from foreknow.trading.positions.store import HolderInPool, OpenPosition, PositionKey


@dataclass(frozen=True, slots=True)
class OtherPool:
    """What decides who may see a pool that a basket names beside its own."""

    creator_id: int
    published_at_ms: int | None


@dataclass(slots=True)
class LockedState:
    """The locked rows of a batch. `positions` and `ids` grow as orders are executed."""

    #: The time of the batch, Unix milliseconds, read after the locks.
    now_ms: int
    ids: IdCache
    pools: dict[int, TradedPool]
    positions: dict[PositionKey, OpenPosition]
    #: Requests executed before this batch, by idempotency key.
    records: dict[ScopedKey, IdempotencyRecord]
    live_session_ids: set[int]
    live_key_ids: set[int]
    ahead: Ahead
    #: Whether creators trade in their own events.
    creators_trade: bool = True
    #: The newest day on which the statistics counted a trader, of those that were asked about.
    last_days: dict[int, int] = field(default_factory=dict)
    #: All who were asked about.
    asked_ids: set[int] = field(default_factory=set)
    #: Pools that another transaction has locked.
    skipped_pool_ids: set[int] = field(default_factory=set)
    #: Ids for new sub-accounts, one for each that may be created.
    new_user_ids: list[int] = field(default_factory=list)
    new_account_ids: list[int] = field(default_factory=list)
    #: Ids for the accounts of orders in pools that have none, by pool.
    new_order_accounts: dict[int, int] = field(default_factory=dict)
    #: Ids for limit orders, in the order of their arrival.
    new_order_ids: list[int] = field(default_factory=list)
    #: Orders to be cancelled, by id, and what ends those of their pools.
    found_orders: dict[int, tuple[FoundOrder, PoolEnds]] = field(default_factory=dict)
    #: Open orders of traders in pools, of those who place one.
    open_orders: dict[TraderInPool, int] = field(default_factory=dict)
    #: Traders who hold positions of a list's Other that are still to be turned after a split, each with the pool.
    unturned: set[TraderInPool] = field(default_factory=set)
    #: All pools of baskets that name markets of several, by id; not locked.
    other_pools: dict[int, OtherPool] = field(default_factory=dict)
    #: Positions that the batch has closed.
    closed_ids: set[int] = field(default_factory=set)

    def position(self, user_id: int, market_id: int, side: str, pool: TradedPool) -> OpenPosition:
        """Return the open position of someone who buys, a new one if there is none."""
        key = (user_id, market_id, side)
        position = self.positions.get(key)
        if position is None:
            position = self.positions[key] = OpenPosition(
                user_id=user_id,
                market_id=market_id,
                pool_id=pool.row.id,
                event_id=pool.row.event_id,
                side=side,
                opened_at_ms=pool.at_ms,
            )
        return position

    def close(self, position: OpenPosition) -> None:
        """Forget a position that was closed: the next purchase opens another."""
        del self.positions[position.key]
        self.closed_ids.add(position.id)

    def count_open(self, order: LimitOrderRow, change: int) -> None:
        """Count an order that came to rest, or left."""
        trader = (order.user_id, order.pool_id)
        if trader in self.open_orders:
            self.open_orders[trader] += change

    def trader(self, order: Order) -> SubAccount | None:
        """Return the account that pays and holds: the user's, or the partner's sub-account if it exists."""
        return trader_of(order, self.ids)

    def read_last_days(self, tx: WriteTx, trader_ids: Collection[int]) -> None:
        """Read `last_days` of those who were not asked about, in the first batch of a day."""
        self.last_days.update(last_days_fetch(set(trader_ids) - self.asked_ids).fetch(tx))

    def partner(self, order: Order) -> PartnerFloat | None:
        """Return the partner that placed the order; None for a user's own order."""
        caller = order.caller
        return None if isinstance(caller, UserCaller) else self.ids.partners[caller.partner_id]


def trader_of(order: Order, ids: IdCache) -> SubAccount | None:
    """Return the account that pays and holds: the user's, or the partner's sub-account if it exists."""
    caller = order.caller
    if isinstance(caller, UserCaller):
        return ids.accounts[caller.user_id]
    name = order.sub_account
    return None if name is None else ids.sub_accounts.get(name)


def other_pools_fetch(pool_ids: Collection[int]) -> Fetch[dict[int, OtherPool]]:
    """Who made some pools, and whether they are published, to be fetched with others."""
    return Fetch(_OTHERS, {"ids": pool_ids}, _other_pools, is_empty=not pool_ids)


def _other_pools(rows: Any) -> dict[int, OtherPool]:
    return {pool_id: OtherPool(*found) for pool_id, *found in rows}


_OTHERS = CompiledQuery(sa.select(pools.c.id, pools.c.creator_id, pools.c.published_at_ms).where(in_array(pools.c.id)))


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
