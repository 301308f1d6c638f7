"""What an order does on arrival: whether its trader can pay, the money that moves, the position, the trade."""

from __future__ import annotations

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import InsufficientFunds
from foreknow.money.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind
from foreknow.money.statements import StatementLine
from foreknow.people.users.sub_accounts import NewSubAccount, SubAccount
from foreknow.trading.desk.errors import InsufficientFloat
from foreknow.trading.desk.execution import PricedOrder
from foreknow.trading.desk.orders import Order
from foreknow.trading.desk.results import MadeBasket, MadeTrade, TradedPool
from foreknow.trading.desk.state import LockedState, sub_account_name
from foreknow.trading.positions.store import OpenPosition


class Arrivals:
    """Takes what arriving orders are to get, for the locked accounts of their traders."""

    def __init__(
        self, state: LockedState, ledger_tx: LedgerTransaction, lines: list[StatementLine | MadeTrade | MadeBasket]
    ) -> None:
        """`lines` gets the trades of partners' users, for their statements."""
        self._state, self._ledger_tx, self._lines = state, ledger_tx, lines
        #: Sub-accounts of executed orders that are not written yet.
        self.new_sub_accounts: list[NewSubAccount] = []

    def check_money(
        self,
        order: Order,
        pool: TradedPool,
        priced: PricedOrder,
        trader: SubAccount | None,
        *,
        required_kopecks: int,
        returned_kopecks: int = 0,
    ) -> None:
        """Raise the error of a purchase that its trader cannot pay, or that an account of the pool cannot take.

        `returned_kopecks` come to the trader's balance before `required_kopecks` leave it.
        """
        self.check_funds(order, trader, required_kopecks=required_kopecks, returned_kopecks=returned_kopecks)
        stake, fee = priced.money_kopecks, priced.fee_kopecks
        self._ledger_tx.check_balance_limit(pool.row.escrow_account_id, stake - fee)
        self._ledger_tx.check_balance_limit(pool.row.fees_account_id, fee)

    def check_funds(
        self, order: Order, trader: SubAccount | None, *, required_kopecks: int, returned_kopecks: int = 0
    ) -> None:
        """Raise the error of a purchase that its trader cannot pay, as `check_money` does."""
        balance = returned_kopecks + (self._ledger_tx.balance_kopecks(trader.account_id) if trader else 0)
        partner = self._state.partner(order)
        if partner is None and required_kopecks > balance:
            raise InsufficientFunds(required=required_kopecks, available=balance)
        if partner is not None and required_kopecks > balance:
            in_float = self._ledger_tx.balance_kopecks(partner.account_id)
            if required_kopecks - balance > in_float:
                raise InsufficientFloat(required=required_kopecks - balance, available=in_float)

    def take_bet(
        self, order: Order, pool: TradedPool, priced: PricedOrder, trader: SubAccount, *, order_id: int | None
    ) -> MadeTrade:
        """Take what a purchase pays from its trader, and give them the shares."""
        stake, fee = priced.money_kopecks, priced.fee_kopecks
        from_float, transfers = self.fund(order, trader, stake)
        transfers.append(self._transfer(TransferKind.BET, trader.account_id, pool.row.escrow_account_id, stake - fee))
        if fee:
            transfers.append(self._transfer(TransferKind.FEE, trader.account_id, pool.row.fees_account_id, fee))
        position = self._state.position(trader.user_id, order.market_id, order.side._value_, pool)
        position.buy(shares=priced.shares, stake_kopecks=stake)
        change = (-from_float, from_float - stake) if not isinstance(order.caller, UserCaller) else (0, 0)
        return self._made_trade(
            order,
            pool,
            priced,
            position,
            transfers,
            account_id=trader.account_id,
            is_buy=True,
            order_id=order_id,
            statement=change,
        )

    def take_sale(
        self, order: Order, pool: TradedPool, priced: PricedOrder, trader: SubAccount, *, order_id: int | None
    ) -> MadeTrade:
        """Take the shares of a sale; it is paid at once, but where it meets resting orders (`pay_sale`)."""
        position = self._state.positions[trader.user_id, order.market_id, order.side._value_]
        pnl = position.sell(shares=priced.shares, payout_kopecks=priced.money_kopecks, at_ms=pool.at_ms)
        if position.closed_at_ms is not None:
            self._state.close(position)
        change = (0, priced.money_kopecks) if not isinstance(order.caller, UserCaller) else (0, 0)
        trade = self._made_trade(
            order,
            pool,
            priced,
            position,
            [],
            account_id=trader.account_id,
            is_buy=False,
            order_id=order_id,
            statement=change,
        )
        trade.pnl_kopecks, trade.closes = pnl, position.closed_at_ms is not None
        if priced.decision is None:
            self.pay_sale(pool, trade, trader)
        return trade

    def pay_sale(self, pool: TradedPool, trade: MadeTrade, trader: SubAccount) -> None:
        """Pay a sale, once orders that it met have paid what they buy for."""
        payout = Transfer(
            kind=TransferKind.SALE,
            source=pool.row.escrow_account_id,
            target=trader.account_id,
            amount_kopecks=trade.money_kopecks,
        )
        # Checked before: what own orders gave back since does not count.
        trade.transfers.append(self._ledger_tx.transfer(payout, over_limit=True))

    def _made_trade(
        self,
        order: Order,
        pool: TradedPool,
        priced: PricedOrder,
        position: OpenPosition,
        transfers: list[Transfer],
        *,
        account_id: int,
        is_buy: bool,
        order_id: int | None,
        statement: tuple[int, int],
    ) -> MadeTrade:
        caller = order.caller
        trade = MadeTrade(
            pool=pool,
            market_id=order.market_id,
            side=order.side,
            is_buy=is_buy,
            position=position,
            user_id=position.user_id,
            money_kopecks=priced.money_kopecks,
            shares=priced.shares,
            transfers=transfers,
            account_id=account_id,
            fee_kopecks=priced.fee_kopecks,
            order_id=order_id,
            statement_kopecks=statement,
        )
        if not isinstance(caller, UserCaller):
            trade.partner_id, trade.external_user_id = caller.partner_id, order.external_user_id
            self._lines.append(trade)
        return trade

    def fund(
        self, order: Order, trader: SubAccount, kopecks: int, *, order_id: int | None = None
    ) -> tuple[int, list[Transfer]]:
        """Take from the partner's float what a sub-account lacks to pay; nothing for a user's own order."""
        partner = self._state.partner(order)
        lacking = kopecks - self._ledger_tx.balance_kopecks(trader.account_id) if partner else 0
        if partner is None or lacking <= 0:
            return 0, []
        funding = Transfer(
            kind=TransferKind.FUNDING,
            source=partner.account_id,
            target=trader.account_id,
            amount_kopecks=lacking,
            order_id=order_id,
        )
        return lacking, [self._ledger_tx.transfer(funding)]

    def create_sub_account(self, order: Order) -> SubAccount:
        """Create the sub-account of an order that is about to be executed."""
        name = sub_account_name(order)
        assert name is not None
        partner = self._state.ids.partners[name[0]]
        account_id, user_id = self._state.new_account_ids.pop(), self._state.new_user_ids.pop()
        self._ledger_tx.open(account_id, kind=AccountKind.USER, owner_id=user_id)
        self.new_sub_accounts.append(
            NewSubAccount(
                id=user_id,
                name=partner.name,
                partner_id=name[0],
                external_user_id=name[1],
                account_id=account_id,
                created_at_ms=self._state.now_ms,
            )
        )
        created = self._state.ids.sub_accounts[name] = SubAccount(user_id, account_id)
        return created

    def _transfer(self, kind: TransferKind, source: int, target: int, amount_kopecks: int) -> Transfer:
        return self._ledger_tx.transfer(
            Transfer(kind=kind, source=source, target=target, amount_kopecks=amount_kopecks)
        )
