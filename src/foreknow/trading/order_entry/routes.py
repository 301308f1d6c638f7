"""Users' orders and quotes."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import TokenType
from foreknow.money.pricing import Side
from foreknow.trading.desk import kinds
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.errors import BET_ERRORS, USER_QUOTE_ERRORS, USER_SALE_ERRORS
from foreknow.trading.desk.orders import Fill
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.desk.schemas import Bet, BetOrder, Quote, Sale, SaleOrder
from foreknow.trading.quotes import routes as quote_routes
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, QueryRequest, RateLimitGroup, get, post
from foreknow.web.params import optional, parameters, required
from foreknow.web.responses import LaterResponse, Response, stored_response

TRADING = RateLimitGroup("trading")
_SIDES: dict[str, Side] = {side.value: side for side in Side}


@parameters
class QuoteQuery:
    market_id: int = required(quote_routes.MARKET_ID)
    token_type: TokenType = required(quote_routes.side("token_type", ("YES", "NO")))
    amount_kopecks: int | None = optional(quote_routes.stake("amount_kopecks"))
    shares: int | None = optional(quote_routes.SHARES)
    outcomes: int | None = optional(quote_routes.OUTCOMES)


class TradingRoutes:
    """Orders and quotes of users."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk
        self._not_by_creator = context.terms.creators_trade == "off"

    @post(
        "/market/bets",
        AuthLevel.REQUIRED,
        response=Bet,
        status=201,
        errors=BET_ERRORS,
        idempotent=True,
        rate_limit_group=TRADING,
        key_scope="trade",
    )
    def place_bet(self, request: BodyRequest[BetOrder]) -> LaterResponse:
        """Place a bet."""
        body = request.body
        receipt = self._desk.queue(
            kinds.Buy(
                caller=request.user,
                market_id=body.market_id,
                side=_SIDES[body.token_type],
                stake_kopecks=body.amount_kopecks,
                min_shares=body.min_shares,
                max_price_bps=body.max_price_bps,
                not_by_creator=self._not_by_creator,
                outcomes=body.outcomes,
                idempotency_key=request.idempotency_key,
                receipt=bet_receipt,
            )
        )
        return LaterResponse(receipt, response_of)

    @post(
        "/market/positions/sell",
        AuthLevel.REQUIRED,
        response=Sale,
        status=201,
        errors=USER_SALE_ERRORS,
        idempotent=True,
        rate_limit_group=TRADING,
        key_scope="trade",
    )
    def sell_shares(self, request: BodyRequest[SaleOrder]) -> LaterResponse:
        """Sell shares of an open position."""
        body = request.body
        receipt = self._desk.queue(
            kinds.Sell(
                caller=request.user,
                market_id=body.market_id,
                side=_SIDES[body.token_type],
                shares=body.shares,
                min_payout_kopecks=body.min_payout_kopecks,
                not_by_creator=self._not_by_creator,
                outcomes=body.outcomes,
                idempotency_key=request.idempotency_key,
                receipt=sale_receipt,
            )
        )
        return LaterResponse(receipt, response_of)

    @get("/market/quote", AuthLevel.OPTIONAL, errors=USER_QUOTE_ERRORS)
    async def quote_order(self, request: QueryRequest[QuoteQuery]) -> Quote:
        """What an order would get now."""
        query = request.query
        quoted = await quote_routes.quote_request(
            self._context,
            visitor=request.visitor,
            market_id=query.market_id,
            side=_SIDES[query.token_type],
            stake_kopecks=query.amount_kopecks,
            shares=query.shares,
            outcomes=query.outcomes,
        )
        return Quote(
            market_id=query.market_id,
            token_type=query.token_type,
            shares=quoted.priced.shares,
            amount_kopecks=quoted.priced.money_kopecks,
            fee_kopecks=quoted.priced.fee_kopecks,
            avg_price=quoted.priced.avg_price_bps,
            probability_before=quoted.probability_before,
            probability_after=quoted.probability_after,
            capped=quoted.priced.is_capped,
        )


def response_of(receipt: Receipt) -> Response:
    """Return the response to an order that was executed, now or by an earlier request."""
    return stored_response(receipt.body, receipt.status, replayed=receipt.replayed)


def bet_receipt(fill: Fill) -> Bet:
    """Tell a user of an accepted bet."""
    trade = fill.trade
    return Bet(
        id=trade.trade_id,
        market_id=trade.market_id,
        token_type=trade.side._value_,
        amount_kopecks=trade.money_kopecks,
        fee_kopecks=trade.fee_kopecks,
        shares=trade.shares,
        avg_price=fill.avg_price_bps,
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
        id=trade.trade_id,
        market_id=trade.market_id,
        token_type=trade.side._value_,
        shares=trade.shares,
        payout_kopecks=trade.money_kopecks,
        avg_price=fill.avg_price_bps,
        pnl=trade.pnl_kopecks,
        probability_before=trade.probability_before,
        probability_after=trade.probability_after,
        balance_kopecks=fill.balance_kopecks,
        capped=fill.is_capped,
        created_at=iso(fill.pool.at_ms),
    )
