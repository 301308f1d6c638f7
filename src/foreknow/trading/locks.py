"""The locks and reads of a batch before its first order is executed.

Lock order (see `LedgerTransaction`): pools, partners' floats, other accounts. Rows are read after their locks, to see
the changes of other processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreknow.access.callers import PartnerCaller, UserCaller
from foreknow.db.clock import now_ms
from foreknow.db.transactions import WriteTx
from foreknow.ledger import IdempotencyRecord, LedgerTransaction, ScopedKey, find_idempotency_records
from foreknow.partner.keys import live_key_ids
from foreknow.pools.store import PoolRow, lock_pools
from foreknow.positions.store import OpenPosition, PositionKey, load_open
from foreknow.trading.id_cache import (
    IdCache,
    PartnerFloat,
    find_accounts,
    find_markets,
    find_partners,
    known_sub_accounts,
)
from foreknow.trading.orders import Order
from foreknow.trading.results import TradedPool
from foreknow.users.sessions import live_sessions
from foreknow.users.sub_accounts import SubAccount, SubAccountName


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

    def trader(self, order: Order) -> SubAccount | None:
        """Return the account that pays and holds: the user's, or the partner's sub-account if it exists."""
        caller = order.caller
        if isinstance(caller, UserCaller):
            return SubAccount(caller.user_id, self.ids.accounts[caller.user_id])
        return self.ids.sub_accounts.get((caller.partner_id, order.external_user_id or ""))

    def partner(self, order: Order) -> PartnerFloat | None:
        """Return the partner that placed the order; None for a user's own order."""
        return self.ids.partners[order.caller.partner_id] if isinstance(order.caller, PartnerCaller) else None


def lock_pools_of_markets(
    tx: WriteTx, orders: Sequence[Order], known: IdCache
) -> tuple[dict[int, tuple[int, int]], dict[int, PoolRow]]:
    """Lock the pools of these orders; return (pool id, outcome index) by market id, and the pools by id."""
    markets = find_markets(tx, known, {order.market_id for order in orders})
    return markets, lock_pools(tx, {pool_id for pool_id, _ in markets.values()})


def lock_state(
    tx: WriteTx,
    orders: Sequence[Order],
    known: IdCache,
    ledger_tx: LedgerTransaction,
    *,
    markets: dict[int, tuple[int, int]],
    rows: Mapping[int, PoolRow],
) -> LockedState:
    """Lock and read everything else these orders need, after `lock_pools_of_markets`; `known` is read only."""
    # By identity: the authenticator caches callers for a second, and hashing one would hash all its fields.
    callers = {id(order.caller): order.caller for order in orders}.values()
    users = [caller for caller in callers if isinstance(caller, UserCaller)]
    partners = [caller for caller in callers if isinstance(caller, PartnerCaller)]
    ids = IdCache(markets=markets)
    ids.partners = find_partners(tx, known, {caller.partner_id for caller in partners})
    # Floats first: a sub-account's first bet is placed under its partner's lock.
    ledger_tx.lock([partner.account_id for partner in ids.partners.values()])
    names = {name for order in orders if (name := sub_account_name(order)) is not None} if partners else set()
    ids.sub_accounts = known_sub_accounts(tx, known, names)
    ids.accounts = find_accounts(tx, known, {caller.user_id for caller in users})
    ledger_tx.lock(
        [
            *ids.accounts.values(),
            *(sub_account.account_id for sub_account in ids.sub_accounts.values()),
            *(account_id for row in rows.values() for account_id in (row.escrow_account_id, row.fees_account_id)),
        ]
    )
    keys = {order.idempotency_key.scoped for order in orders if order.idempotency_key is not None}
    state = LockedState(
        now_ms=0,
        ids=ids,
        pools={},
        positions={},
        records=find_idempotency_records(tx, keys) if keys else {},
        # Sessions and keys just revoked move no money.
        live_session_ids=live_sessions(tx, {caller.session_id for caller in users}, now_ms=now_ms(tx)),
        live_key_ids=live_key_ids(tx, {caller.key_id for caller in partners}),
    )
    state.now_ms = now_ms(tx)
    state.pools = {pool_id: traded_pool(row, state.now_ms) for pool_id, row in rows.items()}
    state.positions = load_open(tx, {key for order in orders if (key := _position_key(state, order)) is not None})
    return state


def sub_account_name(order: Order) -> SubAccountName | None:
    """Return the sub-account of a partner's order; None for a user's own order."""
    if not isinstance(order.caller, PartnerCaller) or order.external_user_id is None:
        return None
    return order.caller.partner_id, order.external_user_id


def traded_pool(row: PoolRow, now_ms: int) -> TradedPool:
    """Return a locked pool as it is before the first order, at the time of the batch."""
    market_maker = row.lmsr()
    return TradedPool(row, market_maker, max(now_ms, row.last_trade_at_ms or 0), market_maker.probabilities())


def _position_key(state: LockedState, order: Order) -> PositionKey | None:
    trader = state.trader(order)
    return (trader.user_id, order.market_id, order.side.value) if trader else None
