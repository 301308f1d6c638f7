"""Paying every open position of settled pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from foreknow import charts, notifications, statements, stats
from foreknow.charts import PnlChange
from foreknow.db.transactions import WriteTx
from foreknow.events.store import EventRow
from foreknow.house import take_back
from foreknow.kernel.chunks import chunks
from foreknow.ledger import LedgerTransaction, Transfer, TransferKind, house_account
from foreknow.markets.store import MarketRow
from foreknow.notifications import NewNotification
from foreknow.pools.store import PoolRow, mark_resolved
from foreknow.positions import store as positions
from foreknow.positions.store import OpenPosition
from foreknow.pricing import Lmsr, Side
from foreknow.settlement.resolution import Resolution
from foreknow.settlement.store import Holder, accounts_of_holders, load_holders
from foreknow.statements import StatementLine


@dataclass(slots=True)
class SettlementEffects:
    """What a settlement shows to traders, partners and operators, written after the transaction's last lock."""

    event: EventRow
    at_ms: int
    settled_shares: int = 0
    #: Money returned from escrow less the loss bounds the house had paid in, and what its own trader earned.
    house_result_kopecks: int = 0
    pnl: list[PnlChange] = field(default_factory=list)
    lines: list[StatementLine] = field(default_factory=list)
    notifications: list[NewNotification] = field(default_factory=list)

    def add(self, position: OpenPosition, holder: Holder, market: MarketRow, *, pnl_kopecks: int) -> None:
        """Record a settled position: a PnL point, and a notification (person) or a statement line (sub-account)."""
        self.settled_shares += position.settled_shares
        self.pnl.append(PnlChange(user_id=position.user_id, pnl_kopecks=pnl_kopecks, at_ms=self.at_ms))
        if holder.partner_id is None:
            notification = notifications.position_settled(
                user_id=position.user_id,
                event_id=self.event.id,
                event_name=self.event.name,
                market_name=market.name,
                side=position.side,
                shares=position.settled_shares,
                payout_kopecks=position.settled_kopecks,
                pnl_kopecks=position.pnl_kopecks,
                at_ms=self.at_ms,
            )
            self.notifications.append(notification)
            return
        line = StatementLine(
            partner_id=holder.partner_id,
            type="settlement",
            user_id=position.user_id,
            external_user_id=holder.external_user_id,
            market_id=position.market_id,
            float_change_kopecks=0,
            balance_change_kopecks=position.settled_kopecks,
            created_at_ms=self.at_ms,
        )
        self.lines.append(line)

    def write(self, tx: WriteTx) -> None:
        """Write everything, after the transaction's other locks."""
        charts.record_pnl(tx, self.pnl)
        notifications.record(tx, self.notifications)
        statements.record(tx, self.lines)
        stats.record_settlement(
            tx,
            at_ms=self.at_ms,
            settled_shares=self.settled_shares,
            house_result_kopecks=self.house_result_kopecks,
        )


def settle_pools(
    tx: WriteTx, pools: Sequence[PoolRow], resolution: Resolution, *, event: EventRow, at_ms: int
) -> SettlementEffects:
    """Settle locked, unresolved pools of an event with one resolution: pay open positions, return the rest of escrow.

    Payouts ignore the balance limit. The caller writes the returned effects after its last lock.
    """
    house = house_account(tx)
    effects = SettlementEffects(event, at_ms)
    with LedgerTransaction(tx) as ledger_tx:
        market_ids = [market.id for pool in pools for market in pool.markets if _has_open_shares(market)]
        ledger_tx.lock({house, *(pool.escrow_account_id for pool in pools), *accounts_of_holders(tx, market_ids)})
        settlement = _Settlement(resolution, ledger_tx, effects)
        for pool in pools:
            settlement.pay_pool(tx, pool)
            rest_kopecks = ledger_tx.balance_kopecks(pool.escrow_account_id)
            if pool.published_at_ms is not None:
                effects.house_result_kopecks += rest_kopecks - pool.loss_bound_kopecks
            effects.house_result_kopecks += take_back(tx, ledger_tx, pool.id)
            if rest_kopecks:
                ledger_tx.transfer(
                    Transfer(
                        kind=TransferKind.RETURN,
                        source=pool.escrow_account_id,
                        target=house,
                        amount_kopecks=rest_kopecks,
                    )
                )
        ledger_tx.post(at_ms=at_ms)
    pool_ids = [pool.id for pool in pools]
    mark_resolved(tx, pool_ids, won_side=resolution.won_side, resolution=resolution.requested, at_ms=at_ms)
    return effects


def _has_open_shares(market: MarketRow) -> bool:
    """Return whether open positions hold shares of a market: they hold exactly its outstanding shares."""
    return market.q_yes > 0 or market.q_no > 0


@dataclass(frozen=True, slots=True)
class _Settlement:
    """A resolution being paid out on locked balances."""

    resolution: Resolution
    ledger_tx: LedgerTransaction
    effects: SettlementEffects

    def pay_pool(self, tx: WriteTx, pool: PoolRow) -> None:
        """Pay and close every open position of a pool."""
        market_maker = pool.lmsr()
        for market in filter(_has_open_shares, pool.markets):
            # In chunks, so that only the position rows grow in memory with their number.
            for chunk in chunks(positions.open_of_markets(tx, [market.id])):
                self._pay(chunk, load_holders(tx, {position.user_id for position in chunk}), market_maker, pool, market)
                positions.write(tx, chunk)
                self.ledger_tx.post(at_ms=self.effects.at_ms)

    def _pay(
        self,
        open_positions: Sequence[OpenPosition],
        holders: Mapping[int, Holder],
        market_maker: Lmsr,
        pool: PoolRow,
        market: MarketRow,
    ) -> None:
        outcome, won_side = market.outcome_index, self.resolution.position_won_side(market.outcome_index)
        for position in open_positions:
            holder = holders[position.user_id]
            payout_kopecks = self.resolution.payout_kopecks(market_maker, outcome, Side(position.side), position.shares)
            if payout_kopecks:
                transfer = Transfer(
                    kind=TransferKind.SETTLEMENT,
                    source=pool.escrow_account_id,
                    target=holder.account_id,
                    amount_kopecks=payout_kopecks,
                    position_id=position.id,
                )
                self.ledger_tx.transfer(transfer, over_limit=True)
            pnl_kopecks = position.settle(payout_kopecks=payout_kopecks, won_side=won_side, at_ms=self.effects.at_ms)
            self.effects.add(position, holder, market, pnl_kopecks=pnl_kopecks)
