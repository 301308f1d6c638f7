"""Paying every open position of settled pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from foreknow import charts, notifications, statements, stats
from foreknow.charts import PnlChange
from foreknow.db.transactions import WriteTx
from foreknow.events.store import EventRow
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
    """What traders, partners and operators will see of a settlement; written when nothing else is left to lock."""

    event: EventRow
    at_ms: int
    settled_shares: int = 0
    #: What came back from escrow less what the house had paid in.
    house_result_kopecks: int = 0
    pnl: list[PnlChange] = field(default_factory=list)
    lines: list[StatementLine] = field(default_factory=list)
    notices: list[NewNotification] = field(default_factory=list)

    def add(self, position: OpenPosition, holder: Holder, market: MarketRow, *, pnl_kopecks: int) -> None:
        """Note a settled position: a point of its holder's PnL chart, and word to who holds it.

        That is a notice to a person, and a line of its partner's statement for a sub-account.
        """
        self.settled_shares += position.settled_shares
        self.pnl.append(PnlChange(user_id=position.user_id, pnl_kopecks=pnl_kopecks, at_ms=self.at_ms))
        if holder.partner_id is None:
            notice = notifications.position_settled(
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
            self.notices.append(notice)
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
        """Write it, after the transaction's other locks."""
        charts.record_pnl(tx, self.pnl)
        notifications.record(tx, self.notices)
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
    """Settle locked, unresolved pools of an event alike: pay the open positions, give the house what escrows have left.

    A settlement is paid even over the limit of a balance. All accounts are locked at once, in id order. Returns the
    record, which the caller writes once it holds its last lock.
    """
    house = house_account(tx)
    record = SettlementEffects(event, at_ms)
    with LedgerTransaction(tx) as ledger_tx:
        held = [market.id for pool in pools for market in pool.markets if _is_held(market)]
        ledger_tx.lock({house, *(pool.escrow_account_id for pool in pools), *accounts_of_holders(tx, held)})
        settlement = _Settlement(resolution, ledger_tx, record)
        for pool in pools:
            settlement.pay_pool(tx, pool)
            rest_kopecks = ledger_tx.balance_kopecks(pool.escrow_account_id)
            if pool.published_at_ms is not None:
                record.house_result_kopecks += rest_kopecks - pool.loss_bound_kopecks
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
    return record


def _is_held(market: MarketRow) -> bool:
    """Tell whether anybody holds shares of it: what is outstanding is what open positions hold."""
    return market.q_yes > 0 or market.q_no > 0


@dataclass(frozen=True, slots=True)
class _Settlement:
    """A verdict being carried out on locked balances."""

    resolution: Resolution
    ledger_tx: LedgerTransaction
    record: SettlementEffects

    def pay_pool(self, tx: WriteTx, pool: PoolRow) -> None:
        """Pay and close every open position of a pool."""
        market_maker = pool.lmsr()
        for market in filter(_is_held, pool.markets):
            # In chunks, so that only the rows themselves grow in memory with the number of positions.
            for chunk in chunks(positions.open_of_markets(tx, [market.id])):
                self._pay(chunk, load_holders(tx, {position.user_id for position in chunk}), market_maker, pool, market)
                positions.write(tx, chunk)
                self.ledger_tx.post(at_ms=self.record.at_ms)

    def _pay(
        self,
        held: Sequence[OpenPosition],
        holders: Mapping[int, Holder],
        market_maker: Lmsr,
        pool: PoolRow,
        market: MarketRow,
    ) -> None:
        outcome, won_side = market.outcome_index, self.resolution.position_won_side(market.outcome_index)
        for position in held:
            holder = holders[position.user_id]
            payout_kopecks = self.resolution.payout_kopecks(market_maker, outcome, Side(position.side), position.shares)
            if payout_kopecks:
                paid = Transfer(
                    kind=TransferKind.SETTLEMENT,
                    source=pool.escrow_account_id,
                    target=holder.account_id,
                    amount_kopecks=payout_kopecks,
                    position_id=position.id,
                )
                self.ledger_tx.transfer(paid, over_limit=True)
            pnl_kopecks = position.settle(payout_kopecks=payout_kopecks, won_side=won_side, at_ms=self.record.at_ms)
            self.record.add(position, holder, market, pnl_kopecks=pnl_kopecks)
