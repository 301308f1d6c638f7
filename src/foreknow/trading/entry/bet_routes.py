"""Bets, sales, and quotes of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BadRequest, BalanceLimit
from foreknow.kernel.schema_types import PartnerSide, TokenType
from foreknow.kernel.units import AMOUNT_MAX, INT64_MAX
from foreknow.market.pools.service import visible_market
from foreknow.money.pricing import PARTNER_SIDES, SIDES, Side
from foreknow.people.users.sub_accounts import SubAccountName, find_sub_accounts
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.book import Book
from foreknow.trading.desk.checks import NO_ONE, PricedOrder, check_side, check_tradable
from foreknow.trading.desk.errors import (
    BET_ERRORS,
    QUOTE_ERRORS,
    SALE_ERRORS,
    USER_QUOTE_ERRORS,
    USER_SALE_ERRORS,
    InsufficientFloat,
    Slippage,
)
from foreknow.trading.desk.kinds import Buy, Sell
from foreknow.trading.desk.kinds.bet import price_bet
from foreknow.trading.desk.kinds.sale import price_sale
from foreknow.trading.desk.orders import Fill
from foreknow.trading.desk.resting import BookSource, load_book
from foreknow.trading.entry.bet_schemas import (
    Bet,
    BetOrder,
    PartnerBet,
    PartnerBetOrder,
    PartnerQuote,
    PartnerSale,
    PartnerSaleOrder,
    Quote,
    Sale,
    SaleOrder,
)
from foreknow.trading.entry.routes import Body, EntryRoutes, PartnerVoice, UserVoice, Voice, body_of, takes_orders
from foreknow.trading.partner.routes import external_user
from foreknow.trading.partner.schemas import InvalidExternalUserId
from foreknow.web.endpoint import BodyRequest, QueryRequest, get
from foreknow.web.params import Param, choice, optional, parameters, required, whole_number
from foreknow.web.responses import LaterResponse


@dataclass(frozen=True, slots=True)
class PriceQuote:
    """A price, with the market's YES probability before and after."""

    priced: PricedOrder
    probability_before: float
    probability_after: float


def quote(
    tx: ReadTx,
    *,
    visitor: UserCaller | None,
    market_id: int,
    side: Side,
    stake_kopecks: int | None,
    shares: int | None,
    creators_trade: bool,
    now_ms: int,
    outcomes: int | None = None,
    user_id: int | None = None,
) -> PriceQuote:
    """Price an order with all the desk's checks but those of the trader's balance and shares.

    `user_id`: whose order it would be, of which own resting orders are not met; None: the visitor's.

    `creators_trade`: whether it is not refused to the creator of the market's event.
    """
    if (stake_kopecks is None) == (shares is None):
        raise BadRequest("Give exactly one of the stake (to buy) and the shares (to sell).")
    pool, outcome = visible_market(tx, market_id, visitor)
    check_side(pool, outcome, side)
    check_tradable(pool, now_ms, refused_to=None if creators_trade else visitor, outcomes=outcomes)
    market_maker = pool.lmsr()
    book: Book | None = None
    if pool.open_orders:
        at_ms = max(now_ms, pool.last_trade_at_ms or 0)
        book = load_book(pool, BookSource(tx, {}, at_ms=at_ms)).book
    if user_id is None:
        user_id = NO_ONE if visitor is None else visitor.user_id
    if stake_kopecks is not None:
        priced = price_bet(
            market_maker,
            outcome=outcome,
            side=side,
            margin=pool.margin,
            stake_kopecks=stake_kopecks,
            book=book,
            user_id=user_id,
        )
    else:
        assert shares is not None
        priced = price_sale(market_maker, outcome=outcome, side=side, shares=shares, book=book, user_id=user_id)
    return PriceQuote(priced, market_maker.probability(outcome), priced.after.probability(outcome))


MARKET_ID = whole_number("market_id", "The market.", most=INT64_MAX)
SHARES = whole_number("shares", "Number of share cents to quote a sale of.", most=AMOUNT_MAX)
OUTCOMES = whole_number("outcomes", "How many outcomes of the pool you know; another number is `slippage`.", most=100)
_SIDE = "Which side of the market."
TOKEN_TYPE: Param[TokenType] = choice("token_type", ("YES", "NO"), _SIDE)
SIDE: Param[PartnerSide] = choice("side", ("yes", "no"), _SIDE)


def _stake(name: str) -> Param[int]:
    return whole_number(name, "Quote a buy with this stake in kopecks, fee included.", most=AMOUNT_MAX)


@parameters
class QuoteQuery:
    market_id: int = required(MARKET_ID)
    side: TokenType = required(TOKEN_TYPE)
    stake_kopecks: int | None = optional(_stake("amount_kopecks"))
    shares: int | None = optional(SHARES)
    outcomes: int | None = optional(OUTCOMES)


@parameters
class PartnerQuoteQuery:
    external_user_id: str | None = optional(external_user("Which user of yours the order would be for."))
    market_id: int = required(MARKET_ID)
    side: PartnerSide = required(SIDE)
    stake_kopecks: int | None = optional(_stake("stake_kopecks"))
    shares: int | None = optional(SHARES)
    outcomes: int | None = optional(OUTCOMES)


class _BetRoutes(EntryRoutes):
    """Bets, sales and quotes in either voice."""

    def _buy(
        self, request: BodyRequest[BetOrder | PartnerBetOrder], voice: Voice, receipt: Callable[[Fill], Any]
    ) -> LaterResponse:
        body = request.body
        # By hand: most orders are bets.
        order = Buy(
            caller=voice.caller,
            external_user_id=voice.external_user_id,
            market_id=body.market_id,
            side=SIDES[body.side],
            stake_kopecks=body.stake_kopecks,
            min_shares=body.min_shares,
            max_price_bps=body.max_price_bps,
            outcomes=body.outcomes,
            idempotency_key=request.idempotency_key,
            receipt=receipt,
        )
        return self._queue(order)

    def _sell(
        self, request: BodyRequest[SaleOrder | PartnerSaleOrder], voice: Voice, receipt: Callable[[Fill], Any]
    ) -> LaterResponse:
        body, said = request.body, self._said(request, voice, receipt)
        side = SIDES[body.side]
        return self._queue(
            Sell(
                market_id=body.market_id,
                side=side,
                shares=body.shares,
                min_payout_kopecks=body.min_payout_kopecks,
                **said,
            )
        )

    async def _quote(
        self,
        query: QuoteQuery | PartnerQuoteQuery,
        kind: type[Body],
        *,
        visitor: UserCaller | None = None,
        sub_account: SubAccountName | None = None,
    ) -> Body:
        """Quote an order now, of the visitor or of a partner's user."""

        def read(tx: ReadTx) -> PriceQuote:
            user = None if sub_account is None else find_sub_accounts(tx, [sub_account]).get(sub_account)
            return quote(
                tx,
                visitor=visitor,
                market_id=query.market_id,
                side=SIDES[query.side],
                stake_kopecks=query.stake_kopecks,
                shares=query.shares,
                outcomes=query.outcomes,
                creators_trade=self._context.terms.creators_trade == "on",
                now_ms=self._context.clock(),
                user_id=None if user is None else user.user_id,
            )

        quoted = await self._context.db.lookup(read)
        priced = quoted.priced
        facts = {
            "market_id": query.market_id,
            "side": query.side,
            "shares": priced.shares,
            "stake_kopecks": priced.money_kopecks,
            "fee_kopecks": priced.fee_kopecks,
            "avg_price_bps": priced.avg_price_bps,
            "probability_before": quoted.probability_before,
            "probability_after": quoted.probability_after,
            "capped": priced.is_capped,
        }
        return body_of(kind, facts)


class BetRoutes(_BetRoutes):
    """Bets, sales and quotes of users."""

    @takes_orders("/market/bets", AuthLevel.REQUIRED, Bet, BET_ERRORS)
    def place_bet(self, request: BodyRequest[BetOrder]) -> LaterResponse:
        """Place a bet."""
        return self._buy(request, UserVoice(request.user), bet_receipt)

    @takes_orders("/market/positions/sell", AuthLevel.REQUIRED, Sale, USER_SALE_ERRORS)
    def sell_shares(self, request: BodyRequest[SaleOrder]) -> LaterResponse:
        """Sell shares of an open position."""
        return self._sell(request, UserVoice(request.user), sale_receipt)

    @get("/market/quote", AuthLevel.OPTIONAL, errors=USER_QUOTE_ERRORS, takes_order=True)
    async def quote_order(self, request: QueryRequest[QuoteQuery]) -> Quote:
        """What an order would get now."""
        return await self._quote(request.query, Quote, visitor=request.visitor)


class PartnerBetRoutes(_BetRoutes):
    """Bets, sales and quotes of partners."""

    @takes_orders(
        "/partner/bets",
        AuthLevel.PARTNER,
        PartnerBet,
        (InvalidExternalUserId, *QUOTE_ERRORS, Slippage, InsufficientFloat, BalanceLimit),
    )
    def place_partner_bet(self, request: BodyRequest[PartnerBetOrder]) -> LaterResponse:
        """Place a bet for a user of yours."""
        voice = PartnerVoice(request.partner, request.body.external_user_id)
        return self._buy(request, voice, partial(partner_bet_receipt, request.body.external_user_id))

    @takes_orders("/partner/positions/sell", AuthLevel.PARTNER, PartnerSale, (InvalidExternalUserId, *SALE_ERRORS))
    def sell_partner_shares(self, request: BodyRequest[PartnerSaleOrder]) -> LaterResponse:
        """Sell shares of a user of yours."""
        voice = PartnerVoice(request.partner, request.body.external_user_id)
        return self._sell(request, voice, partial(partner_sale_receipt, request.body.external_user_id))

    @get("/partner/quote", AuthLevel.PARTNER, errors=(InvalidExternalUserId, *QUOTE_ERRORS), takes_order=True)
    async def quote_partner_order(self, request: QueryRequest[PartnerQuoteQuery]) -> PartnerQuote:
        """What an order would get now.

        Refused as the order would be, but for want of money or shares. With `external_user_id` as the order of that
        user, who need not exist yet.
        """
        user = request.query.external_user_id
        sub_account = None if user is None else (request.partner.partner_id, user)
        return await self._quote(request.query, PartnerQuote, sub_account=sub_account)


def bet_receipt(fill: Fill) -> Bet:
    """Tell a user of an accepted bet; receipts of trades are made by hand, in half the time of `body_of`."""
    trade = fill.trade
    return Bet(
        bet_id=trade.trade_id,
        market_id=trade.market_id,
        side=trade.side._value_,
        stake_kopecks=trade.money_kopecks,
        fee_kopecks=trade.fee_kopecks,
        shares=trade.shares,
        avg_price_bps=fill.avg_price_bps,
        probability_before=trade.probability_before,
        probability_after=trade.probability_after,
        balance_kopecks=fill.balance_kopecks,
        capped=fill.is_capped,
        created_at=iso(fill.pool.at_ms),
    )


def sale_receipt(fill: Fill) -> Sale:
    """Tell a user of an accepted sale."""
    trade = fill.trade
    return Sale(
        sale_id=trade.trade_id,
        side=trade.side._value_,
        payout_kopecks=trade.money_kopecks,
        pnl=trade.pnl_kopecks,
        **_of(fill),
    )


def partner_bet_receipt(external_user_id: str, fill: Fill) -> PartnerBet:
    """Tell a partner of an accepted bet."""
    trade = fill.trade
    return PartnerBet(
        bet_id=trade.trade_id,
        external_user_id=external_user_id,
        user_id=fill.user_id,
        side=PARTNER_SIDES[trade.side._value_],
        stake_kopecks=trade.money_kopecks,
        fee_kopecks=trade.fee_kopecks,
        float_balance_kopecks=fill.float_balance_kopecks,
        **_of(fill),
    )


def partner_sale_receipt(external_user_id: str, fill: Fill) -> PartnerSale:
    """Tell a partner of an accepted sale."""
    trade = fill.trade
    return PartnerSale(
        sale_id=trade.trade_id,
        external_user_id=external_user_id,
        user_id=fill.user_id,
        side=PARTNER_SIDES[trade.side._value_],
        payout_kopecks=trade.money_kopecks,
        pnl=trade.pnl_kopecks,
        float_balance_kopecks=fill.float_balance_kopecks,
        **_of(fill),
    )


def _of(fill: Fill) -> dict[str, Any]:
    trade = fill.trade
    return {
        "market_id": trade.market_id,
        "shares": trade.shares,
        "avg_price_bps": fill.avg_price_bps,
        "probability_before": trade.probability_before,
        "probability_after": trade.probability_after,
        "balance_kopecks": fill.balance_kopecks,
        "capped": fill.is_capped,
        "created_at": iso(fill.pool.at_ms),
    }
