"""Baskets, orders on several markets of a pool at one price: what a body says, and what it would get now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.errors import MarketNotFound
from foreknow.market.pools.store import PricedPool, load_priced_pools, pool_ids_of_markets
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk import basket_store
from foreknow.trading.desk.basket_store import QuotedLeg, StoredBasket, stored_basket
from foreknow.trading.desk.checks import check_tradable
from foreknow.trading.desk.errors import (
    BASKET_ERRORS,
    BASKET_QUOTE_ERRORS,
    USER_BASKET_ERRORS,
    USER_BASKET_QUOTE_ERRORS,
    BasketNotFound,
    InsufficientFloat,
    InvalidBasketId,
    SeveralPools,
)
from foreknow.trading.desk.kinds import TradeBasket
from foreknow.trading.desk.kinds.basket_pricing import BasketChanges, BasketStake, BasketTerms, PricedBasket
from foreknow.trading.desk.orders import BasketFill
from foreknow.trading.entry.basket_schemas import (
    Basket,
    BasketChange,
    BasketOrder,
    BasketQuote,
    PartnerBasket,
    PartnerBasketOrder,
    PartnerBasketQuote,
    PartnerBasketQuoteOrder,
    StoredPartnerBasket,
)
from foreknow.trading.entry.routes import Body, EntryRoutes, PartnerVoice, UserVoice, Voice, body_of, takes_orders
from foreknow.trading.partner.schemas import InvalidExternalUserId, read_external_user_id
from foreknow.web.endpoint import READS, BodyRequest, PathRequest, get, post
from foreknow.web.params import parameters, path_id
from foreknow.web.responses import LaterResponse

AnyBasket: TypeAlias = BasketOrder | PartnerBasketQuoteOrder


class BasketPriceQuote(NamedTuple):
    """The price of a basket in its pool."""

    pool: PricedPool
    priced: PricedBasket


def basket_terms(body: AnyBasket) -> BasketTerms:
    """Return the terms of a basket; `BadRequest` names the field that is wrong by itself or beside another."""
    stake = body.__struct_encode_fields__[body.__struct_fields__.index("stake_kopecks")]
    of_stake = (body.market_ids, body.given, body.stake_kopecks, body.min_shares)
    of_changes = (body.changes, body.min_net_kopecks)
    if all(field is None for field in of_stake) == all(field is None for field in of_changes):
        raise BadRequest(f"Give either market_ids and {stake}, or changes.")
    if body.changes is not None:
        return _changes(body.changes, body.min_net_kopecks)
    if body.min_net_kopecks is not None:
        raise wrong_field("changes", "is required")
    if body.market_ids is None:
        raise wrong_field("market_ids", "is required")
    if body.stake_kopecks is None:
        raise wrong_field(stake, "is required")
    _check_different("market_ids", body.market_ids)
    if body.given is not None:
        _check_different("given", body.given)
        if not set(body.market_ids) < set(body.given):
            raise wrong_field("given", "must have all of market_ids, and more")
    return BasketStake(
        market_ids=tuple(body.market_ids),
        given=None if body.given is None else tuple(body.given),
        stake_kopecks=body.stake_kopecks,
        min_shares=body.min_shares,
    )


def quote_basket(
    tx: ReadTx,
    terms: BasketTerms,
    *,
    visitor: UserCaller | None,
    creators_trade: bool,
    now_ms: int,
    outcomes: int | None = None,
) -> BasketPriceQuote:
    """Price a basket with all the desk's checks but those of the trader's balance and shares."""
    pool, places = named_pool(tx, terms, visitor)
    terms.check_count(len(pool.markets))
    check_tradable(pool, now_ms, refused_to=None if creators_trade else visitor, outcomes=outcomes)
    market_maker = pool.lmsr()
    priced = terms.price(market_maker, places, margin=pool.margin, probabilities=market_maker.probabilities())
    return BasketPriceQuote(pool, priced)


def named_pool(tx: ReadTx, terms: BasketTerms, visitor: UserCaller | None) -> tuple[PricedPool, dict[int, int]]:
    """Return the pool of a basket's markets, and their places; `MarketNotFound`, then `SeveralPools`.

    Of a market that the visitor may not see nothing is said, not even that it is another pool's.
    """
    places = pool_ids_of_markets(tx, terms.named_ids)
    if len(places) < len(terms.named_ids):
        raise MarketNotFound
    pools = load_priced_pools(tx, {pool_id for pool_id, _ in places.values()})
    if not all(is_visible_to(visitor, pool) for pool in pools.values()):
        raise MarketNotFound
    if len(pools) > 1:
        raise SeveralPools
    (pool,) = pools.values()
    return pool, {market_id: outcome for market_id, (_, outcome) in places.items()}


def _changes(changes: Sequence[BasketChange], min_net_kopecks: int | None) -> BasketChanges:
    _check_different("changes", [change.market_id for change in changes])
    for index, change in enumerate(changes):
        if not change.shares:
            raise wrong_field(f"changes[{index}].shares", "must not be 0")
    by_market = {change.market_id: change.shares for change in changes}
    return BasketChanges(changes=by_market, min_net_kopecks=min_net_kopecks)


def _check_different(name: str, market_ids: Sequence[int]) -> None:
    if len(set(market_ids)) < len(market_ids):
        raise wrong_field(name, "must name each market once")


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
                creators_trade=self._context.terms.creators_trade == "on",
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
        takes_order=True,
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
        takes_order=True,
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
