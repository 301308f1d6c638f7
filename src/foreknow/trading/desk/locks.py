"""The locks and reads of a batch before its first order is executed.

docs/rules.md gives their order. Rows are read after their locks, to see the changes of other processes. On
PostgreSQL the locks are one exchange and the reads another, however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.market.pools.store import LOCKED_IDS, PricedPoolsFetch, lock_free_statement, locked_ids_fetch
from foreknow.market.pools.store import lock_statement as lock_pools_statement
from foreknow.money.ledger import (
    LedgerTransaction,
    account_ids_fetch,
    accounts_fetch,
    records_fetch,
)
from foreknow.money.ledger import lock_statement as lock_accounts_statement
from foreknow.money.stats import last_days_fetch
from foreknow.people.users.sessions import live_at, session_ends_fetch
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import Fetch, fetch_together
from foreknow.platform.db.clock import now_fetch
from foreknow.platform.db.ids import ids_fetch
from foreknow.platform.db.row_locks import id_array, lock_rows
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.id_cache import IdCache, Wanted, find_ids
from foreknow.trading.desk.kept_rows import KeptRows
from foreknow.trading.desk.orders import CancelTerms, Order
from foreknow.trading.desk.resting_reads import RestingReads, sells
from foreknow.trading.desk.results import TradedPool
from foreknow.trading.desk.state import LockedState, sub_account_name, trader_of
from foreknow.trading.desk.store import AheadFetch
from foreknow.trading.partner.keys import live_keys_fetch
from foreknow.trading.positions.store import PositionKey, open_fetch

_NO_PAIRS = "(SELECT 0::bigint, 0::bigint WHERE false)"


def ids_of(tx: WriteTx, orders: Sequence[Order], known: IdCache) -> IdCache:
    """Return the ids that these orders need; `known` is read only."""
    callers = [order.caller for order in orders]
    wanted = Wanted(
        market_ids={order.market_id for order in orders},
        user_ids={caller.user_id for caller in callers if isinstance(caller, UserCaller)},
        partner_ids={caller.partner_id for caller in callers if isinstance(caller, PartnerCaller)},
        sub_accounts={name for order in orders if (name := sub_account_name(order)) is not None},
    )
    return find_ids(tx, known, wanted)


def lock(tx: WriteTx, orders: Sequence[Order], ids: IdCache, *, skips_locked: bool) -> None:
    """Lock the pools and accounts of a batch; on PostgreSQL this may begin its transaction.

    `skips_locked`: without the pools that another transaction has locked, and what only they need.
    """
    if tx.dialect.name == "sqlite":
        return
    pool_ids = {place.pool_id for place in ids.markets.values()}
    if not skips_locked:
        accounts = id_array({account_id for _, account_id in _accounts(orders, ids)})
        lock_rows(tx, [lock_pools_statement(pool_ids), lock_accounts_statement(accounts)])
        return
    needed = sorted(_accounts(orders, ids))
    by_pool = f"unnest({', '.join(map(_array, zip(*needed, strict=True)))})" if needed else _NO_PAIRS
    accounts = f"ARRAY(SELECT account FROM {by_pool} AS needed (pool, account) WHERE pool = ANY({LOCKED_IDS}))"  # noqa: S608 # ids are integers
    lock_rows(tx, [lock_free_statement(pool_ids), lock_accounts_statement(accounts)])


class _Reads:
    """The queries of a batch: what it needs, without what is kept."""

    def __init__(self, tx: WriteTx, orders: Sequence[Order], ids: IdCache, known: IdCache, kept: KeptRows) -> None:
        # By identity: the authenticator caches callers for a second, and hashing one would hash all its fields.
        callers = {id(order.caller): order.caller for order in orders}.values()
        self.pool_ids = {place.pool_id for place in ids.markets.values()}
        self.needed = _accounts(orders, ids)
        self.session_ids = {caller.session_id for caller in callers if isinstance(caller, UserCaller)}
        self.pools = PricedPoolsFetch(self.pool_ids - kept.pools.keys())
        self.accounts = accounts_fetch({account_id for _, account_id in self.needed} - kept.accounts.keys())
        self.records = records_fetch(
            {order.idempotency_key.scoped for order in orders if order.idempotency_key is not None}
        )
        # Sessions and keys just revoked move no money.
        self.sessions = session_ends_fetch(self.session_ids - kept.session_ends_ms.keys())
        self.keys = live_keys_fetch({caller.key_id for caller in callers if isinstance(caller, PartnerCaller)})
        wanted = {key for order in orders if (key := _position_key(order, ids)) is not None}
        self.positions = open_fetch(wanted - kept.positions.keys())
        sellers = (trader_of(order, ids) for order in orders if sells(order))
        self.resting = RestingReads(orders, ids, known, kept, self.pool_ids, reads_books=tx.dialect.name != "sqlite")
        self.ahead = AheadFetch(
            len(orders) + self.resting.trades_more,
            seller_ids={trader.user_id for trader in sellers if trader is not None},
            partner_ids=ids.partners.keys(),
            last_ids=kept.last_ids,
        )
        names = {name for order in orders if (name := sub_account_name(order)) is not None}
        self.new_user_ids = ids_fetch(users, len(names - ids.sub_accounts.keys()))
        self.new_account_ids = account_ids_fetch(len(names - ids.sub_accounts.keys()) + self.resting.accounts_more)
        self.asked_ids = _uncounted(ids, known)
        self.last_days = last_days_fetch(self.asked_ids)
        self.now = now_fetch(tx)
        self.locked_ids = locked_ids_fetch()

    def run(self, tx: WriteTx, *, with_partners: bool, skips_locked: bool) -> None:
        fetches: list[Fetch[Any]] = [*self.pools.fetches, self.accounts, self.records, self.sessions, self.positions]
        fetches += [self.last_days, self.now, *self.ahead.fetches]
        # Only where there are partners, or orders that rest: most batches have none.
        if with_partners:
            fetches += [self.keys, self.new_user_ids]
        if self.resting.is_needed:
            fetches += self.resting.fetches
        if with_partners or self.resting.is_needed:
            fetches.append(self.new_account_ids)
        if skips_locked:
            fetches.append(self.locked_ids)
        fetch_together(tx, fetches)


def read_locked(
    tx: WriteTx,
    orders: Sequence[Order],
    ids: IdCache,
    known: IdCache,
    ledger_tx: LedgerTransaction,
    *,
    kept: KeptRows,
    skips_locked: bool,
) -> LockedState:
    """Read everything that these orders need, after `lock` with the same arguments; what is read is kept, too."""
    reads = _Reads(tx, orders, ids, known, kept)
    reads.run(tx, with_partners=bool(ids.partners), skips_locked=skips_locked)
    now_ms = reads.now.result
    found = reads.pools.result
    skipped = found.keys() - reads.locked_ids.result if skips_locked else set()
    for pool_id, row in found.items():
        kept.pools[pool_id] = TradedPool.of(row, now_ms)
    for pool_id in reads.pool_ids & kept.pools.keys() - found.keys():
        kept.pools[pool_id] = kept.pools[pool_id].for_next(now_ms)
    kept.accounts.update((row[0], row) for row in reads.accounts.result)
    kept.positions.update(reads.positions.result)
    kept.session_ends_ms.update(reads.sessions.result)
    ledger_tx.hold(
        kept.accounts[account_id]
        for account_id in {account_id for pool_id, account_id in reads.needed if pool_id not in skipped}
        if account_id in kept.accounts
    )
    ends_ms = kept.session_ends_ms
    state = LockedState(
        now_ms=now_ms,
        ids=ids,
        pools={pool_id: kept.pools[pool_id] for pool_id in reads.pool_ids & kept.pools.keys() - skipped},
        skipped_pool_ids=skipped,
        positions=kept.positions,
        records=reads.records.result,
        live_session_ids=live_at({one: ends_ms[one] for one in reads.session_ids if one in ends_ms}, now_ms),
        live_key_ids=reads.keys.result if ids.partners else set(),
        ahead=reads.ahead.result,
        last_days=reads.last_days.result,
        asked_ids=reads.asked_ids,
        new_user_ids=reads.new_user_ids.result if ids.partners else [],
        new_account_ids=reads.new_account_ids.result if ids.partners or reads.resting.is_needed else [],
    )
    reads.resting.complete(tx, state, ledger_tx)
    return state


def _uncounted(ids: IdCache, known: IdCache) -> set[int]:
    """Return the traders of a batch that may not be counted yet; all of them where ids were looked up.

    So a batch asks twice about ids or twice about days, never both: the day is only known after the locks.
    """
    trader_ids = {*ids.accounts, *(sub_account.user_id for sub_account in ids.sub_accounts.values())}
    if not ids.is_within(known):
        return trader_ids
    return {user_id for user_id in trader_ids if known.counted.get(user_id, -1) < known.newest_day}


def _accounts(orders: Sequence[Order], ids: IdCache) -> set[tuple[int, int]]:
    """Return the accounts that these orders need, each with the pool that it is needed for."""
    needed: set[tuple[int, int]] = set()
    for order in orders:
        place = ids.markets.get(order.market_id)
        if place is None:
            continue
        caller = order.caller
        if isinstance(order.terms, CancelTerms):
            needed.update((place.pool_id, owner.account_id) for owner in order.terms.owners)
        else:
            trader = trader_of(order, ids)
            needed.add((place.pool_id, place.escrow_account_id))
            needed.add((place.pool_id, place.fees_account_id))
            if trader is not None:
                needed.add((place.pool_id, trader.account_id))
        if isinstance(caller, PartnerCaller):
            needed.add((place.pool_id, ids.partners[caller.partner_id].account_id))
    return needed


def _array(ids: Sequence[int]) -> str:
    """Return ids as an SQL array in the order given."""
    return f"ARRAY[{', '.join(map(str, ids))}]::bigint[]"


def _position_key(order: Order, ids: IdCache) -> PositionKey | None:
    if isinstance(order.terms, CancelTerms):
        return None
    trader = trader_of(order, ids)
    return (trader.user_id, order.market_id, order.side.value) if trader else None
