"""The locks and reads of a batch before its first order is executed.

docs/rules.md gives their order. Rows are read after their locks, to see the changes of other processes. On
PostgreSQL the locks are one exchange and the reads another, however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foreknow.kernel.access.callers import UserCaller
from foreknow.market.pools.store import LOCKED_IDS, PricedPoolsFetch, lock_free_statement, locked_ids_fetch
from foreknow.market.pools.store import lock_statement as lock_pools_statement
from foreknow.money.ledger import (
    LedgerTransaction,
    account_ids_fetch,
    accounts_fetch,
    records_fetch,
)
from foreknow.money.ledger import lock_statement as lock_accounts_statement
from foreknow.money.pricing import Side
from foreknow.money.stats import last_days_fetch
from foreknow.people.users.sessions import live_at, session_ends_fetch
from foreknow.people.users.sub_accounts import SubAccountName
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import Fetch, fetch_together
from foreknow.platform.db.clock import now_fetch
from foreknow.platform.db.ids import ids_fetch
from foreknow.platform.db.statements.row_locks import id_array, lock_rows
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.platform.settings.store import version_fetch as settings_version_fetch
from foreknow.trading.desk.ahead import AheadFetch, KeptRows
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.id_cache import IdCache, Wanted, find_ids
from foreknow.trading.desk.made import TradedPool
from foreknow.trading.desk.resting_reads import RestingReads
from foreknow.trading.desk.state import LockedState, Needs, other_pools_fetch
from foreknow.trading.effects.turning import unturned_among
from foreknow.trading.partner.keys import live_keys_fetch
from foreknow.trading.positions.store import open_fetch, open_in_pools_fetch

#: Statements of a batch differ in the ids that they look for alone. PostgreSQL would plan those of resting orders again
#: each time, which takes as long as to run them.
_KEEP_PLANS = "SET LOCAL plan_cache_mode = force_generic_plan"
_NO_PAIRS = "(SELECT 0::bigint, 0::bigint WHERE false)"


def ids_of(tx: WriteTx, orders: Sequence[OrderKind], known: IdCache) -> IdCache:
    """Return the ids that these orders need; `known` is read only."""
    market_ids: set[int] = set()
    user_ids: set[int] = set()
    partner_ids: set[int] = set()
    sub_accounts: set[SubAccountName] = set()
    for order in orders:
        order.name_markets(market_ids)
        caller = order.caller
        if isinstance(caller, UserCaller):
            user_ids.add(caller.user_id)
            continue
        partner_ids.add(caller.partner_id)
        if (name := order.sub_account) is not None:
            sub_accounts.add(name)
    wanted = Wanted(market_ids=market_ids, user_ids=user_ids, partner_ids=partner_ids, sub_accounts=sub_accounts)
    return find_ids(tx, known, wanted)


def needs_of(orders: Sequence[OrderKind], ids: IdCache) -> Needs:
    """Return what these orders need to be locked and read."""
    needs = Needs(ids)
    for order in orders:
        place, trader = needs.add(order)
        if place is not None:
            order.need(needs, place, trader)
    return needs


def lock(tx: WriteTx, needs: Needs, *, skips_locked: bool) -> None:
    """Lock the pools and accounts of a batch; on PostgreSQL this may begin its transaction.

    `skips_locked`: without the pools that another transaction has locked, and what only they need.
    """
    if tx.dialect.name == "sqlite":
        return
    pool_ids = needs.pool_ids
    if not skips_locked:
        accounts = id_array({account_id for _, account_id in needs.accounts})
        lock_rows(tx, [_KEEP_PLANS, lock_pools_statement(pool_ids), lock_accounts_statement(accounts)])
        return
    needed = sorted(needs.accounts)
    by_pool = f"unnest({', '.join(map(_array, zip(*needed, strict=True)))})" if needed else _NO_PAIRS
    # IN, not ANY: PostgreSQL would take the list apart for each pair.
    locked = f"SELECT unnest({LOCKED_IDS})"
    accounts = f"ARRAY(SELECT account FROM {by_pool} AS needed (pool, account) WHERE pool IN ({locked}))"  # noqa: S608 # ids are integers
    lock_rows(tx, [_KEEP_PLANS, lock_free_statement(pool_ids), lock_accounts_statement(accounts)])


class _Reads:
    """The queries of a batch: what it needs, without what is kept."""

    def __init__(self, tx: WriteTx, count: int, needs: Needs, known: IdCache, kept: KeptRows) -> None:
        """`count`: how many orders there are."""
        ids = needs.ids
        # Not `- keys()`: Python would go through all that are kept.
        self.pools = PricedPoolsFetch(needs.pool_ids.difference(kept.pools))
        self.accounts = accounts_fetch({account_id for _, account_id in needs.accounts}.difference(kept.accounts))
        self.records = records_fetch(needs.record_keys)
        # Sessions and keys just revoked move no money.
        self.sessions = session_ends_fetch(needs.session_ids.difference(kept.session_ends_ms))
        self.keys = live_keys_fetch(needs.key_ids)
        self.positions = open_fetch(needs.positions.difference(kept.positions))
        self.in_pools = open_in_pools_fetch(needs.holders, side=Side.YES._value_)
        self.others = other_pools_fetch(needs.other_pool_ids)
        self.resting = RestingReads(needs, known, kept, reads_books=tx.dialect.name != "sqlite")
        self.ahead = AheadFetch(
            count + self.resting.trades_more,
            trades_more=needs.trades_more,
            positions_more=needs.positions_more,
            baskets=needs.baskets,
            seller_ids=needs.seller_ids,
            partner_ids=ids.partners.keys(),
            last_ids=kept.last_ids,
        )
        new_accounts = len(needs.names - ids.sub_accounts.keys())
        self.new_user_ids = ids_fetch(users, new_accounts)
        self.new_account_ids = account_ids_fetch(new_accounts + self.resting.accounts_more)
        self.asked_ids = _uncounted(ids, known)
        self.last_days = last_days_fetch(self.asked_ids)
        self.now = now_fetch(tx)
        self.locked_ids = locked_ids_fetch()
        self.settings = settings_version_fetch() if kept.settings_version is None else None

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
        if self.settings is not None:
            fetches.append(self.settings)
        fetch_together(tx, fetches)


def read_locked(
    tx: WriteTx,
    count: int,
    needs: Needs,
    known: IdCache,
    ledger_tx: LedgerTransaction,
    *,
    settings: LiveSettings,
    kept: KeptRows,
    skips_locked: bool,
) -> LockedState:
    """Read everything that `count` orders need, after `lock` with the same arguments; what is read is kept, too."""
    ids = needs.ids
    reads = _Reads(tx, count, needs, known, kept)
    reads.run(tx, with_partners=bool(ids.partners), skips_locked=skips_locked)
    now_ms = reads.now.result
    found = reads.pools.result
    skipped = found.keys() - reads.locked_ids.result if skips_locked else set()
    for pool_id, row in found.items():
        kept.pools[pool_id] = TradedPool.of(row, now_ms)
    for pool_id in (needs.pool_ids & kept.pools.keys()) - found.keys():
        kept.pools[pool_id] = kept.pools[pool_id].for_next(now_ms)
    kept.accounts.update((row[0], row) for row in reads.accounts.result)
    kept.positions.update(reads.positions.result)
    if not reads.in_pools.is_empty:
        for key, position in reads.in_pools.result.items():
            kept.positions.setdefault(key, position)
    kept.session_ends_ms.update(reads.sessions.result)
    if reads.settings is not None:
        kept.settings_version = reads.settings.result
    assert kept.settings_version is not None
    ledger_tx.hold(
        kept.accounts[account_id]
        for account_id in {account_id for pool_id, account_id in needs.accounts if pool_id not in skipped}
        if account_id in kept.accounts
    )
    ends_ms = kept.session_ends_ms
    state = LockedState(
        now_ms=now_ms,
        ids=ids,
        pools={pool_id: kept.pools[pool_id] for pool_id in (needs.pool_ids & kept.pools.keys()) - skipped},
        skipped_pool_ids=skipped,
        positions=kept.positions,
        records=reads.records.result,
        live_session_ids=live_at({one: ends_ms[one] for one in needs.session_ids if one in ends_ms}, now_ms),
        live_key_ids=reads.keys.result if ids.partners else set(),
        ahead=reads.ahead.result,
        creators_trade=settings.at_version(tx, kept.settings_version).creators_trade == "on",
        last_days=reads.last_days.result,
        asked_ids=reads.asked_ids,
        other_pools={} if reads.others.is_empty else reads.others.result,
        new_user_ids=reads.new_user_ids.result if ids.partners else [],
        new_account_ids=reads.new_account_ids.result if ids.partners or reads.resting.is_needed else [],
    )
    reads.resting.complete(tx, state, ledger_tx)
    _find_unturned(tx, state)
    return state


def _find_unturned(tx: WriteTx, state: LockedState) -> None:
    """Note which traders of a batch hold positions of a list's Other in its locked pools that are to be turned."""
    turning = [pool.row for pool in state.pools.values() if pool.row.turning]
    if not turning:
        return
    traders = {
        *(account.user_id for account in state.ids.accounts.values()),
        *(account.user_id for account in state.ids.sub_accounts.values()),
    }
    state.unturned.update(unturned_among(tx, turning, traders))


def _uncounted(ids: IdCache, known: IdCache) -> set[int]:
    """Return the traders of a batch that may not be counted yet; all of them where ids were looked up.

    So a batch asks twice about ids or twice about days, never both: the day is only known after the locks.
    """
    trader_ids = {*ids.accounts, *(sub_account.user_id for sub_account in ids.sub_accounts.values())}
    if not ids.is_within(known):
        return trader_ids
    return {user_id for user_id in trader_ids if known.counted.get(user_id, -1) < known.newest_day}


def _array(ids: Sequence[int]) -> str:
    """Return ids as an SQL array in the order given."""
    # One text: PostgreSQL would parse each element of ARRAY[…] as an expression.
    return f"'{{{','.join(map(str, ids))}}}'::bigint[]"
