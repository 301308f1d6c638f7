"""Partners' baskets: the same, with the float behind the sub-account's balance."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.trading.desk import basket_store, kinds
from foreknow.trading.desk.basket_schemas import (
    PartnerBasket,
    PartnerBasketOrder,
    PartnerBasketQuote,
    PartnerBasketQuoteOrder,
    StoredPartnerBasket,
    of_partner,
    partner_basket,
)
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.errors import (
    BASKET_ERRORS,
    BASKET_QUOTE_ERRORS,
    BasketNotFound,
    InsufficientFloat,
)
from foreknow.trading.order_entry.basket_requests import basket_terms, quote_basket, quoted_legs
from foreknow.trading.order_entry.basket_routes import BasketPath
from foreknow.trading.order_entry.routes import TRADING, response_of
from foreknow.trading.partner.external_ids import InvalidExternalUserId, read_external_user_id
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import READS, BodyRequest, PathRequest, get, post
from foreknow.web.responses import LaterResponse


class PartnerBasketRoutes:
    """Baskets of partners' users."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk

    @post(
        "/partner/baskets",
        AuthLevel.PARTNER,
        response=PartnerBasket,
        status=201,
        errors=(InvalidExternalUserId, *BASKET_ERRORS, InsufficientFloat),
        idempotent=True,
        rate_limit_group=TRADING,
    )
    def place_partner_basket(self, request: BodyRequest[PartnerBasketOrder]) -> LaterResponse:
        """Place a basket for a user of yours.

        What its net costs over the sub-account's balance is funded from the float; what comes in stays on the
        sub-account.
        """
        body = request.body
        external_user_id = read_external_user_id(body.external_user_id)
        terms = basket_terms(body, stake_kopecks=body.stake_kopecks, stake_field="stake_kopecks")
        order = kinds.TradeBasket(
            caller=request.partner,
            external_user_id=external_user_id,
            market_id=terms.named_ids[0],
            terms=terms,
            outcomes=body.outcomes,
            idempotency_key=request.idempotency_key,
            receipt=lambda fill: partner_basket(fill, external_user_id),
        )
        return LaterResponse(self._desk.queue(order), response_of)

    @post(
        "/partner/baskets/quote",
        AuthLevel.PARTNER,
        errors=(InvalidExternalUserId, *BASKET_QUOTE_ERRORS),
        rate_limit_group=READS,
    )
    async def quote_partner_basket(self, request: BodyRequest[PartnerBasketQuoteOrder]) -> PartnerBasketQuote:
        """What a basket of a user of yours would get now.

        Refused as the order would be, but for want of money or shares. The user need not exist yet.
        """
        body = request.body
        if body.external_user_id is not None:
            read_external_user_id(body.external_user_id)
        terms = basket_terms(body, stake_kopecks=body.stake_kopecks, stake_field="stake_kopecks")
        quoted = await self._context.db.lookup(
            lambda tx: quote_basket(
                tx,
                terms,
                visitor=None,
                not_by_creator=False,
                now_ms=self._context.clock(),
                outcomes=body.outcomes,
            )
        )
        priced = quoted.priced
        return PartnerBasketQuote(
            pool_id=quoted.pool.id,
            legs=quoted_legs(quoted),
            payout_kopecks=priced.payout_kopecks,
            cost_kopecks=priced.cost_kopecks,
            fee_kopecks=priced.fee_kopecks,
            net_kopecks=priced.net_kopecks,
            avg_price_bps=priced.avg_price_bps,
            probabilities_before=list(priced.probabilities_before),
            probabilities_after=list(priced.probabilities_after),
        )

    @get("/partner/baskets/{id}", AuthLevel.PARTNER, errors=(BasketNotFound,))
    async def get_partner_basket(self, request: PathRequest[BasketPath]) -> StoredPartnerBasket:
        """One basket of a user of yours, as it was answered."""
        found = await self._context.db.lookup(
            lambda tx: basket_store.basket_of_partner(tx, request.path.id, request.partner.partner_id)
        )
        if found is None:
            raise BasketNotFound
        stored, external_user_id, user_id = found
        return of_partner(stored, external_user_id=external_user_id, user_id=user_id)
