"""Users' orders and quotes."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BalanceLimit, InsufficientFunds
from foreknow.pools.errors import MarketClosed, MarketNotFound, MarketPaused, MarketResolved
from foreknow.pricing import Side
from foreknow.trading import quote_routes
from foreknow.trading.desk import TradeDesk
from foreknow.trading.errors import AmountTooSmall, InsufficientShares, MarketLimit, Slippage
from foreknow.trading.orders import Buy, Fill, Order, Sell
from foreknow.trading.schemas import Bet, BetOrder, Quote, Sale, SaleOrder
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, Group, Request, get, post
from foreknow.web.responses import Response, stored_response

MARKET_REFUSALS = (MarketNotFound, MarketResolved, MarketClosed, MarketPaused)
QUOTE_REFUSALS = (*MARKET_REFUSALS, AmountTooSmall, MarketLimit)
BET_REFUSALS = (*QUOTE_REFUSALS, Slippage, InsufficientFunds, BalanceLimit)
SALE_REFUSALS = (*MARKET_REFUSALS, InsufficientShares, AmountTooSmall, MarketLimit, Slippage, BalanceLimit)
_SIDES: dict[str, Side] = {side.value: side for side in Side}
QUOTE_QUERY = (
    quote_routes.MARKET_ID,
    quote_routes.side("token_type", ("YES", "NO")),
    quote_routes.stake("amount_kopecks"),
    quote_routes.SHARES,
)


class TradingRoutes:
    """POST /market/bets, POST /market/positions/sell, GET /market/quote."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            post(
                "/market/bets",
                self.bet,
                AuthLevel.REQUIRED,
                Bet,
                "Place a bet",
                status=201,
                body=BetOrder,
                errors=BET_REFUSALS,
                idempotent=True,
                rate_limit_group=Group.TRADING,
            ),
            post(
                "/market/positions/sell",
                self.sell,
                AuthLevel.REQUIRED,
                Sale,
                "Sell shares of an open position",
                status=201,
                body=SaleOrder,
                errors=SALE_REFUSALS,
                idempotent=True,
                rate_limit_group=Group.TRADING,
            ),
            get(
                "/market/quote",
                self.quote,
                AuthLevel.OPTIONAL,
                Quote,
                "What an order would get now",
                query=QUOTE_QUERY,
                errors=QUOTE_REFUSALS,
            ),
        ]

    async def bet(self, request: Request) -> Response:
        """Place a bet; answered once it is on disk."""
        body: BetOrder = request.body
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

    async def sell(self, request: Request) -> Response:
        """Sell shares; answered once it is on disk."""
        body: SaleOrder = request.body
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

    async def quote(self, request: Request) -> Quote:
        """Price an order without placing it."""
        query = request.query
        side, stake_kopecks = _SIDES[query["token_type"]], query["amount_kopecks"]
        quoted = await quote_routes.quote_request(
            self._context, request, visitor=request.visitor, side=side, stake_kopecks=stake_kopecks
        )
        return Quote(
            market_id=query["market_id"],
            token_type=query["token_type"],
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
