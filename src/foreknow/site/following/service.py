"""Rules of follows and price alerts."""

from __future__ import annotations

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.validation.fields import required_text, wrong_field
from foreknow.market.events.schemas import TAG_MAX
from foreknow.market.events.service import visible_event
from foreknow.market.pools.errors import MarketNotFound, MarketResolved
from foreknow.market.pools.service import visible_market
from foreknow.market.pools.store import lock_priced_pools, pool_ids_of_markets
from foreknow.people.follows import store
from foreknow.people.users.profiles import public_user
from foreknow.people.users.store import find_people, lock_person
from foreknow.people.users.visibility import check_shown
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.following import alerts
from foreknow.site.following.alerts import ALERTS_MAX, LIMITS, is_reached
from foreknow.site.following.errors import TooManyAlerts
from foreknow.site.following.follower import send_published
from foreknow.site.following.replacing import tell_reached
from foreknow.site.following.schemas import AlertBody, Following, MarketAlert


def follow_event(tx: WriteTx, event_id: int, caller: UserCaller) -> None:
    """Follow an event; `EventNotFound`, `TooManyFollows`."""
    visible_event(tx, event_id, caller)
    store.follow_event(tx, caller.user_id, event_id)


def unfollow_event(tx: WriteTx, event_id: int, caller: UserCaller) -> None:
    """Follow an event no more; `EventNotFound`."""
    visible_event(tx, event_id, caller)
    store.unfollow_event(tx, caller.user_id, event_id)


def follow_user(tx: WriteTx, user_id: int, caller: UserCaller) -> None:
    """Follow a user; `UserNotFound`, of a hidden profile too, and `TooManyFollows`."""
    check_shown(tx, user_id, caller)
    store.follow_user(tx, caller.user_id, user_id)


def unfollow_user(tx: WriteTx, user_id: int, caller: UserCaller) -> None:
    """Follow a user no more, who may have hidden their profile meanwhile; `UserNotFound`."""
    send_published(tx, caller.user_id)
    if not store.unfollow_user(tx, caller.user_id, user_id):
        check_shown(tx, user_id, caller)


def unfollow_tag(tx: WriteTx, tag: str, caller: UserCaller) -> None:
    """Follow a tag no more."""
    send_published(tx, caller.user_id)
    store.unfollow_tag(tx, caller.user_id, tag)


def read_tag(text: str) -> str:
    """Return a tag as events have it; `BadRequest` for what none can have."""
    tag = required_text("tag", text, most=TAG_MAX)
    if "\0" in tag:
        raise wrong_field("tag", "must not hold NUL")
    return tag


def following(tx: ReadTx, user_id: int) -> Following:
    """Return what a person follows."""
    found = store.follows_of(tx, user_id)
    people = find_people(tx, list(found.user_ids))
    users = [public_user(people[one]) for one in found.user_ids if one in people]
    return Following(list(found.event_ids), users, list(found.tags))


def set_alert(tx: WriteTx, market_id: int, body: AlertBody, caller: UserCaller) -> MarketAlert:
    """Set a price alert in place of the market's one before.

    Raises `BadRequest` without a price, `MarketNotFound`, `MarketResolved` for a market that has ended,
    `InvalidState` where the price is there already, `TooManyAlerts`.
    """
    if body.above is None and body.below is None:
        raise wrong_field("above", "or below must be given")
    location = pool_ids_of_markets(tx, [market_id]).get(market_id)
    if location is None:
        raise MarketNotFound
    pool_id, outcome_index = location
    # Orders lock it, too: each trade is either part of the price that is compared here, or finds the alert.
    pool = lock_priced_pools(tx, [pool_id])[pool_id]
    if not is_visible_to(caller, pool):
        raise MarketNotFound
    at_ms = now_ms(tx)
    if pool.is_decided or pool.is_resolved(at_ms) or pool.is_over(at_ms):
        raise MarketResolved
    if pool.published_at_ms is None:
        raise InvalidState("The market is not published.")
    probability = pool.lmsr().probabilities()[outcome_index]
    for limit, bps in zip(LIMITS, (body.above, body.below), strict=True):
        if bps is not None and is_reached(probability, limit, bps):
            raise InvalidState(f"The price is {limit} that already, or there.")
    lock_person(tx, caller.user_id)
    tell_reached(tx, user_id=caller.user_id, market_id=market_id, pool_id=pool_id, at_ms=at_ms)
    others = {*alerts.markets_of(tx, caller.user_id, at_ms=at_ms)} - {market_id}
    if len(others) >= ALERTS_MAX:
        raise TooManyAlerts
    values = {"above_bps": body.above, "below_bps": body.below, "trades": pool.trade_count, "set_at_ms": at_ms}
    alerts.replace(tx, user_id=caller.user_id, market_id=market_id, values={**values, "pool_id": pool_id})
    return MarketAlert(market_id, body.above, body.below)


def delete_alert(tx: WriteTx, market_id: int, caller: UserCaller) -> None:
    """Delete the price alert on a market, if there is one; `MarketNotFound`."""
    pool, _ = visible_market(tx, market_id, caller)
    lock_priced_pools(tx, [pool.id])
    tell_reached(tx, user_id=caller.user_id, market_id=market_id, pool_id=pool.id, at_ms=now_ms(tx))
    alerts.delete(tx, user_id=caller.user_id, market_id=market_id)
