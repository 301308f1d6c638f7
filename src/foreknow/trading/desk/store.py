"""Bulk writes of a batch: one statement per table, whatever the number of orders, or one for all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from foreknow.kernel.access.callers import PartnerCaller
from foreknow.market import charts
from foreknow.market.charts import LastPoint, PnlChange, PoolTrades
from foreknow.market.events.tables import events
from foreknow.market.markets.tables import markets
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.store import PricedPool
from foreknow.market.pools.tables import pools
from foreknow.money import statements
from foreknow.money.ledger import LedgerTransaction
from foreknow.money.statements import StatementLine
from foreknow.money.stats import TradeStats
from foreknow.platform.db.bulk import Fetch
from foreknow.platform.db.changes import Sink, Update, apply, insert_rows, update_rows
from foreknow.platform.db.ids import ids_fetch
from foreknow.trading.desk.orders import Buy
from foreknow.trading.desk.results import Execution, TradedPool
from foreknow.trading.desk.tables import trades
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.store import OpenPosition
from foreknow.trading.positions.tables import positions as positions_table


@dataclass(frozen=True, slots=True)
class Ahead:
    """What is read before orders are executed, so that nothing need be read to write them.

    The ids are enough for all orders, those that are not executed included.
    """

    trade_ids: Sequence[int]
    position_ids: Sequence[int]
    #: By id of the users who sell.
    last_points: Mapping[int, LastPoint]
    #: The partners whose statements have begun.
    partner_ids: set[int]


class LastIds(NamedTuple):
    """The highest ids ever used."""

    trade_id: int
    position_id: int


class AheadFetch:
    """The queries of an `Ahead`, to be fetched with others under the locks of the traders' accounts."""

    def __init__(
        self, orders: int, *, seller_ids: Collection[int], partner_ids: Collection[int], last_ids: LastIds | None = None
    ) -> None:
        """Read what `orders` orders need; `last_ids` where they are known, and none can have been drawn since."""
        self._orders, self._last_ids = orders, last_ids
        drawn = orders if last_ids is None else 0
        self._trade_ids, self._position_ids = ids_fetch(trades, drawn), ids_fetch(positions_table, drawn)
        self._last_points = charts.last_points_fetch(seller_ids)
        self._begun = statements.begun_fetch(partner_ids)
        self.fetches: tuple[Fetch[Any], ...] = (self._trade_ids, self._position_ids, self._last_points, self._begun)

    @property
    def result(self) -> Ahead:
        """What was read."""
        trade_ids: Sequence[int]
        position_ids: Sequence[int]
        if self._last_ids is None:
            trade_ids, position_ids = self._trade_ids.result, self._position_ids.result
        else:
            trade_ids, position_ids = (range(last + 1, last + 1 + self._orders) for last in self._last_ids)
        return Ahead(trade_ids, position_ids, self._last_points.result, self._begun.result)


def write_batch(
    into: Sink, executions: Sequence[Execution], ledger_tx: LedgerTransaction, ahead: Ahead, *, at_ms: int
) -> None:
    """Write all changes of the executed orders, which have their trade ids from `number_trades`."""
    positions_by_id: dict[int, OpenPosition] = {id(execution.position): execution.position for execution in executions}
    positions.write_with_ids(into, list(positions_by_id.values()), ahead.position_ids)
    insert_rows(into, trades, _TRADE, [_trade_row(execution) for execution in executions])
    ledger_tx.post(at_ms=at_ms, into=into)
    _write_pools(into, {id(execution.pool): execution.pool for execution in executions}.values())
    charts.write_pnl(
        into,
        [
            PnlChange(
                user_id=execution.user_id,
                pnl_kopecks=execution.pnl_kopecks,
                at_ms=execution.pool.at_ms,
                closed=execution.closes,
            )
            for execution in executions
            if not isinstance(execution.order.terms, Buy)
        ],
        ahead.last_points,
    )
    lines = [line for execution in executions if (line := _statement_line(execution)) is not None]
    statements.write(into, lines, ahead.partner_ids)


def number_trades(executions: Sequence[Execution], ahead: Ahead, ledger_tx: LedgerTransaction) -> None:
    """Give each executed order its trade id, and that of its trader's trade before.

    The ids were drawn under the pools' locks, so within a pool they follow the order of execution.
    """
    for execution, trade_id in zip(executions, ahead.trade_ids[: len(executions)], strict=True):
        execution.trade_id = trade_id
        execution.previous_trade_id = ledger_tx.note_trade(execution.account_id, trade_id)
        for transfer in execution.transfers:
            transfer.trade_id = trade_id


def trade_stats(executions: Sequence[Execution]) -> list[TradeStats]:
    """Return what the executed orders add to the day's statistics."""
    return [
        TradeStats(
            user_id=execution.user_id,
            at_ms=execution.pool.at_ms,
            volume_kopecks=execution.priced.money_kopecks,
            fee_kopecks=execution.priced.fee_kopecks,
            shares_change=_shares_change(execution),
        )
        for execution in executions
    ]


def _shares_change(execution: Execution) -> int:
    shares = execution.priced.shares
    return shares if isinstance(execution.order.terms, Buy) else -shares


def _write_pools(into: Sink, traded: Iterable[TradedPool]) -> None:
    traded = sorted(traded, key=lambda pool: pool.row.id)
    charts.record_trades(into, [_pool_trades(pool) for pool in traded])
    after = [pool.row_after() for pool in traded]
    of_pools = [(row.volume_kopecks, row.trade_count, row.last_trade_at_ms, row.id) for row in after]
    update_rows(into, pools, ("volume_kopecks", "trade_count", "last_trade_at_ms"), of_pools)
    changes = [change for pool, row in zip(traded, after, strict=True) for change in _market_changes(pool, row)]
    update_rows(into, markets, ("volume_kopecks", "q_yes", "q_no"), changes)
    volumes: dict[int, int] = {}
    for pool in traded:
        volumes[pool.row.event_id] = volumes.get(pool.row.event_id, 0) + sum(pool.volume_kopecks.values())
    apply(into, _ADD_VOLUME, [(volumes[event_id], event_id) for event_id in sorted(volumes)])


#: Adds to the event's volume instead of setting it: transactions in its other pools change it at the same time.
_ADD_VOLUME = Update(events, ("volume_kopecks",), added=("volume_kopecks",), shared=True)


def _pool_trades(pool: TradedPool) -> PoolTrades:
    return PoolTrades(
        pool_id=pool.row.id, first_ordinal=pool.row.trade_count + 1, before=current_prices(pool.row), points=pool.points
    )


def _market_changes(pool: TradedPool, after: PricedPool) -> Iterable[tuple[int, int, int, int]]:
    for market in after.markets:
        if market.id in pool.volume_kopecks:
            yield (market.volume_kopecks, market.q_yes, market.q_no, market.id)


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


def _trade_row(execution: Execution) -> tuple[Any, ...]:
    pool, order, priced = execution.pool.row, execution.order, execution.priced
    return (
        execution.trade_id,
        pool.event_id,
        pool.id,
        order.market_id,
        execution.user_id,
        execution.position.id,
        "buy" if isinstance(order.terms, Buy) else "sell",
        order.side._value_,
        priced.money_kopecks,
        priced.fee_kopecks,
        priced.shares,
        execution.pnl_kopecks,
        execution.probability_before,
        execution.probability_after,
        execution.pool.at_ms,
        execution.previous_trade_id,
    )


def _statement_line(execution: Execution) -> StatementLine | None:
    caller = execution.order.caller
    if not isinstance(caller, PartnerCaller):
        return None
    float_change, balance_change = execution.statement_kopecks
    return StatementLine(
        partner_id=caller.partner_id,
        type="bet" if isinstance(execution.order.terms, Buy) else "sale",
        user_id=execution.user_id,
        external_user_id=execution.order.external_user_id,
        market_id=execution.order.market_id,
        trade_id=execution.trade_id,
        float_change_kopecks=float_change,
        balance_change_kopecks=balance_change,
        created_at_ms=execution.pool.at_ms,
    )
