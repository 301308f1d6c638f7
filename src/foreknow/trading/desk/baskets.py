"""Executes baskets, in memory, on the locked rows of a batch: on the curve alone, then the sweep follows."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import BadRequest
from foreknow.market.pools.errors import MarketNotFound
from foreknow.money.ledger import LedgerTransaction, Transfer, TransferKind
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.desk.arrivals import Arrivals
from foreknow.trading.desk.basket_pricing import PricedBasket, PricedPiece, price_basket
from foreknow.trading.desk.errors import InsufficientShares, SeveralPools
from foreknow.trading.desk.fills import RestingChanges
from foreknow.trading.desk.orders import BasketChanges, BasketStake, BasketTerms, FilledLeg, Order
from foreknow.trading.desk.results import Execution, MadeBasket, MadeLeg, MadeTrade, TradedPool
from foreknow.trading.desk.state import LockedState

_YES = Side.YES


class Baskets:
    """Takes what baskets are to get, for the locked accounts of their traders."""

    def __init__(
        self, state: LockedState, ledger_tx: LedgerTransaction, arrivals: Arrivals, resting: RestingChanges
    ) -> None:
        """All are those of the batch."""
        self._state, self._ledger_tx, self._arrivals, self._resting = state, ledger_tx, arrivals, resting

    def check_markets(self, terms: BasketTerms, pool: TradedPool, visitor: UserCaller | None) -> None:
        """Raise the error of a basket that names other markets than some of this pool's, which the visitor sees."""
        known = self._state.ids.markets
        places = [known[market_id] for market_id in terms.named_ids if market_id in known]
        if len(places) < len(terms.named_ids):
            raise MarketNotFound
        pool_ids = {place.pool_id for place in places}
        if len(pool_ids) > 1:
            others = self._state.other_pools
            # Of another pool's market that the visitor may not see nothing is said.
            if not all(is_visible_to(visitor, others[pool_id]) for pool_id in pool_ids):
                raise MarketNotFound
            raise SeveralPools
        check_count(terms, markets=len(pool.row.markets))

    def execute(self, order: Order, terms: BasketTerms, pool: TradedPool) -> Execution:
        """Execute a basket in a pool that may be traded, or raise the error that prevents it."""
        trader = self._state.trader(order)
        outcomes = {market_id: self._state.ids.markets[market_id].outcome_index for market_id in terms.named_ids}
        if terms.sells:
            self._check_shares(terms, outcomes, trader)
        priced = price_basket(
            pool.market_maker, terms, outcomes, margin=pool.row.margin, probabilities=pool.probabilities
        )
        self._check_money(order, pool, priced, trader)
        trader = trader or self._arrivals.create_sub_account(order)
        basket = self._take(order, pool, priced, trader)
        fills: Sequence[MadeTrade] = () if pool.resting is None else self._resting.sweep(pool)
        partner = self._state.partner(order)
        return Execution(
            order=order,
            pool=pool,
            user_id=trader.user_id,
            balance_kopecks=self._ledger_tx.balance_kopecks(trader.account_id),
            float_balance_kopecks=self._ledger_tx.balance_kopecks(partner.account_id) if partner else 0,
            trade=None,
            basket=basket,
            fills=fills,
        )

    def _check_shares(self, terms: BasketTerms, outcomes: dict[int, int], trader: SubAccount | None) -> None:
        """Raise `InsufficientShares` of the first outcome of which more is sold than no resting order offers."""
        assert isinstance(terms, BasketChanges)
        for market_id in sorted(outcomes, key=outcomes.__getitem__):
            sold = -terms.changes[market_id]
            if sold <= 0:
                continue
            position = None
            if trader is not None:
                position = self._state.positions.get((trader.user_id, market_id, _YES._value_))
            free = position.shares - position.reserved_shares if position else 0
            if sold > free:
                raise InsufficientShares(market_id=market_id, required=sold, available=free)

    def _check_money(self, order: Order, pool: TradedPool, priced: PricedBasket, trader: SubAccount | None) -> None:
        """Raise the error of a basket whose net its trader cannot pay, or that an account cannot take."""
        net = priced.net_kopecks
        if net < 0:
            self._arrivals.check_funds(order, trader, required_kopecks=-net)
        elif trader is not None:
            self._ledger_tx.check_balance_limit(trader.account_id, net)
        self._ledger_tx.check_balance_limit(pool.row.escrow_account_id, priced.cost_kopecks - priced.payout_kopecks)
        self._ledger_tx.check_balance_limit(pool.row.fees_account_id, priced.fee_kopecks)

    def _take(self, order: Order, pool: TradedPool, priced: PricedBasket, trader: SubAccount) -> MadeBasket:
        """Do what was decided. Nothing refuses it any more."""
        ids = [market.id for market in pool.row.markets]
        basket = MadeBasket(
            pool=pool,
            user_id=trader.user_id,
            legs=(),
            payout_kopecks=priced.payout_kopecks,
            cost_kopecks=priced.cost_kopecks,
            fee_kopecks=priced.fee_kopecks,
            avg_price_bps=priced.avg_price_bps,
            probabilities_before=priced.probabilities_before,
            probabilities_after=priced.probabilities_after,
        )
        if isinstance(order.caller, PartnerCaller):
            basket.partner_id, basket.external_user_id = order.caller.partner_id, order.external_user_id
            self._resting.lines.append(basket)
        # What the sale brings pays for the purchase: it may not be there before, and may be too much for a balance.
        paid = self._pay_sale(pool, priced, trader)
        basket.from_float_kopecks, cost = self._pay_purchase(order, pool, priced, trader)
        trades: list[MadeTrade] = []
        profits: dict[int, int] = {}
        if priced.purchase is not None:
            trades.append(self._trade(basket, priced, priced.purchase, trader, cost, is_buy=True))
        if priced.sale is not None:
            trades.append(self._trade(basket, priced, priced.sale, trader, paid, is_buy=False))
            profits = {leg.market_id: leg.pnl_kopecks for leg in trades[-1].legs}
        basket.trades = trades
        basket.legs = [
            FilledLeg(ids[outcome], shares, kopecks, None if shares > 0 else profits[ids[outcome]])
            for outcome, shares, kopecks in priced.legs()
        ]
        return basket

    def _pay_sale(self, pool: TradedPool, priced: PricedBasket, trader: SubAccount) -> list[Transfer]:
        if priced.sale is None:
            return []
        payout = Transfer(
            kind=TransferKind.SALE,
            source=pool.row.escrow_account_id,
            target=trader.account_id,
            amount_kopecks=priced.payout_kopecks,
        )
        return [self._ledger_tx.transfer(payout, over_limit=True)]

    def _pay_purchase(
        self, order: Order, pool: TradedPool, priced: PricedBasket, trader: SubAccount
    ) -> tuple[int, list[Transfer]]:
        """Pay cost and fee; return what came from the partner's float, and all transfers."""
        if priced.purchase is None:
            return 0, []
        from_float, transfers = self._arrivals.fund(order, trader, priced.paid_kopecks)
        due = [(TransferKind.BET, pool.row.escrow_account_id, priced.cost_kopecks)]
        due += [(TransferKind.FEE, pool.row.fees_account_id, priced.fee_kopecks)] if priced.fee_kopecks else []
        for kind, target, kopecks in due:
            transfer = Transfer(kind=kind, source=trader.account_id, target=target, amount_kopecks=kopecks)
            transfers.append(self._ledger_tx.transfer(transfer))
        return from_float, transfers

    def _trade(
        self,
        basket: MadeBasket,
        priced: PricedBasket,
        piece: PricedPiece,
        trader: SubAccount,
        transfers: list[Transfer],
        *,
        is_buy: bool,
    ) -> MadeTrade:
        """Make a piece's trade, change its positions, and move the pool."""
        pool = basket.pool
        legs = self._legs(basket, priced, piece, is_buy=is_buy)
        among = priced.bet_on or piece.bundle.shares
        place, main = piece.main(among)
        main_leg, before = legs[place], pool.probabilities[main]
        pool.move_to(piece.bundle.after, priced.probabilities_after if piece is priced.last else None)
        pool.add_piece(legs)
        return MadeTrade(
            pool=pool,
            market_id=main_leg.market_id,
            side=_YES,
            is_buy=is_buy,
            position=main_leg.position,
            user_id=trader.user_id,
            account_id=trader.account_id,
            money_kopecks=piece.kopecks,
            fee_kopecks=priced.fee_kopecks if is_buy else 0,
            shares=main_leg.shares,
            pnl_kopecks=sum(leg.pnl_kopecks for leg in legs),
            closes=sum(leg.position.closed_at_ms is not None for leg in legs),
            probability_before=before,
            probability_after=pool.probabilities[main],
            transfers=transfers,
            partner_id=basket.partner_id,
            external_user_id=basket.external_user_id,
            basket=basket,
            legs=legs,
        )

    def _legs(self, basket: MadeBasket, priced: PricedBasket, piece: PricedPiece, *, is_buy: bool) -> list[MadeLeg]:
        state, pool, user_id, side = self._state, basket.pool, basket.user_id, _YES._value_
        markets, positions, kinds = pool.row.markets, state.positions, priced.kinds(piece)
        legs: list[MadeLeg] = []
        for (outcome, shares), kopecks, kind in zip(piece.bundle.shares.items(), piece.parts, kinds, strict=True):
            market_id = markets[outcome].id
            # One that is sold is there.
            position = positions.get((user_id, market_id, side)) or state.position(user_id, market_id, side, pool)
            pnl = 0
            if is_buy:
                position.buy(shares=shares, stake_kopecks=kopecks)
            else:
                pnl = position.sell(shares=shares, payout_kopecks=kopecks, at_ms=pool.at_ms)
                if position.closed_at_ms is not None:
                    state.close(position)
            legs.append(
                MadeLeg(
                    market_id=market_id,
                    kind=kind,
                    position=position,
                    shares=shares,
                    money_kopecks=kopecks,
                    pnl_kopecks=pnl,
                )
            )
        return legs


def check_count(terms: BasketTerms, *, markets: int) -> None:
    """Raise `BadRequest` for a pool of one market, and for a set or a condition that is all of a pool's `markets`."""
    if markets < 2:
        raise BadRequest("A pool of one market takes no baskets: bet on it, or sell, instead.")
    if isinstance(terms, BasketStake) and len(terms.named_ids) >= markets:
        raise BadRequest("The markets named are all of the pool's: leave one out at least.")
