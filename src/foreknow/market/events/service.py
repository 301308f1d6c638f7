"""Creating, reading and publishing events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.terms import Terms
from foreknow.market.events import odds_events, series_store
from foreknow.market.events.drafts import EventDraft
from foreknow.market.events.errors import EventNotFound, TooManyEvents
from foreknow.market.events.publication import check_publishable, open_event
from foreknow.market.events.schemas import Event, event_view
from foreknow.market.events.search import search_key
from foreknow.market.events.store import (
    EventRow,
    EventStatus,
    closing_time_ms,
    count_new,
    insert_event,
    load_events,
    neighbours,
)
from foreknow.market.pools.creation import insert_pools
from foreknow.market.pools.store import (
    load_pools,
    lock_pools_of_event,
    pool_ids_of_events,
)
from foreknow.people import admin_log, attention
from foreknow.people.follows import news
from foreknow.people.users import require_edited_by, require_live_session, require_run_by
from foreknow.people.users.store import find_person, lock_person, person
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx

_NOT_RUN = "Only the event's creator and admins may do this."


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """The place of a new event in its series, and the object of the image that it shares with the one before."""

    series_id: int
    index: int
    image_object: str | None


def create(
    tx: WriteTx,
    draft: EventDraft,
    *,
    creator_id: int,
    at_ms: int,
    terms: Terms,
    instance: Instance | None = None,
) -> int:
    """Write a new event with its pools and markets, visible to its creator and admins only; return its id.

    `terms` tell the length of dispute windows where a pool's rule names none, and the least where no admin makes it;
    `instance` is for an event that is made for its series.
    """
    deadlines_ms = [pool.finish_at_ms for pool in draft.pools]
    event_id = insert_event(
        tx,
        creator_id=creator_id,
        name=draft.name,
        name_ru=draft.name_ru,
        search_key=search_key(draft.name, draft.name_ru),
        tags=draft.tags,
        versus_names=draft.versus_names,
        versus_images=draft.versus_images,
        has_draw=draft.has_draw,
        image_url=draft.image_url,
        external_event_url=draft.external_event_url,
        main_pool_index=draft.main_pool_index,
        loop_interval_minutes=draft.loop_interval_minutes,
        status=EventStatus.NEW.value,
        created_at_ms=at_ms,
        closes_at_ms=closing_time_ms(deadlines_ms),
        finish_at_ms=max((deadline for deadline in deadlines_ms if deadline is not None), default=None),
        templates=msgspec.to_builtins(draft.texts()) if draft.has_placeholders else None,
        series_id=instance.series_id if instance else None,
        series_index=instance.index if instance else None,
        image_object=instance.image_object if instance else None,
    )
    maker = find_person(tx, creator_id)
    insert_pools(
        tx,
        draft.pools,
        event_id=event_id,
        creator_id=creator_id,
        terms=terms,
        by_admin=maker is not None and maker.is_admin,
        has_placeholders=draft.has_placeholders,
    )
    odds_events.schedule(tx, event_id, draft.external_event_url, at_ms=at_ms)
    return event_id


#: New events that one suggester may have at a time.
SUGGESTED_MAX = 20


def suggest(tx: WriteTx, draft: EventDraft, caller: UserCaller, *, at_ms: int, terms: Terms) -> int:
    """Write a new event for an admin to publish, who finds it in `attention`; return its id. `TooManyEvents`."""
    # Locked, so that two at once are not both the last.
    lock_person(tx, caller.user_id)
    if count_new(tx, caller.user_id) >= SUGGESTED_MAX:
        raise TooManyEvents
    event_id = create(tx, draft, creator_id=caller.user_id, at_ms=at_ms, terms=terms)
    attention.open_entry(tx, "suggestion", reason="new_event", event_id=event_id, at_ms=at_ms)
    return event_id


def visible_event(tx: ReadTx, event_id: int, visitor: UserCaller | None) -> EventRow:
    """Return an event that the visitor may see; `EventNotFound` otherwise."""
    row = load_events(tx, [event_id]).get(event_id)
    if row is None or not is_visible_to(visitor, row):
        raise EventNotFound
    return row


def managed_event(tx: ReadTx, event_id: int, caller: UserCaller) -> EventRow:
    """Return an event that the caller manages as its creator or an admin.

    Session and role are read from the database, since money moves. Raises `EventNotFound`, `Forbidden`, or
    `Unauthorized` for an ended session.
    """
    require_live_session(tx, caller)
    row = visible_event(tx, event_id, caller)
    require_run_by(tx, caller, row, _NOT_RUN)
    return row


def edited_event(tx: ReadTx, event_id: int, caller: UserCaller) -> EventRow:
    """Return an event that the caller may change; raises the same. A new one its creator may who only suggests it."""
    row = visible_event(tx, event_id, caller)
    require_edited_by(tx, caller, row, _NOT_RUN)
    return row


def publish(tx: WriteTx, event_id: int, caller: UserCaller, *, terms: Terms) -> None:
    """Open a new event for trading: the house pays each pool's loss bound into its escrow.

    `terms` limit the loss bounds of a creator's open pools. Raises `HouseLimit`, `PriceUnavailable`, and
    `InvalidState` for an event that is not new or has a pool past its deadline.
    """
    managed_event(tx, event_id, caller)
    pools = lock_pools_of_event(tx, event_id)
    # Only now: until the pools were locked, the event could still be edited.
    event = load_events(tx, [event_id])[event_id]
    at_ms = now_ms(tx)
    check_publishable(pools.values(), at_ms)
    open_event(tx, event, pools, by_user_id=caller.user_id, at_ms=at_ms, terms=terms)
    # With the name that was filled in. Later instances of a series open by themselves, without news.
    news.write_published(tx, event, without=[caller.user_id, event.creator_id], at_ms=at_ms)
    attention.close_entry(tx, "suggestion", event_id=event_id, at_ms=at_ms)
    if event.loop_interval_minutes:
        # The series of a suggestion is the admin's, as its event is.
        is_suggestion = terms.creators == "suggest" and not person(tx, event.creator_id).is_creator
        in_order = sorted(pools.values(), key=lambda pool: pool.position)
        series_store.begin(tx, event, in_order, waits_for_role=not is_suggestion, at_ms=at_ms)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=event.creator_id,
        action="event.publish",
        target=f"event:{event_id}",
        details={},
        at_ms=at_ms,
    )


def load_event_view(tx: ReadTx, event_id: int, *, now_ms: int) -> Event:
    """Return the view of an event that exists, with its pools."""
    return load_event_views(tx, [load_events(tx, [event_id])[event_id]], now_ms=now_ms)[0]


def load_event_views(
    tx: ReadTx, rows: Sequence[EventRow], *, now_ms: int, pool_ids: Mapping[int, Sequence[int]] | None = None
) -> list[Event]:
    """Return the views of events with their pools; `pool_ids` are those of each event, if known."""
    members = pool_ids if pool_ids is not None else pool_ids_of_events(tx, [row.id for row in rows])
    pools = load_pools(tx, [pool_id for row in rows for pool_id in members[row.id]])
    found = neighbours(tx, rows)
    return [
        event_view(row, [pools[pool_id] for pool_id in members[row.id]], found.get(row.id), now_ms=now_ms)
        for row in rows
    ]
