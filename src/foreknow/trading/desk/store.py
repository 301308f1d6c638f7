"""Bulk writes of a batch: one statement per table, whatever the number of orders, or one for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from foreknow.market import charts
from foreknow.market.charts import CurrentPrices, PnlChange, PoolTrades
from foreknow.market.events.tables import events
from foreknow.market.markets.tables import markets
from foreknow.market.pools.charting import since_ms_of
from foreknow.market.pools.tables import pools
from foreknow.money import statements
from foreknow.money.ledger import LedgerTransaction
from foreknow.money.stats import TradeStats
from foreknow.platform.db.changes import Sink, Update, apply, insert_rows, update_rows
from foreknow.platform.db.ids import draw_ids
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk import basket_store
from foreknow.trading.desk.ahead import Ahead
from foreknow.trading.desk.fills import RestingChanges
from foreknow.trading.desk.made import MadeTrade, TradedPool
from foreknow.trading.desk.orders import Executed
from foreknow.trading.desk.tables import trades
from foreknow.trading.limit_orders.store import write_dues, write_orders
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.tables import positions as positions_table


def write_batch(
    into: Sink,
    trades_made: Sequence[MadeTrade],
    ledger_tx: LedgerTransaction,
    ahead: Ahead,
    resting: RestingChanges,
    *,
    at_ms: int,
) -> None:
    """Write all changes of the executed orders, whose trades have their ids from `number_trades`."""
    touched = {id(position): position for trade in trades_made for position in trade.positions}
    touched.update((id(position), position) for position in resting.positions)
    positions.write_with_ids(into, list(touched.values()), ahead.position_ids)
    of_bets = trades_made
    if not resting.is_empty:
        write_orders(into, new=list(resting.new.values()), changed=list(resting.changed.values()))
        of_orders = [trade for trade in trades_made if trade.order_id is not None]
        of_bets = [trade for trade in trades_made if trade.order_id is None]
        insert_rows(into, trades, _ORDER_TRADE, [_order_trade_row(trade) for trade in of_orders])
        write_dues(into, resting.dues())
        resting.levels.write(into)
    of_baskets = [trade for trade in of_bets if trade.basket is not None]
    if of_baskets:
        of_bets = [trade for trade in of_bets if trade.basket is None]
        basket_store.write(into, of_baskets, (*_TRADE, "basket_id"), [_basket_trade_row(one) for one in of_baskets])
    insert_rows(into, trades, _TRADE, [_trade_row(trade) for trade in of_bets])
    ledger_tx.post(at_ms=at_ms, into=into)
    _write_pools(into, trades_made, resting)
    charts.write_pnl(
        into,
        [
            PnlChange(user_id=trade.user_id, pnl_kopecks=trade.pnl_kopecks, at_ms=trade.pool.at_ms, closed=trade.closes)
            for trade in trades_made
            if not trade.is_buy and not trade.is_maker
        ],
        ahead.last_points,
    )
    begun = ahead.partner_ids if resting.is_empty else ahead.partner_ids | resting.begun_partner_ids()
    statements.write(into, resting.lines, begun, resting.held_kopecks)


def number_trades(
    tx: WriteTx,
    executed: Sequence[Executed],
    ahead: Ahead,
    ledger_tx: LedgerTransaction,
    swept: Sequence[MadeTrade] = (),
) -> list[MadeTrade]:
    """Give the trades of executed orders their ids, in the order in which they are returned.

    Each trade on arrival also gets that of its trader's trade before. `swept`: fills after all of them. The ids are
    drawn under the pools' locks, so within a pool they follow the order of execution.
    """
    made = [trade for one in executed for trade in one.trades] + list(swept)
    for trade, trade_id in zip(made, _enough(ahead.trade_ids, len(made), tx, trades), strict=True):
        trade.trade_id = trade_id
        if not trade.is_maker:
            trade.previous_trade_id = ledger_tx.note_trade(trade.account_id, trade_id)
        if trade.line is not None:
            trade.line.trade_id = trade_id
        for transfer in trade.transfers:
            transfer.trade_id = trade_id
    baskets = list({id(trade.basket): trade.basket for trade in made if trade.basket is not None}.values())
    for basket, basket_id in zip(baskets, ahead.basket_ids[: len(baskets)], strict=True):
        basket.id = basket_id
        if basket.line is not None:
            basket.line.basket_id = basket_id
    basket_store.encode_answers(baskets)
    return made


def number_positions(tx: WriteTx, trades_made: Sequence[MadeTrade], ahead: Ahead) -> None:
    """Draw more ids for positions where resting orders opened more than one an order."""
    new = {id(position) for trade in trades_made for position in trade.positions if not position.id}
    if len(new) > len(ahead.position_ids):
        ahead.position_ids = _enough(ahead.position_ids, len(new), tx, positions_table)


def trade_stats(trades_made: Sequence[MadeTrade]) -> list[TradeStats]:
    """Return what trades add to the day's statistics."""
    return [
        TradeStats(
            user_id=trade.user_id,
            at_ms=trade.pool.at_ms,
            volume_kopecks=trade.money_kopecks,
            fee_kopecks=trade.fee_kopecks,
            shares_change=trade.shares_change,
        )
        for trade in trades_made
    ]


def _enough(ids: Sequence[int], count: int, tx: WriteTx, table: sa.Table) -> Sequence[int]:
    """Return the first `count` of the ids that were drawn, with more where resting orders made more rows."""
    if count <= len(ids):
        return ids[:count]
    if ids and tx.dialect.name == "sqlite":
        # The only writer: no one else has drawn any since.
        return range(ids[0], ids[0] + count)
    return [*ids, *draw_ids(tx, table, count - len(ids))]


def _write_pools(into: Sink, trades_made: Sequence[MadeTrade], resting: RestingChanges) -> None:
    by_id = {id(trade.pool): trade.pool for trade in trades_made}
    traded = sorted(by_id.values(), key=lambda pool: pool.row.id)
    charts.record_trades(into, [_pool_trades(pool) for pool in traded])
    if resting.is_empty:
        update_rows(into, pools, _POOL, [_pool_change(pool) for pool in traded])
    else:
        # Each row in one of the two: no two parts of a statement may change it.
        counted = [pool for pool in resting.pools.values() if pool.opened_orders]
        others = {pool.row.id for pool in counted}
        update_rows(into, pools, _POOL, [_pool_change(pool) for pool in traded if pool.row.id not in others])
        rows = [(*_pool_change(pool)[:-1], pool.open_orders_after, pool.row.id) for pool in counted]
        update_rows(into, pools, (*_POOL, "open_orders"), rows)
    changes = [change for pool in traded for change in pool.markets_after()]
    update_rows(into, markets, ("volume_kopecks", "q_yes", "q_no"), changes)
    volumes: dict[int, int] = {}
    for pool in traded:
        volumes[pool.row.event_id] = volumes.get(pool.row.event_id, 0) + sum(pool.volume_kopecks.values())
    apply(into, _ADD_VOLUME, [(volumes[event_id], event_id) for event_id in sorted(volumes)])


_POOL = ("volume_kopecks", "trade_count", "last_trade_at_ms")
#: Adds to the event's volume instead of setting it: transactions in its other pools change it at the same time.
_ADD_VOLUME = Update(events, ("volume_kopecks",), added=("volume_kopecks",), shared=True)


def _pool_change(pool: TradedPool) -> tuple[int, int, int | None, int]:
    return (pool.volume_kopecks_after, pool.trade_count_after, pool.last_trade_at_ms_after, pool.row.id)


def _pool_trades(pool: TradedPool) -> PoolTrades:
    row = pool.row
    before = CurrentPrices(probabilities=pool.before, since_ms=since_ms_of(row))
    return PoolTrades(pool_id=row.id, first_ordinal=row.trade_count + 1, before=before, points=pool.points)


_TRADE = (
    "id",
    "event_id",
    "pool_id",
    "market_id",
    "user_id",
    "position_id",
    "action",
    "side",
    "amount_kopecks",
    "fee_kopecks",
    "shares",
    "pnl_kopecks",
    "probability_before",
    "probability_after",
    "created_at_ms",
    "previous_trade_id",
)


def _trade_row(trade: MadeTrade) -> tuple[Any, ...]:
    return (
        trade.trade_id,
        trade.pool.row.event_id,
        trade.pool.row.id,
        trade.market_id,
        trade.user_id,
        trade.position.id,
        "buy" if trade.is_buy else "sell",
        trade.side._value_,
        trade.money_kopecks,
        trade.fee_kopecks,
        trade.shares,
        trade.pnl_kopecks,
        trade.probability_before,
        trade.probability_after,
        trade.pool.at_ms,
        trade.previous_trade_id,
    )


#: In a statement of its own: bets belong to no limit order, and need not write that.
_ORDER_TRADE = (*_TRADE, "order_id", "role")


def _order_trade_row(trade: MadeTrade) -> tuple[Any, ...]:
    return (*_trade_row(trade), trade.order_id, "maker" if trade.is_maker else "taker")


def _basket_trade_row(trade: MadeTrade) -> tuple[Any, ...]:
    assert trade.basket is not None
    return (*_trade_row(trade), trade.basket.id)
