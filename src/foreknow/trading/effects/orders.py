"""How a limit order ends, and how it is paid for: in the desk's batches, by the worker, and with a split."""

from __future__ import annotations

from typing import Literal

from foreknow.money.ledger import LedgerTransaction, Transfer, TransferKind
from foreknow.money.statements import StatementLine
from foreknow.trading.effects.lines import line_of
from foreknow.trading.limit_orders.levels import LevelChanges
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.status import OrderEnd
from foreknow.trading.positions.position import OpenPosition


class OrderEffects:
    """What ends of orders, and payments for them, change beside the orders' own rows."""

    def __init__(self) -> None:
        """Begin with no change."""
        #: Shares that came to rest, and that fills and ends have taken.
        self.levels = LevelChanges()
        #: Positions whose shares came to be reserved, or free.
        self.positions: list[OpenPosition] = []
        #: By partner: what orders of its users hold more than before.
        self.held_kopecks: dict[int, int] = {}
        #: Of partners' statements, in their order.
        self.lines: list[StatementLine] = []

    def end_order(self, row: LimitOrderRow, end: OrderEnd, position: OpenPosition | None) -> None:
        """End an open order: what it holds is owed, and the shares of `position` that it offers are free."""
        if row.reserved_shares:
            assert position is not None
            self.reserve(position, -row.reserved_shares)
        self.levels.add(row, -row.rest_shares)
        row.end(end.status, end.reason, at_ms=end.at_ms)

    def pay_for(
        self, ledger_tx: LedgerTransaction, row: LimitOrderRow, *, source: int, target: int, at_ms: int
    ) -> bool:
        """Pay what is owed for an order from its pool's order account to its owner's; return whether anything was."""
        owed_kopecks = row.pay_out()
        if not owed_kopecks:
            return False
        transfer = Transfer(
            kind=TransferKind.ORDER_RETURN, source=source, target=target, amount_kopecks=owed_kopecks, order_id=row.id
        )
        # What is held is paid whatever a balance may hold.
        ledger_tx.transfer(transfer, over_limit=True)
        self.hold(row, -owed_kopecks)
        self.add_line(row, "order_return", at_ms=at_ms, balance_change_kopecks=owed_kopecks)
        return True

    def reserve(self, position: OpenPosition, shares: int) -> None:
        """Reserve shares of a position for orders, or free some (below 0)."""
        position.reserved_shares += shares
        assert 0 <= position.reserved_shares <= position.shares
        self.positions.append(position)

    def hold(self, row: LimitOrderRow, kopecks: int) -> None:
        """Note that an order holds more than before, or less (below 0)."""
        if row.partner_id is not None:
            self.held_kopecks[row.partner_id] = self.held_kopecks.get(row.partner_id, 0) + kopecks

    def add_line(
        self,
        row: LimitOrderRow,
        kind: Literal["order", "order_return"],
        *,
        at_ms: int,
        float_change_kopecks: int = 0,
        balance_change_kopecks: int,
    ) -> None:
        """Add the line of an order to the statement of its user's partner, if it has one."""
        if row.partner_id is not None:
            line = line_of(
                row,
                kind,
                at_ms=at_ms,
                market_id=row.market_id,
                order_id=row.id,
                float_change_kopecks=float_change_kopecks,
                balance_change_kopecks=balance_change_kopecks,
            )
            self.lines.append(line)
