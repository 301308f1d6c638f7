"""Opening the next instance of a series in one transaction, or noting why it waits.

The lock of the series decides who opens an instance; (series, index) is unique in the database besides. Edits of the
newest instance's deadlines, and of its image, take this lock before they read the time or the image.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.terms import Terms
from foreknow.market.events import series_store
from foreknow.market.events import service as event_service
from foreknow.market.events.errors import HouseLimit, PriceUnavailable
from foreknow.market.events.filling import can_take_strikes
from foreknow.market.events.publication import check_house_limit, open_event
from foreknow.market.events.series_plans import Recurrence
from foreknow.market.events.series_store import SeriesRow, SeriesStatus, WaitingFor, over_from_ms
from foreknow.market.events.store import image_of_event, load_events, update_event
from foreknow.market.pools.store import PricedPool, load_priced_pools, lock_pools_of_event, pool_ids_of_events
from foreknow.people import attention, notifications
from foreknow.people.notifications.kinds.run import SeriesWaiting
from foreknow.people.users.store import find_person
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx


class InstanceWaits(Exception):
    """The next instance cannot be opened now."""

    def __init__(self, reason: WaitingFor) -> None:
        """Say why."""
        super().__init__(reason)
        self.reason: WaitingFor = reason


def open_next(tx: WriteTx, series_id: int, terms: Terms) -> bool:
    """Make and publish the next instance of a series if its newest one is over; return whether that was done.

    Raises `InstanceWaits` where something prevents it; nothing is to be committed then.
    """
    row = series_store.lock_due(tx, series_id)
    if row is None:
        return False
    at_ms = now_ms(tx)
    newest_pools = pools_of(tx, row.newest_event_id)
    if not _is_over(newest_pools, at_ms):
        # Where a pool without a `finish_at` has no result, the series is not found again before it has one.
        series_store.update_series(tx, row.id, due_at_ms=over_from_ms(newest_pools, at_ms=at_ms))
        return False
    index = row.recurrence.next_index(after=row.newest_index, at_ms=at_ms)
    if not row.recurrence.can_take_place(index):
        _end(tx, row, at_ms=at_ms)
        return False
    if not _has_role(tx, row, terms):
        raise InstanceWaits("creator_role")
    try:
        _open(tx, row, index, terms, at_ms=at_ms)
    except HouseLimit as limit:
        raise InstanceWaits("house_limit") from limit
    except PriceUnavailable as unknown:
        raise InstanceWaits("price") from unknown
    return True


def still_waits(tx: ReadTx, series_id: int, terms: Terms) -> bool:
    """Return whether the next instance of a waiting series waits for the same as before, so that nothing is to do."""
    row = series_store.load_series(tx, series_id)
    if row is None or row.waiting is None:
        return False
    at_ms = now_ms(tx)
    index = row.recurrence.next_index(after=row.newest_index, at_ms=at_ms)
    return index == row.waiting_index and row.waiting == _obstacle(tx, row, index, terms, at_ms=at_ms)


#: Why the next instance of a series waits, as its creator reads it.
_WAITING: Mapping[WaitingFor, str] = {
    "creator_role": "you are no Creator",
    "house_limit": "it would exceed the limit of the house's open loss bounds",
    "price": "there is no recent price of its asset",
}


def note_waiting(tx: WriteTx, series_id: int, reason: WaitingFor) -> None:
    """Note why the next instance of a series waits; its creator and the operators are notified once an instance."""
    row = series_store.lock_due(tx, series_id)
    if row is None:
        return
    at_ms = now_ms(tx)
    index = row.recurrence.next_index(after=row.newest_index, at_ms=at_ms)
    if row.waiting_index != index:
        # Of an instance that has been skipped.
        attention.close_entry(tx, "series", series_id=row.id, at_ms=at_ms)
        newest = load_events(tx, [row.newest_event_id])[row.newest_event_id]
        new = notifications.NewNotifications(newest, at_ms=at_ms)
        notifications.record(tx, new.add(row.creator_id, SeriesWaiting(reason=_WAITING[reason])))
    attention.open_entry(tx, "series", reason=reason, series_id=row.id, at_ms=at_ms)
    series_store.update_series(tx, row.id, waiting=reason, waiting_index=index)


def put_off(tx: WriteTx, series_id: int, back_off: BackOff, *, jitter: float) -> None:
    """Try again later to open the next instance of a series, where that failed."""
    row = series_store.lock_due(tx, series_id)
    if row is None:
        return
    failures = row.attempts + 1
    due_at_ms = now_ms(tx) + back_off.pause_ms(failures, jitter=jitter)
    series_store.update_series(tx, row.id, attempts=failures, due_at_ms=due_at_ms)


def wait_no_longer(tx: WriteTx, row: SeriesRow, *, at_ms: int) -> dict[str, Any]:
    """Close what was opened about a locked series that waited; return the columns that say so."""
    if row.waiting is not None:
        attention.close_entry(tx, "series", series_id=row.id, at_ms=at_ms)
    return {"waiting": None}


def pools_of(tx: ReadTx, event_id: int) -> Collection[PricedPool]:
    """Return the pools of an event."""
    return load_priced_pools(tx, pool_ids_of_events(tx, [event_id])[event_id]).values()


def _is_over(pools: Collection[PricedPool], at_ms: int) -> bool:
    return all(pool.is_decided if pool.finish_at_ms is None else pool.finish_at_ms <= at_ms for pool in pools)


def _has_role(tx: ReadTx, row: SeriesRow, terms: Terms) -> bool:
    """Return whether the creator of a series may go on with it; an admin runs that of a suggestion."""
    if not row.waits_for_role:
        return True
    person = find_person(tx, row.creator_id)
    if person is None or not person.is_active:
        return False
    return terms.counts_as_creator(is_creator=person.is_creator, email_verified=person.email_verified)


def _obstacle(tx: ReadTx, row: SeriesRow, index: int, terms: Terms, *, at_ms: int) -> WaitingFor | None:
    """Return what would keep an instance from being opened, by reading alone."""
    if not row.recurrence.can_take_place(index):
        return None
    if not _has_role(tx, row, terms):
        return "creator_role"
    draft = row.recurrence.draft_of(index)
    if not can_take_strikes(tx, draft, at_ms=at_ms):
        return "price"
    required_kopecks = sum(pool.loss_bound_kopecks for pool in draft.pools)
    try:
        check_house_limit(tx, row.creator_id, required_kopecks, terms)
    except HouseLimit:
        return "house_limit"
    return None


def _open(tx: WriteTx, row: SeriesRow, index: int, terms: Terms, *, at_ms: int) -> None:
    plan = row.recurrence.plan
    draft, image_object = row.recurrence.draft_of(index), None
    if plan.image_url is None:
        shown = image_of_event(tx, row.newest_event_id)
        draft, image_object = replace(draft, image_url=shown.url), shown.object
    event_id = event_service.create(
        tx,
        draft,
        creator_id=row.creator_id,
        at_ms=at_ms,
        terms=terms,
        instance=event_service.Instance(series_id=row.id, index=index, image_object=image_object),
    )
    pools = lock_pools_of_event(tx, event_id)
    event = load_events(tx, [event_id])[event_id]
    open_event(tx, event, pools, by_user_id=None, at_ms=at_ms, terms=terms)
    update_event(tx, row.newest_event_id, is_newest=False)
    # From now on the new instance shows the image of the plan, and the following ones what it shows.
    recurrence = replace(row.recurrence, plan=msgspec.structs.replace(plan, image_url=None))
    series_store.update_series(
        tx,
        row.id,
        recurrence=recurrence,
        newest_event_id=event_id,
        newest_index=index,
        attempts=0,
        **next_status(recurrence, index, pools.values(), at_ms=at_ms),
        **wait_no_longer(tx, row, at_ms=at_ms),
    )


def next_status(
    recurrence: Recurrence, newest_index: int, newest_pools: Collection[PricedPool], *, at_ms: int
) -> dict[str, Any]:
    """Return the columns of a series that is not stopped: running until the newest instance is over, or ended."""
    if not recurrence.can_take_place(newest_index + 1):
        return {"status": SeriesStatus.ENDED.value, "due_at_ms": None}
    return {"status": SeriesStatus.RUNNING.value, "due_at_ms": over_from_ms(newest_pools, at_ms=at_ms)}


def _end(tx: WriteTx, row: SeriesRow, *, at_ms: int) -> None:
    columns = wait_no_longer(tx, row, at_ms=at_ms)
    series_store.update_series(tx, row.id, status=SeriesStatus.ENDED.value, due_at_ms=None, **columns)
