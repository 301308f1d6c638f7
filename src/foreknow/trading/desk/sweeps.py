"""Sweeps beside the desk's orders: after a round of the house, added liquidity or new priors (orders.md, rule 8)."""

from __future__ import annotations

from foreknow.market.pools.store import load_priced_pools
from foreknow.money import stats
from foreknow.money.ledger import AccountKind, LedgerTransaction, accounts_of_fetch
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk import store
from foreknow.trading.desk.ahead import Ahead
from foreknow.trading.desk.fills import RestingChanges
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.made import MadeTrade, TradedPool
from foreknow.trading.desk.processor import OrderProcessor
from foreknow.trading.desk.resting import BookSource, load_book
from foreknow.trading.desk.state import LockedState


def sweep_after(tx: WriteTx, pool: TradedPool, processor: OrderProcessor) -> list[MadeTrade]:
    """Sweep a locked pool in which `processor` has executed orders of the house; return what rested and was filled."""
    floor = processor.floor
    return _sweep(tx, pool, floor.state, floor.resting, floor.ledger_tx)


def sweep_pool(tx: WriteTx, pool_id: int) -> None:
    """Sweep a locked pool whose curve this transaction has changed otherwise; write everything.

    Call it after all other locks of the transaction.
    """
    pool, at_ms = load_priced_pools(tx, [pool_id])[pool_id], now_ms(tx)
    if not pool.open_orders or pool.trading_error(at_ms) is not None:
        return
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock([pool.escrow_account_id])
        ahead = Ahead([], [], {}, set())
        state = LockedState(
            now_ms=at_ms,
            ids=IdCache(),
            pools={pool.id: TradedPool.of(pool, at_ms)},
            positions={},
            records={},
            live_session_ids=set(),
            live_key_ids=set(),
            ahead=ahead,
        )
        resting = RestingChanges(state, ledger_tx)
        swept = _sweep(tx, state.pools[pool.id], state, resting, ledger_tx)
        if resting.is_empty:
            return
        trades = store.number_trades(tx, [], ahead, ledger_tx, swept)
        store.number_positions(tx, trades, ahead)
        store.write_batch(tx, trades, ledger_tx, ahead, resting, at_ms=at_ms)
        stats.record_trades(tx, store.trade_stats(trades), counts_traders=False)


def _sweep(
    tx: WriteTx, pool: TradedPool, state: LockedState, resting: RestingChanges, ledger_tx: LedgerTransaction
) -> list[MadeTrade]:
    if not pool.row.open_orders:
        return []
    (account,) = accounts_of_fetch(AccountKind.ORDERS, [pool.row.id]).fetch(tx).values()
    ledger_tx.hold([account])
    pool.orders_account_id = account[0]
    pool.resting = load_book(pool.row, BookSource(tx, state.positions, at_ms=pool.at_ms, closed_ids=state.closed_ids))
    return resting.sweep(pool)
