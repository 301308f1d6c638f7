"""What a batch reads and writes in bulk: one statement a table, however many orders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from foreknow import charts, statements
from foreknow.access.callers import PartnerCaller
from foreknow.charts import PnlChange, PoolTrades
from foreknow.db.bulk import CompiledUpdate, insert_rows, update_rows
from foreknow.db.ids import draw_ids
from foreknow.db.transactions import WriteTx
from foreknow.events.tables import events
from foreknow.ledger import LedgerTransaction
from foreknow.markets.tables import markets
from foreknow.pools.charting import present
from foreknow.pools.tables import pools
from foreknow.positions import store as positions
from foreknow.positions.store import OpenPosition
from foreknow.statements import StatementLine
from foreknow.stats import TradeStats
from foreknow.trading.orders import Buy
from foreknow.trading.results import Execution, TradedPool
from foreknow.trading.tables import trades


def write_batch(tx: WriteTx, accepted: Sequence[Execution], ledger_tx: LedgerTransaction, *, at_ms: int) -> None:
    """Write everything that the accepted orders changed, and give each its trade id.

    Trade ids are drawn while the pools' locks are held, so that within a pool their order is the order of execution.
    """
    touched: dict[int, OpenPosition] = {id(one.position): one.position for one in accepted}
    positions.write(tx, list(touched.values()))
    for one, trade_id in zip(accepted, draw_ids(tx, trades, len(accepted)), strict=True):
        one.trade_id = trade_id
        for transfer in one.transfers:
            transfer.trade_id = trade_id
    insert_rows(tx, trades, _TRADE, [_trade_row(one) for one in accepted])
    ledger_tx.post(at_ms=at_ms)
    _write_pools(tx, {id(one.pool): one.pool for one in accepted}.values())
    charts.record_pnl(
        tx,
        [
            PnlChange(user_id=one.user_id, pnl_kopecks=one.pnl_kopecks, at_ms=one.pool.at_ms)
            for one in accepted
            if not isinstance(one.order.terms, Buy)
        ],
    )
    statements.record(tx, [line for one in accepted if (line := _statement_line(one)) is not None])


def trade_stats(accepted: Sequence[Execution]) -> list[TradeStats]:
    """Return what the accepted orders add to the day's statistics."""
    return [
        TradeStats(
            user_id=one.user_id,
            at_ms=one.pool.at_ms,
            volume_kopecks=one.priced.money_kopecks,
            fee_kopecks=one.priced.fee_kopecks,
            shares_change=one.priced.shares if isinstance(one.order.terms, Buy) else -one.priced.shares,
        )
        for one in accepted
    ]


def _write_pools(tx: WriteTx, traded: Iterable[TradedPool]) -> None:
    traded = sorted(traded, key=lambda pool: pool.row.id)
    charts.record_trades(tx, [_charted(pool) for pool in traded])
    update_rows(tx, pools, ("volume_kopecks", "trade_count", "last_trade_at_ms"), list(map(_pool_change, traded)))
    changes = [change for pool in traded for change in _market_changes(pool)]
    update_rows(tx, markets, ("volume_kopecks", "q_yes", "q_no"), changes)
    volumes: dict[int, int] = {}
    for pool in traded:
        volumes[pool.row.event_id] = volumes.get(pool.row.event_id, 0) + sum(pool.volume_kopecks.values())
    _ADD_VOLUME.run(tx, [{"event_id": event_id, "volume": volumes[event_id]} for event_id in sorted(volumes)])


#: An event's row is shared by its pools, which no one transaction need hold: so added to, not set.
_ADD_VOLUME = CompiledUpdate(
    lambda _dialect: (
        events.update()
        .where(events.c.id == sa.bindparam("event_id"))
        .values(volume_kopecks=events.c.volume_kopecks + sa.bindparam("volume"))
    )
)


def _charted(pool: TradedPool) -> PoolTrades:
    return PoolTrades(
        pool_id=pool.row.id, first_ordinal=pool.row.trade_count + 1, before=present(pool.row), points=pool.points
    )


def _pool_change(pool: TradedPool) -> tuple[int, int, int, int]:
    row = pool.row
    volume_kopecks = row.volume_kopecks + sum(pool.volume_kopecks.values())
    return (volume_kopecks, row.trade_count + len(pool.points), pool.at_ms, row.id)


def _market_changes(pool: TradedPool) -> Iterable[tuple[int, int, int, int]]:
    for market in pool.row.markets:
        if market.id in pool.volume_kopecks:
            volume_kopecks = market.volume_kopecks + pool.volume_kopecks[market.id]
            yield (volume_kopecks, *pool.market_maker.q(market.outcome_index), market.id)


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
)


def _trade_row(one: Execution) -> tuple[Any, ...]:
    pool, order, priced = one.pool.row, one.order, one.priced
    return (
        one.trade_id,
        pool.event_id,
        pool.id,
        order.market_id,
        one.user_id,
        one.position.id,
        "buy" if isinstance(order.terms, Buy) else "sell",
        order.side.value,
        priced.money_kopecks,
        priced.fee_kopecks,
        priced.shares,
        one.pnl_kopecks,
        one.probability_before,
        one.probability_after,
        one.pool.at_ms,
    )


def _statement_line(one: Execution) -> StatementLine | None:
    caller = one.order.caller
    if not isinstance(caller, PartnerCaller):
        return None
    float_change, balance_change = one.statement_kopecks
    return StatementLine(
        partner_id=caller.partner_id,
        type="bet" if isinstance(one.order.terms, Buy) else "sale",
        user_id=one.user_id,
        external_user_id=one.order.external_user_id,
        market_id=one.order.market_id,
        trade_id=one.trade_id,
        float_change_kopecks=float_change,
        balance_change_kopecks=balance_change,
        created_at_ms=one.pool.at_ms,
    )
