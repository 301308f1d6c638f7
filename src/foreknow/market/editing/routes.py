"""Endpoints that change the fields of an event that is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidState, Muted
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.editing.pools import edit_pool
from foreknow.market.events import odds_events
from foreknow.market.events.changes import pool_changes
from foreknow.market.events.drafts import check_external_event_url, given_fields
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.market.events.schemas import EditEventBody, EditPoolBody, Event
from foreknow.market.events.search import reindex_event, search_key
from foreknow.market.events.service import edited_event, load_event_view
from foreknow.market.events.store import EventRow, load_events, replace_tags, update_event
from foreknow.market.events.texts import EventTexts, PoolFacts, check_event_texts
from foreknow.market.images.store import lock_cover, note_unused
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.rule_view import rule_of
from foreknow.market.pools.schemas import Pool, pool_view
from foreknow.market.pools.store import PoolRow, PoolState, lock_pools_of_event
from foreknow.people import admin_log
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import Request, patch


def edit_event(tx: WriteTx, event_id: int, given: Mapping[str, Any], caller: UserCaller) -> None:
    """Change the fields of an event that is new; `given` as returned by `given_fields`.

    Raises `EventNotFound`, `Forbidden`, `InvalidState` for an event that is not new, and `BadRequest` where the changes
    do not go together with what stays.
    """
    edited_event(tx, event_id, caller)
    pools = lock_pools_of_event(tx, event_id)
    if not given:
        return
    # Every change of an event's status changes its pools, which are locked: their state is enough.
    if any(pool.state is not PoolState.NEW for pool in pools.values()):
        raise InvalidState("Only a new event can be edited; of one that is published, the finish_at of its pools.")
    before = load_events(tx, [event_id])[event_id]
    after = replace(before, **given)
    _check(after, sorted(pools.values(), key=lambda pool: pool.position))
    at_ms = now_ms(tx)
    _write(tx, before, after, given, at_ms=at_ms)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=before.creator_id,
        action="event.edit",
        target=f"event:{event_id}",
        details={"fields": sorted(given)},
        at_ms=at_ms,
    )


def _check(event: EventRow, pools: Sequence[PoolRow]) -> None:
    if event.main_pool_index >= len(pools):
        raise wrong_field("main_pool_index", "must be the index of one of the pools")
    check_external_event_url(event.external_event_url, map(rule_of, pools))
    if event.templates is not None:
        main = pools[event.main_pool_index]
        facts = PoolFacts(live_at_ms=main.live_at_ms, finish_at_ms=main.finish_at_ms, rule=rule_of(main))
        check_event_texts(_texts(event), facts)


def _write(tx: WriteTx, before: EventRow, after: EventRow, given: Mapping[str, Any], *, at_ms: int) -> None:
    columns = dict(given)
    if before.templates is not None:
        columns["templates"] = msgspec.to_builtins(_texts(after))
    old_key, new_key = search_key(before.name, before.name_ru), search_key(after.name, after.name_ru)
    if "image_url" in given:
        cover = lock_cover(tx, before.id)
        columns["image_object"] = None
        if cover is not None and cover.object is not None:
            note_unused(tx, cover.object, event_id=before.id, due_at_ms=at_ms)
    update_event(tx, before.id, search_key=new_key, **columns)
    if "tags" in given:
        replace_tags(tx, before.id, after.tags)
    reindex_event(tx, before.id, old_key=old_key, new_key=new_key)
    if after.external_event_url != before.external_event_url:
        odds_events.schedule(tx, before.id, after.external_event_url, at_ms=at_ms)


def _texts(event: EventRow) -> EventTexts:
    return EventTexts(name=event.name, name_ru=event.name_ru, versus_names=tuple(event.versus_names))


class EditingRoutes(FeatureRoutes):
    """Editing events and pools."""

    @patch(
        "/events/{event_id}",
        AuthLevel.REQUIRED,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, EventNotFound, Forbidden, InvalidState),
    )
    async def update_event(self, request: Request[EventPath, None, EditEventBody]) -> Event:
        """Edit a new event.

        By its creator or an admin, until it is published.
        """
        event_id, given = request.path.event_id, given_fields(request.body)

        def work(tx: WriteTx) -> Event:
            edit_event(tx, event_id, given, request.user)
            return load_event_view(tx, event_id, now_ms=now_ms(tx))

        return await self._context.db.write(work)

    @patch(
        "/pools/{pool_id}",
        AuthLevel.REQUIRED,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, PoolNotFound, Forbidden, InvalidState),
    )
    async def update_pool(self, request: Request[PoolPath, None, EditPoolBody]) -> Pool:
        """Edit a pool of a new event, or move the end of one that trades.

        By its event's creator or an admin. Once the event is published only `finish_at` can change, from a moment that
        is ahead, or none, to another one ahead, and only before the pool has its result; where a rule resolves the
        pool, by an admin alone. Placeholders in the texts are filled in again.
        """
        given = pool_changes(request.body)

        def work(tx: WriteTx) -> Pool:
            return pool_view(edit_pool(tx, request.path.pool_id, given, request.user), now_ms=now_ms(tx))

        return await self._context.db.write(work)
