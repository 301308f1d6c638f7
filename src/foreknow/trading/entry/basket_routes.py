"""Baskets: orders on several markets of a pool at one price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.trading.desk import basket_store
from foreknow.trading.desk.basket_schemas import QuotedLeg, StoredBasket, stored_basket
from foreknow.trading.desk.errors import (
    BASKET_ERRORS,
    BASKET_QUOTE_ERRORS,
    USER_BASKET_ERRORS,
    USER_BASKET_QUOTE_ERRORS,
    BasketNotFound,
    InsufficientFloat,
    InvalidBasketId,
)
from foreknow.trading.desk.kinds import TradeBasket
from foreknow.trading.desk.orders import BasketFill
from foreknow.trading.entry.basket_requests import AnyBasket, basket_terms, quote_basket
from foreknow.trading.entry.basket_schemas import (
    Basket,
    BasketOrder,
    BasketQuote,
    PartnerBasket,
    PartnerBasketOrder,
    PartnerBasketQuote,
    PartnerBasketQuoteOrder,
    StoredPartnerBasket,
)
from foreknow.trading.entry.routes import EntryRoutes, takes_orders
from foreknow.trading.entry.voices import Body, PartnerVoice, UserVoice, Voice, body_of
from foreknow.trading.partner.external_ids import InvalidExternalUserId, read_external_user_id
from foreknow.web.endpoint import READS, BodyRequest, PathRequest, get, post
from foreknow.web.params import parameters, path_id
from foreknow.web.responses import LaterResponse


@parameters
class BasketPath:
    id: int = path_id(InvalidBasketId)


class _BasketRoutes(EntryRoutes):
    """Baskets in either voice."""

    def _place(
        self, request: BodyRequest[AnyBasket], voice: Voice, receipt: Callable[[BasketFill], Any]
    ) -> LaterResponse:
        terms = basket_terms(request.body)
        said = self._said(request, voice, receipt)
        return self._queue(TradeBasket(market_id=terms.named_ids[0], terms=terms, **said))

    async def _quote(
        self, request: BodyRequest[AnyBasket], kind: type[Body], *, visitor: UserCaller | None = None
    ) -> Body:
        terms = basket_terms(request.body)
        pool, priced = await self._context.db.lookup(
            lambda tx: quote_basket(
                tx,
                terms,
                visitor=visitor,
                not_by_creator=self._not_by_creator,
                now_ms=self._context.clock(),
                outcomes=request.body.outcomes,
            )
        )
        facts = {
            "pool_id": pool.id,
            "legs": [
                QuotedLeg(pool.markets[outcome].id, shares, kopecks) for outcome, shares, kopecks in priced.legs()
            ],
            "payout_kopecks": priced.payout_kopecks,
            "cost_kopecks": priced.cost_kopecks,
            "fee_kopecks": priced.fee_kopecks,
            "net_kopecks": priced.net_kopecks,
            "avg_price_bps": priced.avg_price_bps,
            "probabilities_before": list(priced.probabilities_before),
            "probabilities_after": list(priced.probabilities_after),
        }
        return body_of(kind, facts)


class BasketRoutes(_BasketRoutes):
    """Baskets of users."""

    @takes_orders("/market/baskets", AuthLevel.REQUIRED, Basket, USER_BASKET_ERRORS)
    def place_basket(self, request: BodyRequest[BasketOrder]) -> LaterResponse:
        """Place a basket.

        One order on several markets of a pool at one price: a stake on a set of them, perhaps on a condition; or
        shares to buy and to sell of each. What its sales bring pays for its purchases.
        """
        return self._place(request, UserVoice(request.user), user_basket)

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
        return await self._quote(request, BasketQuote, visitor=request.visitor)

    @get("/market/baskets/{id}", AuthLevel.REQUIRED, errors=(BasketNotFound,))
    async def get_basket(self, request: PathRequest[BasketPath]) -> StoredBasket:
        """One of your baskets, as it was answered."""
        found = await self._context.db.lookup(
            lambda tx: basket_store.basket_of_user(tx, request.path.id, request.user.user_id)
        )
        if found is None:
            raise BasketNotFound
        return found


class PartnerBasketRoutes(_BasketRoutes):
    """Baskets of partners' users."""

    @takes_orders(
        "/partner/baskets", AuthLevel.PARTNER, PartnerBasket, (InvalidExternalUserId, *BASKET_ERRORS, InsufficientFloat)
    )
    def place_partner_basket(self, request: BodyRequest[PartnerBasketOrder]) -> LaterResponse:
        """Place a basket for a user of yours.

        What its net costs over the sub-account's balance is funded from the float; what comes in stays on the
        sub-account.
        """
        external_user_id = request.body.external_user_id
        voice = PartnerVoice(request.partner, external_user_id)
        return self._place(request, voice, lambda fill: _partner_basket(fill, external_user_id))

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
        if request.body.external_user_id is not None:
            read_external_user_id(request.body.external_user_id)
        return await self._quote(request, PartnerBasketQuote)

    @get("/partner/baskets/{id}", AuthLevel.PARTNER, errors=(BasketNotFound,))
    async def get_partner_basket(self, request: PathRequest[BasketPath]) -> StoredPartnerBasket:
        """One basket of a user of yours, as it was answered."""
        found = await self._context.db.lookup(
            lambda tx: basket_store.basket_of_partner(tx, request.path.id, request.partner.partner_id)
        )
        if found is None:
            raise BasketNotFound
        stored, external_user_id, user_id = found
        facts = {**msgspec.structs.asdict(stored), "external_user_id": external_user_id, "user_id": user_id}
        return body_of(StoredPartnerBasket, facts)


def user_basket(fill: BasketFill) -> msgspec.Raw:
    """Tell a user of an accepted basket: a `Basket`, whose other fields are encoded already, as they are kept."""
    return msgspec.Raw(b'%b,"balance_kopecks":%d}' % (fill.made.body[:-1], fill.balance_kopecks))


def _partner_basket(fill: BasketFill, external_user_id: str) -> PartnerBasket:
    return PartnerBasket(
        **msgspec.structs.asdict(stored_basket(fill.made)),
        external_user_id=external_user_id,
        user_id=fill.user_id,
        balance_kopecks=fill.balance_kopecks,
        float_balance_kopecks=fill.float_balance_kopecks,
    )
