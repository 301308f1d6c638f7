"""The locks and reads of a batch before its first order is executed.

docs/rules.md gives their order. Rows are read after their locks, to see the changes of other processes. On
PostgreSQL the locks are one exchange and the reads another, however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foreknow.kernel.access.callers import UserCaller
from foreknow.market.pools.store import LOCKED_IDS, PricedPoolsFetch, lock_free_statement, locked_ids_fetch
from foreknow.market.pools.store import lock_statement as lock_pools_statement
from foreknow.money.ledger import (
    LedgerTransaction,
    ScopedKey,
    account_ids_fetch,
    accounts_fetch,
    records_fetch,
)
from foreknow.money.ledger import lock_statement as lock_accounts_statement
from foreknow.money.stats import last_days_fetch
from foreknow.people.users.sessions import live_at, session_ends_fetch
from foreknow.people.users.sub_accounts import SubAccountName
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import Fetch, fetch_together
from foreknow.platform.db.clock import now_fetch
from foreknow.platform.db.ids import ids_fetch
from foreknow.platform.db.row_locks import id_array, lock_rows
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.basket_reads import BasketReads
from foreknow.trading.desk.id_cache import IdCache, Wanted, find_ids
from foreknow.trading.desk.kept_rows import KeptRows
from foreknow.trading.desk.orders import BasketChanges, BasketStake, Buy, CancelTerms, Order
from foreknow.trading.desk.resting_reads import RestingReads, sells
from foreknow.trading.desk.results import TradedPool
from foreknow.trading.desk.state import LockedState, sub_account_name, trader_of
from foreknow.trading.desk.store import AheadFetch
from foreknow.trading.partner.keys import live_keys_fetch
from foreknow.trading.positions.store import PositionKey, open_fetch

_NO_PAIRS = "(SELECT 0::bigint, 0::bigint WHERE false)"


def ids_of(tx: WriteTx, orders: Sequence[Order], known: IdCache) -> IdCache:
    """Return the ids that these orders need; `known` is read only."""
    market_ids: set[int] = set()
    user_ids: set[int] = set()
    partner_ids: set[int] = set()
    sub_accounts: set[SubAccountName] = set()
    for order in orders:
        market_ids.add(order.market_id)
        caller, terms = order.caller, order.terms
        # Buys first here and below: whether something is of any other class takes Python longer to say.
        if not isinstance(terms, Buy) and isinstance(terms, (BasketStake, BasketChanges)):
            market_ids.update(terms.named_ids)
        if isinstance(caller, UserCaller):
            user_ids.add(caller.user_id)
            continue
        partner_ids.add(caller.partner_id)
        if (name := sub_account_name(order)) is not None:
            sub_accounts.add(name)
    wanted = Wanted(market_ids=market_ids, user_ids=user_ids, partner_ids=partner_ids, sub_accounts=sub_accounts)
    return find_ids(tx, known, wanted)


@dataclass(frozen=True, slots=True)
class Needed:
    """What orders need to be locked: their pools, and the accounts, each with the pool that it is needed for."""

    ids: IdCache
    pool_ids: set[int]
    accounts: set[tuple[int, int]]


def needed_by(orders: Sequence[Order], ids: IdCache) -> Needed:
    """Return what these orders need to be locked."""
    return Needed(ids, _pool_ids(orders, ids), _accounts(orders, ids))


def lock(tx: WriteTx, wanted: Needed, *, skips_locked: bool) -> None:
    """Lock the pools and accounts of a batch; on PostgreSQL this may begin its transaction.

    `skips_locked`: without the pools that another transaction has locked, and what only they need.
    """
    if tx.dialect.name == "sqlite":
        return
    pool_ids = wanted.pool_ids
    if not skips_locked:
        accounts = id_array({account_id for _, account_id in wanted.accounts})
        lock_rows(tx, [lock_pools_statement(pool_ids), lock_accounts_statement(accounts)])
        return
    needed = sorted(wanted.accounts)
    by_pool = f"unnest({', '.join(map(_array, zip(*needed, strict=True)))})" if needed else _NO_PAIRS
    # IN, not ANY: PostgreSQL would take the list apart for each pair.
    locked = f"SELECT unnest({LOCKED_IDS})"
    accounts = f"ARRAY(SELECT account FROM {by_pool} AS needed (pool, account) WHERE pool IN ({locked}))"  # noqa: S608 # ids are integers
    lock_rows(tx, [lock_free_statement(pool_ids), lock_accounts_statement(accounts)])


class _Reads:
    """The queries of a batch: what it needs, without what is kept."""

    def __init__(self, tx: WriteTx, orders: Sequence[Order], wanted: Needed, known: IdCache, kept: KeptRows) -> None:
        ids = wanted.ids
        self.session_ids: set[int] = set()
        key_ids: set[int] = set()
        record_keys: set[ScopedKey] = set()
        positions: set[PositionKey] = set()
        seller_ids: set[int] = set()
        names: set[SubAccountName] = set()
        has_baskets = False
        for order in orders:
            caller, trader = order.caller, trader_of(order, ids)
            if isinstance(caller, UserCaller):
                self.session_ids.add(caller.session_id)
            else:
                key_ids.add(caller.key_id)
                if (name := sub_account_name(order)) is not None:
                    names.add(name)
            if order.idempotency_key is not None:
                record_keys.add(order.idempotency_key.scoped)
            terms = order.terms
            if trader is not None and (isinstance(terms, Buy) or not isinstance(terms, CancelTerms)):
                positions.add((trader.user_id, order.market_id, order.side._value_))
                if isinstance(terms, Buy):
                    continue
                if sells(terms):
                    seller_ids.add(trader.user_id)
            has_baskets = has_baskets or isinstance(terms, (BasketStake, BasketChanges))
        baskets = BasketReads(orders if has_baskets else (), ids)
        positions |= baskets.positions
        self.pool_ids = wanted.pool_ids
        self.needed = wanted.accounts
        # Not `- keys()`: Python would go through all that are kept.
        self.pools = PricedPoolsFetch(self.pool_ids.difference(kept.pools))
        self.accounts = accounts_fetch({account_id for _, account_id in self.needed}.difference(kept.accounts))
        self.records = records_fetch(record_keys)
        # Sessions and keys just revoked move no money.
        self.sessions = session_ends_fetch(self.session_ids.difference(kept.session_ends_ms))
        self.keys = live_keys_fetch(key_ids)
        self.positions = open_fetch(positions.difference(kept.positions))
        self.in_pools, self.others = baskets.in_pools, baskets.others
        self.resting = RestingReads(orders, ids, known, kept, self.pool_ids, reads_books=tx.dialect.name != "sqlite")
        self.ahead = AheadFetch(
            len(orders) + self.resting.trades_more,
            trades_more=baskets.trades_more,
            positions_more=baskets.positions_more,
            baskets=baskets.count,
            seller_ids=seller_ids,
            partner_ids=ids.partners.keys(),
            last_ids=kept.last_ids,
        )
        self.new_user_ids = ids_fetch(users, len(names - ids.sub_accounts.keys()))
        self.new_account_ids = account_ids_fetch(len(names - ids.sub_accounts.keys()) + self.resting.accounts_more)
        self.asked_ids = _uncounted(ids, known)
        self.last_days = last_days_fetch(self.asked_ids)
        self.now = now_fetch(tx)
        self.locked_ids = locked_ids_fetch()

    def run(self, tx: WriteTx, *, with_partners: bool, skips_locked: bool) -> None:
        fetches: list[Fetch[Any]] = [*self.pools.fetches, self.accounts, self.records, self.sessions, self.positions]
        fetches += [self.last_days, self.now, *self.ahead.fetches]
        if not self.in_pools.is_empty:
            fetches.append(self.in_pools)
        if not self.others.is_empty:
            fetches.append(self.others)
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
    wanted: Needed,
    known: IdCache,
    ledger_tx: LedgerTransaction,
    *,
    kept: KeptRows,
    skips_locked: bool,
) -> LockedState:
    """Read everything that these orders need, after `lock` with the same arguments; what is read is kept, too."""
    ids = wanted.ids
    reads = _Reads(tx, orders, wanted, known, kept)
    reads.run(tx, with_partners=bool(ids.partners), skips_locked=skips_locked)
    now_ms = reads.now.result
    found = reads.pools.result
    skipped = found.keys() - reads.locked_ids.result if skips_locked else set()
    for pool_id, row in found.items():
        kept.pools[pool_id] = TradedPool.of(row, now_ms)
    for pool_id in (reads.pool_ids & kept.pools.keys()) - found.keys():
        kept.pools[pool_id] = kept.pools[pool_id].for_next(now_ms)
    kept.accounts.update((row[0], row) for row in reads.accounts.result)
    kept.positions.update(reads.positions.result)
    if not reads.in_pools.is_empty:
        for key, position in reads.in_pools.result.items():
            kept.positions.setdefault(key, position)
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
        pools={pool_id: kept.pools[pool_id] for pool_id in (reads.pool_ids & kept.pools.keys()) - skipped},
        skipped_pool_ids=skipped,
        positions=kept.positions,
        records=reads.records.result,
        live_session_ids=live_at({one: ends_ms[one] for one in reads.session_ids if one in ends_ms}, now_ms),
        live_key_ids=reads.keys.result if ids.partners else set(),
        ahead=reads.ahead.result,
        last_days=reads.last_days.result,
        asked_ids=reads.asked_ids,
        other_pools={} if reads.others.is_empty else reads.others.result,
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


def _pool_ids(orders: Sequence[Order], ids: IdCache) -> set[int]:
    """Return the pools of these orders; of a basket that of its first market, as it is refused if there are others."""
    places = (ids.markets.get(order.market_id) for order in orders)
    return {place.pool_id for place in places if place is not None}


def _accounts(orders: Sequence[Order], ids: IdCache) -> set[tuple[int, int]]:
    """Return the accounts that these orders need, each with the pool that it is needed for."""
    needed: set[tuple[int, int]] = set()
    for order in orders:
        place = ids.markets.get(order.market_id)
        if place is None:
            continue
        caller = order.caller
        if not isinstance(order.terms, Buy) and isinstance(order.terms, CancelTerms):
            needed.update((place.pool_id, owner.account_id) for owner in order.terms.owners)
        else:
            trader = trader_of(order, ids)
            needed.add((place.pool_id, place.escrow_account_id))
            needed.add((place.pool_id, place.fees_account_id))
            if trader is not None:
                needed.add((place.pool_id, trader.account_id))
        if not isinstance(caller, UserCaller):
            needed.add((place.pool_id, ids.partners[caller.partner_id].account_id))
    return needed


def _array(ids: Sequence[int]) -> str:
    """Return ids as an SQL array in the order given."""
    # One text: PostgreSQL would parse each element of ARRAY[…] as an expression.
    return f"'{{{','.join(map(str, ids))}}}'::bigint[]"
