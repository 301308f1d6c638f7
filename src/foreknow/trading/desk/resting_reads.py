"""What a batch reads of resting orders: the books that its orders may meet, and orders to be cancelled.

On PostgreSQL it comes in the batch's one exchange for reads, for the pools in which this process last saw orders rest.
A pool that proves to have some is read in an exchange of its own, once.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from foreknow.money.holds.tables import limit_orders
from foreknow.money.ledger import AccountKind, AccountRow, LedgerTransaction, accounts_of_fetch
from foreknow.platform.db.bulk import Fetch, fetch_together
from foreknow.platform.db.ids import ids_fetch
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.ahead import KeptRows
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.made import TradedPool
from foreknow.trading.desk.resting import READ_FIRST, TAKEN_MAX, BookSource, PoolBook, read_first
from foreknow.trading.desk.state import LockedState, Needs
from foreknow.trading.limit_orders.store import (
    FoundOrder,
    TraderInPool,
    best_orders_fetch,
    open_expiries_fetch,
    orders_fetch,
)

#: A batch that holds this many trades takes no further order.
TRADES_MAX = 128


class RestingReads:
    """The queries of a batch about resting orders."""

    def __init__(self, needs: Needs, known: IdCache, kept: KeptRows, *, reads_books: bool) -> None:
        """`reads_books`: whether to read books with everything else, before it is known who has one."""
        self._needs, self._kept = needs, kept
        known_markets = known.booked_markets
        booked = {one for one in known_markets.keys() & needs.pool_ids if reads_books and known_markets[one]}
        self._read = booked & needs.trading_ids
        self._each = read_first(sum(known_markets[pool_id] for pool_id in self._read))
        self._with_account = booked | needs.placing_ids | needs.cancelling_ids
        self.is_needed = bool(self._read or self._with_account)
        #: Trades and accounts that a batch may need ids for, beside one trade an order.
        self.trades_more = TRADES_MAX + TAKEN_MAX if self._read else 0
        self.accounts_more = len(needs.placing_ids.difference(known_markets))
        self._best = best_orders_fetch(self._read, each=self._each)
        self._accounts = accounts_of_fetch(AccountKind.ORDERS, self._with_account)
        self._found = orders_fetch(needs.order_ids)
        self._expiries = open_expiries_fetch(needs.resting_traders)
        self._order_ids = ids_fetch(limit_orders, needs.limit_orders)

    @property
    def fetches(self) -> Sequence[Fetch[Any]]:
        """The queries that are sent with all others, where they are needed."""
        return (self._best, self._accounts, self._found, self._expiries, self._order_ids)

    def complete(self, tx: WriteTx, state: LockedState, ledger_tx: LedgerTransaction) -> None:
        """Give the batch its books, once its pools are known; read those that are missing."""
        if self.is_needed:
            state.new_order_ids = self._order_ids.result
            state.found_orders = {one.order.id: (one, ends) for one, ends in self._found.result}
            state.open_orders = self._open_orders(state.now_ms)
        pools = [pool for pool in state.pools.values() if self._needs_orders(pool)]
        # Where the last order has left, the next batch reads none.
        self._needs.ids.booked_markets.update(dict.fromkeys(self._read.difference(pool.row.id for pool in pools), 0))
        if not pools:
            return
        trading = self._needs.trading_ids
        books, accounts = self._read_rest(tx, pools, trading)
        for pool in pools:
            pool_id = pool.row.id
            self._hold_account(pool, state, ledger_tx, accounts.get(pool_id))
            if pool_id in trading:
                source = BookSource(tx, state.positions, at_ms=pool.at_ms, closed_ids=state.closed_ids)
                if pool.resting is None:
                    best, each = books.get(pool_id, ((), READ_FIRST))
                    pool.resting = PoolBook(pool.row, best, source, each=each)
                else:
                    pool.resting.go_on(source)

    def _needs_orders(self, pool: TradedPool) -> bool:
        pool_id = pool.row.id
        return pool.row.open_orders > 0 or pool_id in self._needs.placing_ids or pool_id in self._needs.cancelling_ids

    def _read_rest(
        self, tx: WriteTx, pools: Sequence[TradedPool], trading: Container[int]
    ) -> tuple[dict[int, tuple[list[FoundOrder], int]], dict[int, AccountRow]]:
        """Return by pool the best orders, and how many of each queue were wanted; and accounts."""
        accounts = dict(self._accounts.result) if self.is_needed else {}
        books = _by_pool(self._best.result, self._each) if self.is_needed else {}
        without_book = {
            pool.row.id: len(pool.row.markets)
            for pool in pools
            if pool.resting is None
            and pool.row.open_orders
            and pool.row.id in trading
            and pool.row.id not in self._read
        }
        without_account = {
            pool.row.id for pool in pools if pool.row.id not in self._with_account and pool.orders_account_id is None
        }
        if without_book or without_account:
            each = read_first(sum(without_book.values()))
            best = best_orders_fetch(without_book, each=each)
            more = accounts_of_fetch(AccountKind.ORDERS, without_account)
            fetch_together(tx, [best, more])
            books |= _by_pool(best.result, each)
            accounts |= more.result
        return books, accounts

    def _hold_account(
        self, pool: TradedPool, state: LockedState, ledger_tx: LedgerTransaction, account: AccountRow | None
    ) -> None:
        """Take the account of a pool's orders, which its lock protects, or an id for it."""
        pool_id = pool.row.id
        if pool.orders_account_id is not None and account is None:
            # Kept from the batch before.
            account = self._kept.accounts[pool.orders_account_id]
        if account is not None:
            ledger_tx.hold([account])
            pool.orders_account_id = account[0]
            self._needs.ids.booked_markets[pool_id] = len(pool.row.markets)
        elif pool_id in self._needs.placing_ids:
            state.new_order_accounts[pool_id] = state.new_account_ids.pop()

    def _open_orders(self, now_ms: int) -> dict[TraderInPool, int]:
        expiries = self._expiries.result
        return {
            trader: sum(
                count
                for expires_at_ms, count in expiries.get(trader, ())
                if expires_at_ms is None or expires_at_ms > now_ms
            )
            for trader in self._needs.resting_traders
        }


def _by_pool(found: Sequence[FoundOrder], each: int) -> dict[int, tuple[list[FoundOrder], int]]:
    books: dict[int, tuple[list[FoundOrder], int]] = {}
    for one in found:
        books.setdefault(one.order.pool_id, ([], each))[0].append(one)
    return books
