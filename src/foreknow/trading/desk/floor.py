"""What the orders of a batch act on: its locked rows, the ledger, and the orders that rest; and what several kinds do.

It checks whether a trader can pay, moves the money, changes the position, and makes the trade.
"""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.errors import InsufficientFunds
from foreknow.money.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind
from foreknow.people.users.sub_accounts import NewSubAccount, SubAccount
from foreknow.trading.desk.checks import PricedOrder
from foreknow.trading.desk.errors import InsufficientFloat, InsufficientShares
from foreknow.trading.desk.fills import RestingChanges, count_fills
from foreknow.trading.desk.id_cache import MarketPlace
from foreknow.trading.desk.made import MadeTrade, TradedPool
from foreknow.trading.desk.orders import Executed, Fill, Order, OrderCancellation
from foreknow.trading.desk.state import LockedState, Needs
from foreknow.trading.effects.paying import PartnersUser, line_of
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.positions.store import OpenPosition


class Floor:
    """The rows of a batch, which its orders change in memory."""

    def __init__(self, state: LockedState, ledger_tx: LedgerTransaction) -> None:
        """`ledger_tx` holds the locks of the accounts of `state`."""
        self.state, self.ledger_tx = state, ledger_tx
        self.resting = RestingChanges(state, ledger_tx)
        #: Sub-accounts of executed orders that are not written yet.
        self.new_sub_accounts: list[NewSubAccount] = []

    def seller(self, order: Order, wanted: int | None) -> tuple[SubAccount, int]:
        """Return who sells, and how many shares (`wanted`; None: all that no resting order offers)."""
        trader = self.state.trader(order)
        position = None
        if trader is not None:
            position = self.state.positions.get((trader.user_id, order.market_id, order.side._value_))
        free = position.shares - position.reserved_shares if position else 0
        shares = free if wanted is None else wanted
        if trader is None or not 1 <= shares <= free:
            raise InsufficientShares(required=max(shares, 1), available=free)
        return trader, shares

    def check_purchase(
        self, order: Order, pool: TradedPool, priced: PricedOrder, trader: SubAccount | None, *, hold_kopecks: int = 0
    ) -> None:
        """Raise the error of a purchase that its trader cannot pay, or that an account of the pool cannot take.

        Own orders that it would meet give back what they hold before it is paid. `hold_kopecks`: for what rests of it.
        """
        returned = 0 if priced.decision is None else self.resting.held_by_own(pool, priced.decision)
        stake, fee = priced.money_kopecks, priced.fee_kopecks
        self.check_funds(order, trader, required_kopecks=stake + hold_kopecks, returned_kopecks=returned)
        self.ledger_tx.check_balance_limit(pool.row.escrow_account_id, stake - fee)
        self.ledger_tx.check_balance_limit(pool.row.fees_account_id, fee)
        if hold_kopecks and pool.orders_account_id is not None:
            # So a level's shares, of which each lot holds a kopeck or more, stay far below what 64 bits can count.
            self.ledger_tx.check_balance_limit(pool.orders_account_id, hold_kopecks - returned)

    def check_funds(
        self, order: Order, trader: SubAccount | None, *, required_kopecks: int, returned_kopecks: int = 0
    ) -> None:
        """Raise the error of a purchase that its trader cannot pay.

        `returned_kopecks` come to the trader's balance before `required_kopecks` leave it.
        """
        balance = returned_kopecks + (self.ledger_tx.balance_kopecks(trader.account_id) if trader else 0)
        lacking = required_kopecks - balance
        if lacking <= 0:
            return
        partner = self.state.partner(order)
        if partner is None:
            raise InsufficientFunds(required=required_kopecks, available=balance)
        in_float = self.ledger_tx.balance_kopecks(partner.account_id)
        if lacking > in_float:
            raise InsufficientFloat(required=lacking, available=in_float)

    def fill(
        self, order: Order, pool: TradedPool, outcome: int, priced: PricedOrder, trader: SubAccount, *, is_buy: bool
    ) -> Fill:
        """Do what was decided for a bet or a sale. Nothing refuses it any more."""
        trade, fills = self.take(order, pool, outcome, priced, trader, is_buy=is_buy)
        assert trade is not None
        balance_kopecks, float_balance_kopecks = self.balances(order, trader)
        return Fill(
            pool=pool,
            user_id=trader.user_id,
            balance_kopecks=balance_kopecks,
            float_balance_kopecks=float_balance_kopecks,
            trade=trade,
            fills=fills,
            avg_price_bps=priced.avg_price_bps,
            is_capped=priced.is_capped,
        )

    def take(
        self,
        order: Order,
        pool: TradedPool,
        outcome: int,
        priced: PricedOrder,
        trader: SubAccount,
        *,
        is_buy: bool,
        row: LimitOrderRow | None = None,
    ) -> tuple[MadeTrade | None, Sequence[MadeTrade]]:
        """Do what was decided in one market; return the trade on arrival, if any, and what resting orders got.

        `row`: of a limit order, which may come to rest.
        """
        decision, resting, before = priced.decision, self.resting, pool.probabilities[outcome]
        if decision is not None:
            resting.return_own(pool, decision, trader)
        trade = None
        if priced.shares:
            order_id = None if row is None else row.id
            trade = (self._buy if is_buy else self._sell)(order, pool, priced, trader, order_id)
        fills: Sequence[MadeTrade] = ()
        if decision is not None:
            assert pool.resting is not None
            fills = resting.fill(pool, decision.met)
            if trade is not None and not is_buy:
                self._pay_sale(pool, trade, trader)
            if row is not None:
                resting.arrive(pool, row)
                if row.is_open:
                    from_float, _ = self.fund(order, trader, row.hold_kopecks, order_id=row.id)
                    resting.rest(pool, row, trader, funded_kopecks=from_float)
            fills = [*fills, *resting.fill(pool, decision.swept)]
            resting.end_others(pool, decision.cancelled)
            pool.resting.book = decision.book
        pool.move_to(priced.after)
        if trade is not None:
            trade.probability_before, trade.probability_after = before, pool.probabilities[outcome]
            pool.add_trade(order.market_id, trade.money_kopecks)
        if fills:
            count_fills(fills)
        return trade, fills

    def balances(self, order: Order, trader: SubAccount) -> tuple[int, int]:
        """Return the balance of a trader, and of the partner's float: 0 of a user's own order."""
        partner = self.state.partner(order)
        balance_kopecks = self.ledger_tx.balance_kopecks(trader.account_id)
        return balance_kopecks, 0 if partner is None else self.ledger_tx.balance_kopecks(partner.account_id)

    def fund(
        self, order: Order, trader: SubAccount, kopecks: int, *, order_id: int | None = None
    ) -> tuple[int, list[Transfer]]:
        """Take from the partner's float what a sub-account lacks to pay; nothing for a user's own order."""
        partner = self.state.partner(order)
        lacking = kopecks - self.ledger_tx.balance_kopecks(trader.account_id) if partner else 0
        if partner is None or lacking <= 0:
            return 0, []
        funding = Transfer(
            kind=TransferKind.FUNDING,
            source=partner.account_id,
            target=trader.account_id,
            amount_kopecks=lacking,
            order_id=order_id,
        )
        return lacking, [self.ledger_tx.transfer(funding)]

    def create_sub_account(self, order: Order) -> SubAccount:
        """Create the sub-account of an order that is about to be executed."""
        name, state = order.sub_account, self.state
        assert name is not None
        account_id, user_id = state.new_account_ids.pop(), state.new_user_ids.pop()
        self.ledger_tx.open(account_id, kind=AccountKind.USER, owner_id=user_id)
        self.new_sub_accounts.append(
            NewSubAccount(
                id=user_id,
                name=state.ids.partners[name[0]].name,
                partner_id=name[0],
                external_user_id=name[1],
                account_id=account_id,
                created_at_ms=state.now_ms,
            )
        )
        created = state.ids.sub_accounts[name] = SubAccount(user_id, account_id)
        return created

    def pay(self, kind: TransferKind, source: int, target: int, kopecks: int, *, over_limit: bool = False) -> Transfer:
        """Move money between two accounts; `over_limit` where the balance limit was checked, or does not count."""
        transfer = Transfer(kind=kind, source=source, target=target, amount_kopecks=kopecks)
        return self.ledger_tx.transfer(transfer, over_limit=over_limit)

    def _buy(
        self, order: Order, pool: TradedPool, priced: PricedOrder, trader: SubAccount, order_id: int | None
    ) -> MadeTrade:
        """Take what a purchase pays from its trader, and give them the shares."""
        stake, fee = priced.money_kopecks, priced.fee_kopecks
        from_float, transfers = self.fund(order, trader, stake)
        transfers.append(self.pay(TransferKind.BET, trader.account_id, pool.row.escrow_account_id, stake - fee))
        if fee:
            transfers.append(self.pay(TransferKind.FEE, trader.account_id, pool.row.fees_account_id, fee))
        position = self.state.position(trader.user_id, order.market_id, order.side._value_, pool)
        position.buy(shares=priced.shares, stake_kopecks=stake)
        trade = self._trade(
            order, pool, priced, trader, position=position, transfers=transfers, order_id=order_id, is_buy=True
        )
        self._add_line(order, trade, float_change_kopecks=-from_float, balance_change_kopecks=from_float - stake)
        return trade

    def _sell(
        self, order: Order, pool: TradedPool, priced: PricedOrder, trader: SubAccount, order_id: int | None
    ) -> MadeTrade:
        """Take the shares of a sale; it is paid at once, but where it meets resting orders."""
        position = self.state.positions[trader.user_id, order.market_id, order.side._value_]
        pnl = position.sell(shares=priced.shares, payout_kopecks=priced.money_kopecks, at_ms=pool.at_ms)
        if position.closed_at_ms is not None:
            self.state.close(position)
        trade = self._trade(
            order, pool, priced, trader, position=position, transfers=[], order_id=order_id, is_buy=False
        )
        self._add_line(order, trade, float_change_kopecks=0, balance_change_kopecks=priced.money_kopecks)
        trade.pnl_kopecks, trade.closes = pnl, position.closed_at_ms is not None
        if priced.decision is None:
            self._pay_sale(pool, trade, trader)
        return trade

    def _pay_sale(self, pool: TradedPool, trade: MadeTrade, trader: SubAccount) -> None:
        """Pay a sale, once orders that it met have paid what they buy for."""
        # Checked before: what own orders gave back since does not count.
        escrow, kopecks = pool.row.escrow_account_id, trade.money_kopecks
        trade.transfers.append(self.pay(TransferKind.SALE, escrow, trader.account_id, kopecks, over_limit=True))

    def _trade(
        self,
        order: Order,
        pool: TradedPool,
        priced: PricedOrder,
        trader: SubAccount,
        *,
        position: OpenPosition,
        transfers: list[Transfer],
        order_id: int | None,
        is_buy: bool,
    ) -> MadeTrade:
        return MadeTrade(
            pool=pool,
            market_id=order.market_id,
            side=order.side,
            is_buy=is_buy,
            position=position,
            user_id=trader.user_id,
            account_id=trader.account_id,
            money_kopecks=priced.money_kopecks,
            fee_kopecks=priced.fee_kopecks,
            shares=priced.shares,
            transfers=transfers,
            order_id=order_id,
            partner_id=order.partner_id,
        )

    def _add_line(
        self, order: Order, trade: MadeTrade, *, float_change_kopecks: int, balance_change_kopecks: int
    ) -> None:
        """Give a trade of a partner's user its line of the statement."""
        if trade.partner_id is None:
            return
        trade.line = line_of(
            PartnersUser(trade.partner_id, trade.user_id, order.external_user_id),
            "bet" if trade.is_buy else "sale",
            at_ms=trade.pool.at_ms,
            market_id=trade.market_id,
            order_id=trade.order_id,
            float_change_kopecks=float_change_kopecks,
            balance_change_kopecks=balance_change_kopecks,
        )
        self.resting.lines.append(trade.line)


class OrderKind(Order, frozen=True, kw_only=True, gc=False):
    """An order, and what its kind makes of it."""

    def name_markets(self, into: set[int]) -> None:
        """Add all markets that it names."""
        into.add(self.market_id)

    @property
    def weight(self) -> int:
        """How much of a batch it takes, in bets, beside what it fills of resting orders."""
        return 1

    @property
    def trades(self) -> bool:
        """Whether it trades; what only cancels is kept under no key, and waits for nothing of its trader's."""
        return True

    def need(self, needs: Needs, place: MarketPlace, trader: SubAccount | None) -> None:
        """Say what is to be locked and read for it, beside what is for every order: it trades at `place`."""
        needs.trade(self, place, trader)

    def execute(self, floor: Floor) -> Executed | OrderCancellation:
        """Execute it on the locked rows of its batch, or raise the error that refuses it; then nothing has changed."""
        raise NotImplementedError
