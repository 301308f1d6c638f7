"""Paying a resolved pool: its positions piece by piece, then the rest of its escrow back to the house.

Each piece is one transaction and leaves the books right. It locks the pool, its escrow and the accounts of the holders
it pays, and nothing that other pools' orders share for longer than its last statements. The last transaction locks the
house's account, and so does one that pays a holder whose account was deleted: what is paid goes on to the house.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sqlalchemy as sa

from foreknow.market import charts
from foreknow.market.charts import PnlChange
from foreknow.market.events.store import EventRow, EventStatus, load_events
from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.store import PoolRow, PricedPool, lock_pools_of_event, mark_paid
from foreknow.money import statements, stats
from foreknow.money.ledger import LedgerTransaction, Transfer, TransferKind, house_account
from foreknow.money.pricing import Side
from foreknow.money.statements import StatementLine
from foreknow.people import admin_log, notifications
from foreknow.people.follows import news
from foreknow.people.notifications import NewNotifications
from foreknow.people.notifications.kinds.followed import EventResolved
from foreknow.people.notifications.kinds.own import PositionSettled
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.effects.paying import line_of, paying
from foreknow.trading.house import find_trader, take_back
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.store import OpenPosition

#: What the log of admins' actions calls a decision on another user's pool, and a correction.
RESOLVED, CORRECTED = "pool.resolve", "pool.correct"


@dataclass(frozen=True, slots=True)
class PaymentProgress:
    """How far a pool is paid: markets in outcome order, positions of each by id."""

    outcome_index: int = 0
    after_id: int = 0
    #: Before any is paid: up to which position of a list's Other all are turned.
    turned_id: int = 0

    @property
    def has_begun(self) -> bool:
        """Whether any position may have been paid."""
        return bool(self.outcome_index or self.after_id)


@dataclass(frozen=True, slots=True)
class Piece:
    """What one transaction paid."""

    positions: int
    #: Where the next piece begins; None where no position is left.
    next: PaymentProgress | None


def pay_piece(tx: WriteTx, pool: PoolRow, place: PaymentProgress, *, size: int) -> Piece:
    """Pay and close up to `size` open positions of a locked, resolved pool, from `place` on.

    Payouts ignore the balance limit. Positions before `place` are closed.
    """
    found, after = next_positions(tx, pool, place, size)
    if found:
        event = load_events(tx, [pool.event_id])[pool.event_id]
        _pay(tx, pool, event, found)
    return Piece(len(found), after)


def finish(tx: WriteTx, pool_id: int, event_id: int) -> None:
    """Return the rest of a paid pool's escrow to the house; with the last pool, notify creator and followers."""
    # All pools of the event: of its last two that are finished at once, one must see the other.
    pools = lock_pools_of_event(tx, event_id)
    pool = pools[pool_id]
    assert pool.paying
    at_ms = _after_all_trades(tx, pool)
    result_kopecks = _return_rest(tx, pool, at_ms=at_ms)
    mark_paid(tx, pool_id, at_ms=at_ms)
    event = load_events(tx, [event_id])[event_id]
    is_last = not any(other.paying for other in pools.values() if other.id != pool_id)
    if event.status is EventStatus.RESOLVED and is_last:
        new = NewNotifications(event, at_ms=at_ms)
        resolved = _resolved(pools.values())
        notifications.record(tx, new.add(event.creator_id, resolved))
        without = {event.creator_id, *_last_decider(tx, pools)}
        news.write(tx, event.id, replace(resolved, followed=True), without=without, at_ms=at_ms)
    stats.record_settlement(tx, at_ms=at_ms, settled_shares=0, house_result_kopecks=result_kopecks)


def _resolved(pools: Iterable[PoolRow]) -> EventResolved:
    """Return how the pools of an event ended."""
    ends = [(pool, pool.decision.resolution) for pool in pools if pool.decision is not None]
    names = [pool.winner_name(resolution) for pool, resolution in ends]
    payouts = ends[0][1].paid_parts() if len(ends) == 1 else None
    return EventResolved(result=", ".join(filter(None, names)), payouts=payouts)


def _last_decider(tx: WriteTx, pools: Mapping[int, PoolRow]) -> set[int]:
    """Return the admin who gave an event's last decision, as the log of their actions has it; empty for no admin."""
    last = max(pools.values(), key=lambda pool: 0 if pool.decision is None else pool.decision.at_ms)
    if last.decision is None or last.decision.by != "admin":
        return set()
    actor_id = admin_log.last_actor(tx, target=f"pool:{last.id}", actions=(RESOLVED, CORRECTED))
    return set() if actor_id is None else {actor_id}


@dataclass(frozen=True, slots=True)
class Payee:
    """Who is paid: `partner_id` and `external_user_id` are None for a person."""

    user_id: int
    account_id: int
    partner_id: int | None
    external_user_id: str | None


@dataclass(slots=True)
class _Effects:
    """What a piece shows to traders, partners and operators, written after the transaction's last lock."""

    event: EventRow
    pool: PoolRow
    at_ms: int
    #: Who gets no notifications: their accounts were deleted.
    deleted_ids: Collection[int]
    settled_shares: int = 0
    pnl: list[PnlChange] = field(default_factory=list)
    lines: list[StatementLine] = field(default_factory=list)
    notifications: NewNotifications = field(init=False)
    #: The name of what won, and what a YES share of each outcome is paid.
    result: str = field(init=False)
    payouts: tuple[float, ...] | None = field(init=False)

    def __post_init__(self) -> None:
        assert self.pool.decision is not None
        resolution = self.pool.decision.resolution
        self.notifications = NewNotifications(self.event, at_ms=self.at_ms)
        self.result, self.payouts = self.pool.winner_name(resolution), resolution.paid_parts()

    def add(self, position: OpenPosition, holder: Payee, market: MarketRow, *, pnl_kopecks: int) -> None:
        """Record a settled position: a PnL point, and a notification (person) or a statement line (sub-account)."""
        self.settled_shares += position.settled_shares
        self.pnl.append(PnlChange(user_id=position.user_id, pnl_kopecks=pnl_kopecks, at_ms=self.at_ms, closed=True))
        if position.user_id in self.deleted_ids:
            return
        if holder.partner_id is None:
            settled = PositionSettled(
                pool_name=self.pool.name,
                pool_name_ru=self.pool.name_ru,
                market_name=market.name,
                token_type=Side(position.side),
                shares=position.settled_shares,
                payout_kopecks=position.settled_kopecks,
                pnl_kopecks=position.pnl_kopecks,
                result=self.result,
                payouts=self.payouts,
            )
            self.notifications.add(position.user_id, settled)
            return
        line = line_of(
            holder,
            "settlement",
            at_ms=self.at_ms,
            market_id=position.market_id,
            balance_change_kopecks=position.settled_kopecks,
        )
        self.lines.append(line)

    def write(self, tx: WriteTx) -> None:
        """Write everything, after the transaction's other locks."""
        charts.record_pnl(tx, self.pnl)
        notifications.record(tx, self.notifications)
        statements.record(tx, self.lines)
        stats.record_settlement(tx, at_ms=self.at_ms, settled_shares=self.settled_shares, house_result_kopecks=0)


def next_positions(
    tx: ReadTx, pool: PricedPool, place: PaymentProgress, size: int
) -> tuple[list[tuple[MarketRow, OpenPosition]], PaymentProgress | None]:
    """Return the next open positions of a pool, each with its market, and the place after them; None for no more."""
    found: list[tuple[MarketRow, OpenPosition]] = []
    after_id = place.after_id
    for market in pool.markets[place.outcome_index :]:
        if market.q_yes > 0 or market.q_no > 0:
            left = size - len(found)
            held = positions.open_of_market(tx, market.id, after_id=after_id, limit=left)
            found += [(market, position) for position in held]
            if len(held) == left:
                return found, PaymentProgress(market.outcome_index, held[-1].id)
        after_id = 0
    return found, None


def _pay(
    tx: WriteTx,
    pool: PoolRow,
    event: EventRow,
    found: Sequence[tuple[MarketRow, OpenPosition]],
) -> None:
    assert pool.decision is not None
    resolution, market_maker = pool.decision.resolution, pool.lmsr_at(pool.decision.void_prices)
    rows = _PAYEES.fetch(tx, {"ids": {position.user_id for _, position in found}})
    holders = {user_id: Payee(user_id, *rest) for user_id, *rest in rows}
    accounts = {user_id: holder.account_id for user_id, holder in holders.items()}
    escrow = pool.escrow_account_id
    with paying(tx, accounts, sources=[escrow], not_before_ms=pool.last_trade_at_ms or 0) as payment:
        effects = _Effects(event, pool, payment.at_ms, payment.deleted_ids)
        for market, position in found:
            holder, outcome = holders[position.user_id], market.outcome_index
            payout_kopecks = resolution.payout_kopecks(market_maker, outcome, Side(position.side), position.shares)
            if payout_kopecks:
                transfer = Transfer(
                    kind=TransferKind.SETTLEMENT,
                    source=escrow,
                    target=holder.account_id,
                    amount_kopecks=payout_kopecks,
                    position_id=position.id,
                )
                payment.ledger_tx.transfer(transfer, over_limit=True)
            pnl_kopecks = position.settle(
                payout_kopecks=payout_kopecks, won_side=resolution.position_won_side(outcome), at_ms=effects.at_ms
            )
            effects.add(position, holder, market, pnl_kopecks=pnl_kopecks)
    positions.write(tx, [position for _, position in found])
    effects.write(tx)
    payment.write(tx)


def _return_rest(tx: WriteTx, pool: PoolRow, *, at_ms: int) -> int:
    """Move what is left in escrow, and what the house's own trader was paid, to the house.

    Returns the house's result of the pool: that rest less what it had paid in, and what its trader earned.
    """
    house, trader = house_account(tx), find_trader(tx)
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock({house, pool.escrow_account_id, *([] if trader is None else [trader.account_id])})
        rest_kopecks = ledger_tx.balance_kopecks(pool.escrow_account_id)
        earned_kopecks = take_back(tx, ledger_tx, pool.id)
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
    return rest_kopecks - pool.loss_bound_kopecks + earned_kopecks


def _after_all_trades(tx: ReadTx, pool: PricedPool) -> int:
    """Return the time, but not before the pool's last trade: the clock may have been set back."""
    return max(now_ms(tx), pool.last_trade_at_ms or 0)


_PAYEES = CompiledQuery(
    sa.select(users.c.id, users.c.account_id, users.c.partner_id, users.c.external_user_id).where(in_array(users.c.id))
)
