"""The cancelling of limit orders."""

from __future__ import annotations

import msgspec

from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.desk.errors import Unended
from foreknow.trading.desk.floor import Floor, OrderKind
from foreknow.trading.desk.id_cache import MarketPlace
from foreknow.trading.desk.made import TradedPool
from foreknow.trading.desk.orders import OrderCancellation
from foreknow.trading.desk.state import Needs
from foreknow.trading.limit_orders.order import LimitOrderRow, OrderEnd, end_of


class Cancel(OrderKind, frozen=True, kw_only=True, gc=False):
    """Cancel orders of one pool, and pay out what is owed for those that have ended, too."""

    order_ids: tuple[int, ...]
    #: Who placed them.
    owners: tuple[SubAccount, ...]

    @property
    def trades(self) -> bool:
        """Whether it trades."""
        return False

    def need(self, needs: Needs, place: MarketPlace, trader: SubAccount | None) -> None:
        """Need the orders, and the accounts of their owners."""
        needs.cancelling_ids.add(place.pool_id)
        needs.order_ids.update(self.order_ids)
        needs.accounts.update((place.pool_id, owner.account_id) for owner in self.owners)

    def execute(self, floor: Floor) -> OrderCancellation:
        """Cancel the open ones, and pay what is owed for all of them."""
        state, resting = floor.state, floor.resting
        pool = state.pools[state.ids.markets[self.market_id].pool_id]
        owners = {owner.user_id: owner for owner in self.owners}
        if self.visitor is not None:
            self._check_ended(floor, pool, self.visitor.user_id)
        rows: list[LimitOrderRow] = []
        cancelled: list[LimitOrderRow] = []
        for order_id in self.order_ids:
            if order_id not in state.found_orders:
                continue
            found, ends = state.found_orders[order_id]
            row = found.order if pool.resting is None else pool.resting.take_row(found)
            if found.position is not None and pool.resting is None:
                state.positions.setdefault(found.position.key, found.position)
            if row.user_id not in owners or row.pool_id != pool.row.id:
                continue
            is_cancelled = False
            if row.is_open:
                end = end_of(row, ends, now_ms=state.now_ms)
                resting.end(pool, row, end or OrderEnd(pool.at_ms, "cancelled", "user"))
                is_cancelled = end is None
            resting.pay_out(pool, row, owners[row.user_id])
            # As it is now: it may change before it is shown.
            rows.append(msgspec.structs.replace(row))
            if is_cancelled:
                cancelled.append(rows[-1])
        partner = state.partner(self)
        in_float = floor.ledger_tx.balance_kopecks(partner.account_id) if partner else 0
        return OrderCancellation(rows=rows, cancelled=cancelled, float_balance_kopecks=in_float)

    def _check_ended(self, floor: Floor, pool: TradedPool, user_id: int) -> None:
        """Raise `Unended` where any of a user's own orders has ended with its pool, which the worker has yet to write.

        A partner's are cancelled one by one: its users get no notices.
        """
        orders = floor.state.found_orders
        for found, ends in (orders[order_id] for order_id in self.order_ids if order_id in orders):
            row = found.order if pool.resting is None else pool.resting.rows.get(found.order.id, found.order)
            end = end_of(row, ends, now_ms=floor.state.now_ms)
            if end is not None and end.reason is not None and (row.user_id, row.pool_id) == (user_id, pool.row.id):
                raise Unended(pool.row.id, user_id)
