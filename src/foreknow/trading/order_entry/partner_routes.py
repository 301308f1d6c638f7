"""Partners' orders and quotes: the same desk, with the float behind the sub-account's balance."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BalanceLimit
from foreknow.kernel.schema_types import PartnerSide
from foreknow.money.pricing import Side
from foreknow.trading.desk import kinds
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.errors import QUOTE_ERRORS, SALE_ERRORS, InsufficientFloat, Slippage
from foreknow.trading.desk.orders import Fill
from foreknow.trading.desk.schemas import (
    PartnerBet,
    PartnerBetOrder,
    PartnerQuote,
    PartnerSale,
    PartnerSaleOrder,
)
from foreknow.trading.order_entry.routes import TRADING, response_of
from foreknow.trading.partner.external_ids import InvalidExternalUserId, read_external_user_id
from foreknow.trading.partner.routes import external_user
from foreknow.trading.quotes import routes as quote_routes
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, QueryRequest, get, post
from foreknow.web.params import optional, parameters, required
from foreknow.web.responses import LaterResponse

_SIDES: dict[str, Side] = {"yes": Side.YES, "no": Side.NO}
_WORDS: dict[Side, PartnerSide] = {Side.YES: "yes", Side.NO: "no"}


@parameters
class PartnerQuoteQuery:
    external_user_id: str | None = optional(external_user("Which user of yours the order would be for."))
    market_id: int = required(quote_routes.MARKET_ID)
    side: PartnerSide = required(quote_routes.side("side", ("yes", "no")))
    stake_kopecks: int | None = optional(quote_routes.stake("stake_kopecks"))
    shares: int | None = optional(quote_routes.SHARES)
    outcomes: int | None = optional(quote_routes.OUTCOMES)


class PartnerTradingRoutes:
    """Orders of partners' users, and quotes for them."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk

    @post(
        "/partner/bets",
        AuthLevel.PARTNER,
        response=PartnerBet,
        status=201,
        errors=(InvalidExternalUserId, *QUOTE_ERRORS, Slippage, InsufficientFloat, BalanceLimit),
        idempotent=True,
        rate_limit_group=TRADING,
    )
    def place_partner_bet(self, request: BodyRequest[PartnerBetOrder]) -> LaterResponse:
        """Place a bet for a user of yours."""
        body = request.body
        external_user_id = read_external_user_id(body.external_user_id)
        receipt = self._desk.queue(
            kinds.Buy(
                caller=request.partner,
                external_user_id=external_user_id,
                market_id=body.market_id,
                side=_SIDES[body.side],
                stake_kopecks=body.stake_kopecks,
                min_shares=body.min_shares,
                max_price_bps=body.max_price_bps,
                outcomes=body.outcomes,
                idempotency_key=request.idempotency_key,
                receipt=lambda execution: bet_receipt(execution, external_user_id),
            )
        )
        return LaterResponse(receipt, response_of)

    @post(
        "/partner/positions/sell",
        AuthLevel.PARTNER,
        response=PartnerSale,
        status=201,
        errors=(InvalidExternalUserId, *SALE_ERRORS),
        idempotent=True,
        rate_limit_group=TRADING,
    )
    def sell_partner_shares(self, request: BodyRequest[PartnerSaleOrder]) -> LaterResponse:
        """Sell shares of a user of yours."""
        body = request.body
        external_user_id = read_external_user_id(body.external_user_id)
        receipt = self._desk.queue(
            kinds.Sell(
                caller=request.partner,
                external_user_id=external_user_id,
                market_id=body.market_id,
                side=_SIDES[body.side],
                shares=body.shares,
                min_payout_kopecks=body.min_payout_kopecks,
                outcomes=body.outcomes,
                idempotency_key=request.idempotency_key,
                receipt=lambda execution: sale_receipt(execution, external_user_id),
            )
        )
        return LaterResponse(receipt, response_of)

    @get("/partner/quote", AuthLevel.PARTNER, errors=(InvalidExternalUserId, *QUOTE_ERRORS))
    async def quote_partner_order(self, request: QueryRequest[PartnerQuoteQuery]) -> PartnerQuote:
        """What an order would get now.

        Refused as the order would be, but for want of money or shares. With `external_user_id` as the order of that
        user, who need not exist yet.
        """
        query, external_user_id = request.query, request.query.external_user_id
        quoted = await quote_routes.quote_request(
            self._context,
            visitor=None,
            market_id=query.market_id,
            side=_SIDES[query.side],
            stake_kopecks=query.stake_kopecks,
            shares=query.shares,
            outcomes=query.outcomes,
            sub_account=None if external_user_id is None else (request.partner.partner_id, external_user_id),
        )
        return PartnerQuote(
            market_id=query.market_id,
            side=query.side,
            shares=quoted.priced.shares,
            stake_kopecks=quoted.priced.money_kopecks,
            fee_kopecks=quoted.priced.fee_kopecks,
            avg_price_bps=quoted.priced.avg_price_bps,
            probability_before=quoted.probability_before,
            probability_after=quoted.probability_after,
            capped=quoted.priced.is_capped,
        )


def bet_receipt(fill: Fill, external_user_id: str) -> PartnerBet:
    """Tell a partner of an accepted bet."""
    trade = fill.trade
    return PartnerBet(
        bet_id=trade.trade_id,
        external_user_id=external_user_id,
        user_id=fill.user_id,
        market_id=trade.market_id,
        side=_WORDS[trade.side],
        stake_kopecks=trade.money_kopecks,
        fee_kopecks=trade.fee_kopecks,
        shares=trade.shares,
        avg_price_bps=fill.avg_price_bps,
        probability_before=trade.probability_before,
        probability_after=trade.probability_after,
        balance_kopecks=fill.balance_kopecks,
        float_balance_kopecks=fill.float_balance_kopecks,
        capped=fill.is_capped,
        created_at=iso(fill.pool.at_ms),
    )


def sale_receipt(fill: Fill, external_user_id: str) -> PartnerSale:
    """Tell a partner of an accepted sale."""
    trade = fill.trade
    return PartnerSale(
        sale_id=trade.trade_id,
        external_user_id=external_user_id,
        user_id=fill.user_id,
        market_id=trade.market_id,
        side=_WORDS[trade.side],
        shares=trade.shares,
        payout_kopecks=trade.money_kopecks,
        avg_price_bps=fill.avg_price_bps,
        pnl=trade.pnl_kopecks,
        probability_before=trade.probability_before,
        probability_after=trade.probability_after,
        balance_kopecks=fill.balance_kopecks,
        float_balance_kopecks=fill.float_balance_kopecks,
        capped=fill.is_capped,
        created_at=iso(fill.pool.at_ms),
    )
