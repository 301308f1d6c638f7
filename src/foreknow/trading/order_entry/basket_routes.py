"""Users' baskets."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.trading.desk import basket_store, kinds
from foreknow.trading.desk.basket_schemas import Basket, BasketOrder, BasketQuote, StoredBasket, user_basket
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.errors import (
    USER_BASKET_ERRORS,
    USER_BASKET_QUOTE_ERRORS,
    BasketNotFound,
    InvalidBasketId,
)
from foreknow.trading.order_entry.basket_requests import basket_terms, quote_basket, quoted_legs
from foreknow.trading.order_entry.routes import TRADING, response_of
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import READS, BodyRequest, PathRequest, get, post
from foreknow.web.params import parameters, path_id
from foreknow.web.responses import LaterResponse


@parameters
class BasketPath:
    id: int = path_id(InvalidBasketId)


class BasketRoutes:
    """Orders of users on several markets of a pool at one price."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk
        self._not_by_creator = context.terms.creators_trade == "off"

    @post(
        "/market/baskets",
        AuthLevel.REQUIRED,
        response=Basket,
        status=201,
        errors=USER_BASKET_ERRORS,
        idempotent=True,
        rate_limit_group=TRADING,
        key_scope="trade",
    )
    def place_basket(self, request: BodyRequest[BasketOrder]) -> LaterResponse:
        """Place a basket.

        One order on several markets of a pool at one price: a stake on a set of them, perhaps on a condition; or
        shares to buy and to sell of each. What its sales bring pays for its purchases.
        """
        body = request.body
        terms = basket_terms(body, stake_kopecks=body.amount_kopecks, stake_field="amount_kopecks")
        order = kinds.TradeBasket(
            caller=request.user,
            market_id=terms.named_ids[0],
            terms=terms,
            not_by_creator=self._not_by_creator,
            outcomes=body.outcomes,
            idempotency_key=request.idempotency_key,
            receipt=user_basket,
        )
        return LaterResponse(self._desk.queue(order), response_of)

    @post(
        "/market/baskets/quote",
        AuthLevel.OPTIONAL,
        errors=USER_BASKET_QUOTE_ERRORS,
        rate_limit_group=READS,
        key_scope="read",
        unverified=True,
    )
    async def quote_basket(self, request: BodyRequest[BasketOrder]) -> BasketQuote:
        """What a basket would get now.

        Refused as the order would be, but for want of money or shares.
        """
        body = request.body
        terms = basket_terms(body, stake_kopecks=body.amount_kopecks, stake_field="amount_kopecks")
        quoted = await self._context.db.lookup(
            lambda tx: quote_basket(
                tx,
                terms,
                visitor=request.visitor,
                not_by_creator=self._not_by_creator,
                now_ms=self._context.clock(),
                outcomes=body.outcomes,
            )
        )
        priced = quoted.priced
        return BasketQuote(
            pool_id=quoted.pool.id,
            legs=quoted_legs(quoted),
            payout_kopecks=priced.payout_kopecks,
            cost_kopecks=priced.cost_kopecks,
            fee_kopecks=priced.fee_kopecks,
            net_kopecks=priced.net_kopecks,
            avg_price=priced.avg_price_bps,
            probabilities_before=list(priced.probabilities_before),
            probabilities_after=list(priced.probabilities_after),
        )

    @get("/market/baskets/{id}", AuthLevel.REQUIRED, errors=(BasketNotFound,))
    async def get_basket(self, request: PathRequest[BasketPath]) -> StoredBasket:
        """One of your baskets, as it was answered."""
        found = await self._context.db.lookup(
            lambda tx: basket_store.basket_of_user(tx, request.path.id, request.user.user_id)
        )
        if found is None:
            raise BasketNotFound
        return found
