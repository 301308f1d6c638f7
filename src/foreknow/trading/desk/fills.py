"""What a batch does to resting orders: fills, ends, holds and returns, in memory.

No account of their owners is touched, but that of the order's own trader: money of others stays on the pool's order
account, and what is left to be done for them goes into `order_dues`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foreknow.money.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.book import Cancelled, MakerFill, MatchDecision, sweep
from foreknow.trading.desk.made import MadeTrade, TradedPool
from foreknow.trading.desk.state import LockedState
from foreknow.trading.effects.paying import line_of
from foreknow.trading.effects.settling import OrderEffects
from foreknow.trading.limit_orders.order import LimitOrderRow, OrderEnd
from foreknow.trading.limit_orders.store import OrderDue
from foreknow.trading.positions.store import OpenPosition


class RestingChanges(OrderEffects):
    """What a batch has changed of resting orders so far."""

    def __init__(self, state: LockedState, ledger_tx: LedgerTransaction) -> None:
        """`state` and `ledger_tx` are those of the batch."""
        super().__init__()
        self._state = state
        self._ledger_tx = ledger_tx
        #: By id: orders that have arrived, and others that were filled, ended or paid.
        self.new: dict[int, LimitOrderRow] = {}
        self.changed: dict[int, LimitOrderRow] = {}
        #: Fills of resting orders, which get a row of `order_dues`.
        self.fills: list[MadeTrade] = []
        #: Ends of orders that owe money to owners who are not here.
        self.ended: list[LimitOrderRow] = []
        self.pools: dict[int, TradedPool] = {}

    @property
    def is_empty(self) -> bool:
        """Whether no resting order has changed."""
        return not self.new and not self.changed

    @property
    def owes(self) -> bool:
        """Whether anything is left to be done for the owners of orders that others filled or ended."""
        return bool(self.fills or self.ended)

    def begun_partner_ids(self) -> set[int]:
        """Return the partners of resting orders' owners: their statements have begun with the orders' own lines."""
        found = {fill.partner_id for fill in self.fills if fill.partner_id is not None}
        return found - self._state.ids.partners.keys()

    def dues(self) -> list[OrderDue]:
        """Return what is left to be done for owners, once all trades have their ids."""
        rows = {**self.changed, **self.new}
        last = {fill.order_id: fill for fill in self.fills if rows[fill.order_id or 0].status == "filled"}
        of_fills = [
            OrderDue(
                pool_id=fill.pool.row.id,
                order_id=fill.order_id or 0,
                user_id=fill.user_id,
                trade_id=fill.trade_id,
                pnl_kopecks=None if fill.is_buy else fill.pnl_kopecks,
                closes=bool(fill.closes),
                completes=last.get(fill.order_id) is fill,
                created_at_ms=fill.pool.at_ms,
            )
            for fill in self.fills
        ]
        of_ends = [OrderDue.of_end(row, at_ms=row.updated_at_ms) for row in self.ended if row.owed_kopecks]
        return of_fills + of_ends

    def held_by_own(self, pool: TradedPool, decision: MatchDecision) -> int:
        """Return what a trader's own orders give back that a decision cancels because it would meet them."""
        return sum(self._row(pool, one).held_kopecks for one in decision.cancelled if one.reason == "self_trade")

    def return_own(self, pool: TradedPool, decision: MatchDecision, trader: SubAccount) -> None:
        """End a trader's own orders that the decision would have met; what they hold is paid at once."""
        for one in decision.cancelled:
            if one.reason == "self_trade":
                row = self._row(pool, one)
                self._end(pool, row, OrderEnd(pool.at_ms, "cancelled", "self_trade"))
                self.pay_out(pool, row, trader)

    def end_others(self, pool: TradedPool, cancelled: Sequence[Cancelled]) -> None:
        """End the orders that the sweep cancelled."""
        for one in cancelled:
            if one.reason != "self_trade":
                row = self._row(pool, one)
                self._end(pool, row, OrderEnd(pool.at_ms, "cancelled", one.reason))
                self.ended.append(row)

    def end(self, pool: TradedPool, row: LimitOrderRow, end: OrderEnd) -> None:
        """End an open order, which leaves the book."""
        if pool.resting is not None:
            pool.resting.book = pool.resting.book.without([pool.resting.resting_of(row)])
        self._end(pool, row, end)

    def pay_out(self, pool: TradedPool, row: LimitOrderRow, owner: SubAccount) -> None:
        """Pay what is owed for an order to its owner, whose account is locked."""
        if self.pay_for(self._ledger_tx, row, source=self._account(pool), target=owner.account_id, at_ms=pool.at_ms):
            self._note(pool, row)

    def rest(self, pool: TradedPool, row: LimitOrderRow, trader: SubAccount, *, funded_kopecks: int) -> None:
        """Let what is left of an order rest; its money is in the trader's account, `funded_kopecks` from the float."""
        if pool.orders_account_id is None:
            pool.orders_account_id = self._state.new_order_accounts[pool.row.id]
            self._state.ids.booked_markets[pool.row.id] = len(pool.row.markets)
            self._ledger_tx.open(pool.orders_account_id, kind=AccountKind.ORDERS, owner_id=pool.row.id)
        pool.opened_orders += 1
        self.levels.add(row, row.rest_shares)
        if row.is_buy:
            hold_kopecks = row.held_kopecks = row.hold_kopecks
            self._transfer(TransferKind.ORDER, trader.account_id, self._account(pool), hold_kopecks, row.id)
            self.hold(row, hold_kopecks)
            self.add_line(
                row,
                "order",
                at_ms=pool.at_ms,
                float_change_kopecks=-funded_kopecks,
                balance_change_kopecks=funded_kopecks - hold_kopecks,
            )
        else:
            self.reserve(self._state.positions[row.user_id, row.market_id, row.side], row.rest_shares)
        self._state.count_open(row, 1)

    def arrive(self, pool: TradedPool, row: LimitOrderRow) -> None:
        """Take a new order, whether it rests or not."""
        assert pool.resting is not None
        self.new[row.id] = row
        self.pools[pool.row.id] = pool
        pool.resting.add(row)

    def fill(self, pool: TradedPool, fills: Sequence[MakerFill]) -> list[MadeTrade]:
        """Fill resting orders; return their trades in the same order. Those who buy pay first: escrow pays the rest."""
        made: dict[int, MadeTrade] = {}
        for fill in sorted(fills, key=lambda fill: not fill.order.is_buy):
            made[fill.order.id] = self._fill(pool, fill)
        trades = [made[fill.order.id] for fill in fills]
        self.fills += trades
        self.lines += [trade.line for trade in trades if trade.line is not None]
        return trades

    def sweep(self, pool: TradedPool) -> list[MadeTrade]:
        """Let resting orders take what the curve offers; return their trades."""
        assert pool.resting is not None
        # After added liquidity or new priors no trade comes before these.
        before = None if pool.points else pool.probabilities
        result = sweep(pool.market_maker, pool.resting.book, after_outcome=None)
        trades = self.fill(pool, result.swept)
        self.end_others(pool, result.cancelled)
        pool.resting.book = result.book
        pool.move_to(result.after)
        count_fills(trades, before=before)
        return trades

    def _fill(self, pool: TradedPool, fill: MakerFill) -> MadeTrade:
        assert pool.resting is not None
        row = pool.resting.rows[fill.order.id]
        escrow, account = pool.row.escrow_account_id, self._account(pool)
        if row.is_buy:
            transfer = self._transfer(TransferKind.ORDER_BET, account, escrow, fill.money_kopecks, row.id)
            self.hold(row, -fill.money_kopecks)
        else:
            transfer = self._transfer(TransferKind.ORDER_SALE, escrow, account, fill.money_kopecks, row.id)
            self.hold(row, fill.money_kopecks)
        position = self._position(pool, row)
        pnl_kopecks = 0
        if row.is_buy:
            position.buy(shares=fill.shares, stake_kopecks=fill.money_kopecks)
        else:
            position.reserved_shares -= fill.shares
            pnl_kopecks = position.sell(shares=fill.shares, payout_kopecks=fill.money_kopecks, at_ms=pool.at_ms)
        if position.closed_at_ms is not None:
            self._state.close(position)
        self.levels.add(row, -fill.shares)
        row.fill(shares=fill.shares, money_kopecks=fill.money_kopecks, at_ms=pool.at_ms)
        self._note(pool, row)
        if not row.is_open:
            self._leave(pool, row)
        line = None
        if row.partner_id is not None:
            line = line_of(
                row, "bet" if row.is_buy else "sale", at_ms=pool.at_ms, market_id=row.market_id, order_id=row.id
            )
        return MadeTrade(
            pool=pool,
            market_id=row.market_id,
            side=Side(row.side),
            is_buy=row.is_buy,
            position=position,
            user_id=row.user_id,
            money_kopecks=fill.money_kopecks,
            shares=fill.shares,
            pnl_kopecks=pnl_kopecks,
            closes=position.closed_at_ms is not None,
            transfers=[transfer],
            order_id=row.id,
            is_maker=True,
            partner_id=row.partner_id,
            line=line,
        )

    def _row(self, pool: TradedPool, one: Cancelled) -> LimitOrderRow:
        assert pool.resting is not None
        return pool.resting.rows[one.order.id]

    def _end(self, pool: TradedPool, row: LimitOrderRow, end: OrderEnd) -> None:
        position = None
        if row.reserved_shares:
            position = self._state.positions[row.user_id, row.market_id, row.side]
        self.end_order(row, end, position)
        self._leave(pool, row)
        self._note(pool, row)

    def _leave(self, pool: TradedPool, row: LimitOrderRow) -> None:
        pool.opened_orders -= 1
        self.pools[pool.row.id] = pool
        self._state.count_open(row, -1)

    def _position(self, pool: TradedPool, row: LimitOrderRow) -> OpenPosition:
        return self._state.position(row.user_id, row.market_id, row.side, pool)

    def _note(self, pool: TradedPool, row: LimitOrderRow) -> None:
        self.pools[pool.row.id] = pool
        if row.id not in self.new:
            self.changed[row.id] = row

    def _account(self, pool: TradedPool) -> int:
        assert pool.orders_account_id is not None
        return pool.orders_account_id

    def _transfer(self, kind: TransferKind, source: int, target: int, amount_kopecks: int, order_id: int) -> Transfer:
        # What is held is paid whatever a balance may hold.
        transfer = Transfer(kind=kind, source=source, target=target, amount_kopecks=amount_kopecks, order_id=order_id)
        return self._ledger_tx.transfer(transfer, over_limit=True)


def count_fills(fills: Iterable[MadeTrade], *, before: Sequence[float] | None = None) -> None:
    """Give fills of resting orders their market's price, as it is now, before and after; count them.

    `before`: the prices before the first of them, where it is the first trade.
    """
    for fill in fills:
        pool = fill.pool
        outcome = pool.outcome_of(fill.market_id)
        fill.probability_after = pool.probabilities[outcome]
        fill.probability_before = fill.probability_after if before is None else before[outcome]
        before = None
        pool.add_trade(fill.market_id, fill.money_kopecks)
