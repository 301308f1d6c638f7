"""A basket: an order on several markets of a pool at one price, on the curve alone; then the sweep follows."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.ownership import is_visible_to
from foreknow.market.pools.errors import MarketNotFound
from foreknow.money.ledger import Transfer, TransferKind
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.desk.checks import check_order, find_pool
from foreknow.trading.desk.errors import InsufficientShares, SeveralPools
from foreknow.trading.desk.floor import Floor, OrderKind
from foreknow.trading.desk.id_cache import MarketPlace
from foreknow.trading.desk.kinds.basket_pricing import BasketTerms, PricedBasket, PricedPiece
from foreknow.trading.desk.made import FilledLeg, MadeBasket, MadeLeg, MadeTrade, TradedPool
from foreknow.trading.desk.orders import BasketFill
from foreknow.trading.desk.state import LockedState, Needs
from foreknow.trading.effects.paying import PartnersUser, line_of

#: Legs that take about as long as a bet.
LEGS_OF_A_BET = 8
#: Most markets of a pool.
MARKETS_MAX = 100
_YES = Side.YES


class TradeBasket(OrderKind, frozen=True, kw_only=True, gc=False):
    """Trade what `terms` say; `market_id` is the first of its markets."""

    terms: BasketTerms

    def name_markets(self, into: set[int]) -> None:
        """Add all markets that it names."""
        into.update(self.terms.named_ids)

    @property
    def weight(self) -> int:
        """How much of a batch it takes, in bets."""
        return 1 + bool(self.terms.sold) + len(self.terms.named_ids) // LEGS_OF_A_BET

    def need(self, needs: Needs, place: MarketPlace, trader: SubAccount | None) -> None:
        """Need positions in all its markets, and ids for two trades and what it buys."""
        needs.trade(self, place, trader)
        terms, places = self.terms, needs.ids.markets
        needs.baskets += 1
        needs.trades_more += bool(terms.sold)
        needs.positions_more += MARKETS_MAX if terms.buys_unnamed else len(terms.named_ids)
        named = {places[market_id].pool_id for market_id in terms.named_ids if market_id in places}
        if len(named) > 1:
            needs.other_pool_ids |= named
        if trader is None:
            return
        if terms.sold:
            needs.seller_ids.add(trader.user_id)
        if terms.buys_unnamed:
            needs.holders.add((trader.user_id, place.pool_id))
        else:
            needs.positions.update((trader.user_id, market_id, _YES._value_) for market_id in terms.named_ids)

    def execute(self, floor: Floor) -> BasketFill:
        """Buy and sell, or raise the error that refuses it."""
        state, terms = floor.state, self.terms
        pool, _ = find_pool(self, state)
        self._check_markets(state)
        terms.check_count(len(pool.row.markets))
        check_order(self, pool, state)
        trader = state.trader(self)
        outcomes = {market_id: state.ids.markets[market_id].outcome_index for market_id in terms.named_ids}
        self._check_shares(state, outcomes, trader)
        priced = terms.price(pool.market_maker, outcomes, margin=pool.row.margin, probabilities=pool.probabilities)
        self._check_money(floor, pool, priced, trader)
        trader = trader or floor.create_sub_account(self)
        made = self._take(floor, pool, priced, trader)
        fills: Sequence[MadeTrade] = () if pool.resting is None else floor.resting.sweep(pool)
        balance_kopecks, float_balance_kopecks = floor.balances(self, trader)
        return BasketFill(
            pool=pool,
            user_id=trader.user_id,
            balance_kopecks=balance_kopecks,
            float_balance_kopecks=float_balance_kopecks,
            fills=fills,
            made=made,
        )

    def _check_markets(self, state: LockedState) -> None:
        """Raise the error of a basket that names other markets than some of one pool, which the visitor sees."""
        known, named = state.ids.markets, self.terms.named_ids
        places = [known[market_id] for market_id in named if market_id in known]
        if len(places) < len(named):
            raise MarketNotFound
        pool_ids = {place.pool_id for place in places}
        if len(pool_ids) > 1:
            # Of another pool's market that the visitor may not see nothing is said.
            if not all(is_visible_to(self.visitor, state.other_pools[pool_id]) for pool_id in pool_ids):
                raise MarketNotFound
            raise SeveralPools

    def _check_shares(self, state: LockedState, outcomes: dict[int, int], trader: SubAccount | None) -> None:
        """Raise `InsufficientShares` of the first outcome of which more is sold than no resting order offers."""
        sold = self.terms.sold
        for market_id in sorted(sold, key=outcomes.__getitem__):
            position = None
            if trader is not None:
                position = state.positions.get((trader.user_id, market_id, _YES._value_))
            free = position.shares - position.reserved_shares if position else 0
            if sold[market_id] > free:
                raise InsufficientShares(market_id=market_id, required=sold[market_id], available=free)

    def _check_money(self, floor: Floor, pool: TradedPool, priced: PricedBasket, trader: SubAccount | None) -> None:
        """Raise the error of a basket whose net its trader cannot pay, or that an account cannot take."""
        net, ledger_tx = priced.net_kopecks, floor.ledger_tx
        if net < 0:
            floor.check_funds(self, trader, required_kopecks=-net)
        elif trader is not None:
            ledger_tx.check_balance_limit(trader.account_id, net)
        ledger_tx.check_balance_limit(pool.row.escrow_account_id, priced.cost_kopecks - priced.payout_kopecks)
        ledger_tx.check_balance_limit(pool.row.fees_account_id, priced.fee_kopecks)

    def _take(self, floor: Floor, pool: TradedPool, priced: PricedBasket, trader: SubAccount) -> MadeBasket:
        """Do what was decided. Nothing refuses it any more."""
        ids, account_id = [market.id for market in pool.row.markets], trader.account_id
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
        # What the sale brings pays for the purchase: it may not be there before, and may be too much for a balance.
        paid = _pay_sale(floor, pool, priced, trader)
        from_float, cost = self._pay_purchase(floor, pool, priced, trader)
        if (partner_id := self.partner_id) is not None:
            basket.line = line_of(
                PartnersUser(partner_id, trader.user_id, self.external_user_id),
                "basket",
                at_ms=pool.at_ms,
                float_change_kopecks=-from_float,
                balance_change_kopecks=from_float + priced.net_kopecks,
            )
            floor.resting.lines.append(basket.line)
        trades: list[MadeTrade] = []
        profits: dict[int, int] = {}
        if priced.purchase is not None:
            trades.append(_trade(floor.state, basket, priced, priced.purchase, account_id=account_id, transfers=cost))
        if priced.sale is not None:
            trades.append(_trade(floor.state, basket, priced, priced.sale, account_id=account_id, transfers=paid))
            profits = {leg.market_id: leg.pnl_kopecks for leg in trades[-1].legs}
        basket.trades = trades
        basket.legs = [
            FilledLeg(ids[outcome], shares, kopecks, None if shares > 0 else profits[ids[outcome]])
            for outcome, shares, kopecks in priced.legs()
        ]
        return basket

    def _pay_purchase(
        self, floor: Floor, pool: TradedPool, priced: PricedBasket, trader: SubAccount
    ) -> tuple[int, list[Transfer]]:
        """Pay cost and fee; return what came from the partner's float, and all transfers."""
        if priced.purchase is None:
            return 0, []
        from_float, transfers = floor.fund(self, trader, priced.paid_kopecks)
        account_id, row = trader.account_id, pool.row
        transfers.append(floor.pay(TransferKind.BET, account_id, row.escrow_account_id, priced.cost_kopecks))
        if priced.fee_kopecks:
            transfers.append(floor.pay(TransferKind.FEE, account_id, row.fees_account_id, priced.fee_kopecks))
        return from_float, transfers


def _pay_sale(floor: Floor, pool: TradedPool, priced: PricedBasket, trader: SubAccount) -> list[Transfer]:
    if priced.sale is None:
        return []
    escrow, kopecks = pool.row.escrow_account_id, priced.payout_kopecks
    return [floor.pay(TransferKind.SALE, escrow, trader.account_id, kopecks, over_limit=True)]


def _trade(
    state: LockedState,
    basket: MadeBasket,
    priced: PricedBasket,
    piece: PricedPiece,
    *,
    account_id: int,
    transfers: list[Transfer],
) -> MadeTrade:
    """Make a piece's trade, change its positions, and move the pool."""
    pool, is_buy = basket.pool, piece is priced.purchase
    legs = _legs(state, basket, priced, piece, is_buy=is_buy)
    place, main = piece.main(priced.bet_on or piece.bundle.shares)
    main_leg, before = legs[place], pool.probabilities[main]
    pool.move_to(piece.bundle.after, priced.probabilities_after if piece is priced.last else None)
    pool.add_piece(legs)
    return MadeTrade(
        pool=pool,
        market_id=main_leg.market_id,
        side=_YES,
        is_buy=is_buy,
        position=main_leg.position,
        user_id=basket.user_id,
        account_id=account_id,
        money_kopecks=piece.kopecks,
        fee_kopecks=priced.fee_kopecks if is_buy else 0,
        shares=main_leg.shares,
        pnl_kopecks=sum(leg.pnl_kopecks for leg in legs),
        closes=sum(leg.position.closed_at_ms is not None for leg in legs),
        probability_before=before,
        probability_after=pool.probabilities[main],
        transfers=transfers,
        partner_id=None if basket.line is None else basket.line.partner_id,
        basket=basket,
        legs=legs,
    )


def _legs(
    state: LockedState, basket: MadeBasket, priced: PricedBasket, piece: PricedPiece, *, is_buy: bool
) -> list[MadeLeg]:
    pool, user_id, side = basket.pool, basket.user_id, _YES._value_
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
