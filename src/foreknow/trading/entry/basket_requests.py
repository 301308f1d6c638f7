"""What a basket's body says, and what it would get now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.errors import MarketNotFound
from foreknow.market.pools.store import PricedPool, load_priced_pools, pool_ids_of_markets
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.checks import check_tradable
from foreknow.trading.desk.errors import SeveralPools
from foreknow.trading.desk.kinds.basket_pricing import BasketChanges, BasketStake, BasketTerms, PricedBasket
from foreknow.trading.entry.basket_schemas import BasketChange, BasketOrder, PartnerBasketQuoteOrder

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
    not_by_creator: bool,
    now_ms: int,
    outcomes: int | None = None,
) -> BasketPriceQuote:
    """Price a basket with all the desk's checks but those of the trader's balance and shares."""
    pool, places = named_pool(tx, terms, visitor)
    terms.check_count(len(pool.markets))
    check_tradable(pool, now_ms, refused_to=visitor if not_by_creator else None, outcomes=outcomes)
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
