"""Opening an event for trading: strikes and texts, the house's money, and when its pools need work next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from foreknow.kernel.errors import InvalidState
from foreknow.kernel.terms import Terms
from foreknow.market import charts
from foreknow.market.events import odds_events
from foreknow.market.events.errors import HouseLimit
from foreknow.market.events.filling import fill_texts, take_strikes
from foreknow.market.events.store import EventRow, EventStatus, update_event
from foreknow.market.pools import deadlines
from foreknow.market.pools.store import PoolRow, PoolState, PricedPool, mark_published, open_loss_bounds_kopecks
from foreknow.money import ledger
from foreknow.money.ledger import Transfer, TransferKind, house_account
from foreknow.people import notifications
from foreknow.people.notifications.kinds.run import EventPublished
from foreknow.people.users.store import person
from foreknow.platform.db.transactions import ReadTx, WriteTx


def check_publishable(pools: Collection[PricedPool], at_ms: int) -> None:
    """Raise `InvalidState` unless an event with these locked pools may be opened at `at_ms`."""
    # Every change of an event's status changes its pools, which are locked: their state is enough.
    if any(pool.state is not PoolState.NEW for pool in pools):
        raise InvalidState("Only a new event can be published.")
    if any(pool.finish_at_ms is not None and pool.finish_at_ms <= at_ms for pool in pools):
        raise InvalidState("A pool of this event is already past its finish_at.")


def open_event(
    tx: WriteTx,
    event: EventRow,
    pools: Mapping[int, PoolRow],
    *,
    by_user_id: int | None,
    at_ms: int,
    terms: Terms,
) -> None:
    """Open an event, all of whose pools are locked and publishable: the house pays their loss bounds into escrow.

    Its creator is notified unless they open it themselves (`by_user_id`; None for a series). `terms` limit the loss
    bounds of a creator's open pools. Raises `PriceUnavailable` and `HouseLimit`.
    """
    with_strikes = take_strikes(tx, event, sorted(pools.values(), key=lambda pool: pool.position), at_ms=at_ms)
    _pay_subsidies(tx, event.creator_id, pools.values(), at_ms=at_ms, terms=terms)
    # After the lock of the house's account, which a deletion of the creator's takes, too.
    if person(tx, event.creator_id).deleted_at_ms is not None:
        raise InvalidState("The account of the event's creator was deleted.")
    mark_published(tx, pools.keys(), at_ms=at_ms)
    for pool in pools.values():
        charts.open_pool(tx, pool_id=pool.id, probabilities=pool.lmsr().probabilities(), at_ms=at_ms)
        if pool.finish_at_ms is not None:
            deadlines.schedule(tx, pool.id, at_ms=pool.finish_at_ms)
    update_event(tx, event.id, status=EventStatus.ACTIVE.value, published_at_ms=at_ms)
    odds_events.schedule(tx, event.id, event.external_event_url, at_ms=at_ms)
    name, name_ru = fill_texts(tx, event, with_strikes, opened_at_ms=at_ms)
    if by_user_id != event.creator_id:
        new = notifications.NewNotifications(replace(event, name=name, name_ru=name_ru), at_ms=at_ms)
        notifications.record(tx, new.add(event.creator_id, EventPublished()))


def _pay_subsidies(tx: WriteTx, creator_id: int, pools: Collection[PoolRow], *, at_ms: int, terms: Terms) -> None:
    house = house_account(tx)
    subsidies = [
        Transfer(
            kind=TransferKind.SUBSIDY,
            source=house,
            target=pool.escrow_account_id,
            amount_kopecks=pool.loss_bound_kopecks,
        )
        for pool in pools
    ]
    ledger.post(tx, subsidies, at_ms=at_ms)
    # After locking the house's account: publications wait for each other there, so two cannot both fit under the limit.
    check_house_limit(tx, creator_id, sum(pool.loss_bound_kopecks for pool in pools), terms)


def check_house_limit(tx: ReadTx, creator_id: int, required_kopecks: int, terms: Terms) -> None:
    """Raise `HouseLimit` if a creator's open loss bounds and what is required exceed the limit of `terms`."""
    limit_kopecks = terms.loss_limit_kopecks
    if limit_kopecks is None:
        return
    available = limit_kopecks - open_loss_bounds_kopecks(tx, creator_id)
    if required_kopecks > available:
        raise HouseLimit(required=required_kopecks, available=max(0, available))
