"""Users' orders and quotes."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BalanceLimit, InsufficientFunds
from foreknow.kernel.schema_types import TokenType
from foreknow.pools.errors import MarketClosed, MarketNotFound, MarketPaused, MarketResolved
from foreknow.pricing import Side
from foreknow.trading import quote_routes
from foreknow.trading.desk import TradeDesk
from foreknow.trading.errors import AmountTooSmall, InsufficientShares, MarketLimit, Slippage
from foreknow.trading.orders import Buy, Fill, Order, Sell
from foreknow.trading.schemas import Bet, BetOrder, Quote, Sale, SaleOrder
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, Endpoint, QueryRequest, RateLimitGroup, get, post
from foreknow.web.params import optional, parameters, required
from foreknow.web.responses import Response, stored_response

TRADING = RateLimitGroup("trading")
MARKET_ERRORS = (MarketNotFound, MarketResolved, MarketClosed, MarketPaused)
QUOTE_ERRORS = (*MARKET_ERRORS, AmountTooSmall, MarketLimit)
BET_ERRORS = (*QUOTE_ERRORS, Slippage, InsufficientFunds, BalanceLimit)
SALE_ERRORS = (*MARKET_ERRORS, InsufficientShares, AmountTooSmall, MarketLimit, Slippage, BalanceLimit)
_SIDES: dict[str, Side] = {side.value: side for side in Side}


@parameters
class QuoteQuery:
    market_id: int = required(quote_routes.MARKET_ID)
    token_type: TokenType = required(quote_routes.side("token_type", ("YES", "NO")))
    amount_kopecks: int | None = optional(quote_routes.stake("amount_kopecks"))
    shares: int | None = optional(quote_routes.SHARES)


class TradingRoutes:
    """POST /market/bets, POST /market/positions/sell, GET /market/quote."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            post(
                "/market/bets",
                self.bet,
                AuthLevel.REQUIRED,
                Bet,
                "Place a bet",
                operation_id="place_bet",
                status=201,
                errors=BET_ERRORS,
                idempotent=True,
                rate_limit_group=TRADING,
                key_scope="trade",
            ),
            post(
                "/market/positions/sell",
                self.sell,
                AuthLevel.REQUIRED,
                Sale,
                "Sell shares of an open position",
                operation_id="sell_shares",
                status=201,
                errors=SALE_ERRORS,
                idempotent=True,
                rate_limit_group=TRADING,
                key_scope="trade",
            ),
            get(
                "/market/quote",
                self.quote,
                AuthLevel.OPTIONAL,
                Quote,
                "What an order would get now",
                operation_id="quote_order",
                errors=QUOTE_ERRORS,
            ),
        ]

    async def bet(self, request: BodyRequest[BetOrder]) -> Response:
        """Place a bet; answered once it is on disk."""
        body = request.body
        terms = Buy(stake_kopecks=body.amount_kopecks, min_shares=body.min_shares, max_price_bps=body.max_price_bps)
        receipt = await self._desk.place(
            Order(
                caller=request.user,
                market_id=body.market_id,
                side=_SIDES[body.token_type],
                terms=terms,
                idempotency_key=request.idempotency_key,
                receipt=bet_receipt,
            )
        )
        return stored_response(receipt.body, receipt.status, replayed=receipt.replayed)

    async def sell(self, request: BodyRequest[SaleOrder]) -> Response:
        """Sell shares; answered once it is on disk."""
        body = request.body
        receipt = await self._desk.place(
            Order(
                caller=request.user,
                market_id=body.market_id,
                side=_SIDES[body.token_type],
                terms=Sell(shares=body.shares, min_payout_kopecks=body.min_payout_kopecks),
                idempotency_key=request.idempotency_key,
                receipt=sale_receipt,
            )
        )
        return stored_response(receipt.body, receipt.status, replayed=receipt.replayed)

    async def quote(self, request: QueryRequest[QuoteQuery]) -> Quote:
        """Price an order without placing it."""
        query = request.query
        quoted = await quote_routes.quote_request(
            self._context,
            visitor=request.visitor,
            market_id=query.market_id,
            side=_SIDES[query.token_type],
            stake_kopecks=query.amount_kopecks,
            shares=query.shares,
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
        )


def bet_receipt(fill: Fill) -> Bet:
    """Tell a user of an accepted bet."""
    return Bet(
        id=fill.trade_id,
        market_id=fill.market_id,
        token_type=fill.side.value,
        amount_kopecks=fill.money_kopecks,
        fee_kopecks=fill.fee_kopecks,
        shares=fill.shares,
        avg_price=fill.avg_price_bps,
        probability_before=fill.probability_before,
        probability_after=fill.probability_after,
        balance_kopecks=fill.balance_kopecks,
        created_at=iso(fill.created_at_ms),
    )


def sale_receipt(fill: Fill) -> Sale:
    """Tell a user of an accepted sale."""
    return Sale(
        id=fill.trade_id,
        market_id=fill.market_id,
        token_type=fill.side.value,
        shares=fill.shares,
        payout_kopecks=fill.money_kopecks,
        avg_price=fill.avg_price_bps,
        pnl=fill.pnl_kopecks,
        probability_before=fill.probability_before,
        probability_after=fill.probability_after,
        balance_kopecks=fill.balance_kopecks,
        created_at=iso(fill.created_at_ms),
    )
