"""Changing the texts and times of a pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.events import series_store
from foreknow.market.events.changes import check_times
from foreknow.market.events.filling import fill_texts
from foreknow.market.events.series_store import over_from_ms
from foreknow.market.events.store import EventRow, load_events, update_event
from foreknow.market.events.texts import PoolFacts, check_pool_texts
from foreknow.market.events.times import event_times
from foreknow.market.pools import deadlines
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.rule_view import rule_of
from foreknow.market.pools.shape_view import shape_of
from foreknow.market.pools.shapes.list import ListShape
from foreknow.market.pools.store import (
    PoolRow,
    PoolState,
    PricedPool,
    load_pools,
    load_priced_pools,
    lock_pools_of_event,
    update_pool,
    write_texts,
)
from foreknow.market.pools.texts import PoolTexts, written_names
from foreknow.people import admin_log
from foreknow.people.users import require_edited_by, require_live_session
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx


def edit_pool(tx: WriteTx, pool_id: int, given: Mapping[str, Any], caller: UserCaller) -> PoolRow:
    """Change a pool; `given` as returned by `pool_changes`. Return the pool as it is then.

    Raises `PoolNotFound`, `Forbidden`, `InvalidState` for what cannot change any more, and `BadRequest` where the
    changes do not go together with what stays.
    """
    caller, pool = _managed_pool(tx, pool_id, caller)
    pools = lock_pools_of_event(tx, pool.event_id)
    event = load_events(tx, [pool.event_id])[pool.event_id]
    if event.series_id is not None:
        # The next instance opens when this one is over: the first to hold this lock decides whether it is.
        series_store.lock_series(tx, event.series_id)
    at_ms = now_ms(tx)
    before = pools[pool_id]
    if not given:
        return before
    is_new = before.state is PoolState.NEW
    pools[pool_id] = _edit_new(tx, before, given) if is_new else _move_end(tx, before, given, caller, at_ms=at_ms)
    _update_event(tx, event, pools)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=pool.creator_id,
        action="pool.edit",
        target=f"pool:{pool_id}",
        details={"fields": sorted(name.removesuffix("_ms") for name in given)},
        at_ms=at_ms,
    )
    return load_pools(tx, [pool_id])[pool_id]


def _managed_pool(tx: ReadTx, pool_id: int, caller: UserCaller) -> tuple[UserCaller, PricedPool]:
    """Return the caller, with the roles of this transaction, and a pool that they manage."""
    fresh = require_live_session(tx, caller)
    row = load_priced_pools(tx, [pool_id]).get(pool_id)
    if row is None or not is_visible_to(caller, row):
        raise PoolNotFound
    require_edited_by(tx, caller, row, "Only the event's creator and admins may edit its pools.")
    return fresh, row


def _edit_new(tx: WriteTx, before: PoolRow, given: Mapping[str, Any]) -> PoolRow:
    after = replace(before, **{name: value for name, value in given.items() if name != "market_names"})
    check_times(after.live_at_ms, after.finish_at_ms)
    texts = PoolTexts(
        name=after.name,
        name_ru=after.name_ru,
        rules=after.rules,
        market_names=_market_names(before, after.name, given.get("market_names")),
    )
    columns: dict[str, Any] = {"live_at_ms": after.live_at_ms, "finish_at_ms": after.finish_at_ms}
    if before.templates is not None:
        facts = PoolFacts(live_at_ms=after.live_at_ms, finish_at_ms=after.finish_at_ms, rule=rule_of(after))
        names = written_names(texts.market_names, shape_of(before))
        written = msgspec.structs.replace(texts, market_names=names)
        check_pool_texts(written, facts, path="", market_names_path="market_names")
        columns["templates"] = msgspec.to_builtins(written)
    update_pool(tx, before.id, **columns)
    write_texts(tx, before, texts)
    return after


def _market_names(before: PoolRow, name: str, given: list[str] | None) -> tuple[str, ...]:
    names = tuple(market.name for market in before.markets)
    if given is not None:
        if len(given) != len(names):
            raise wrong_field("market_names", f"must have {len(names)} names, one for each market")
        if before.other_index is not None:
            ListShape.check_names("market_names", given)
        return tuple(given)
    # A market that was named like its pool goes on being so.
    is_named_like_pool = before.metadata.get("market_names") is None and names == (before.name,)
    return (name,) if is_named_like_pool else names


def _move_end(tx: WriteTx, before: PoolRow, given: Mapping[str, Any], caller: UserCaller, *, at_ms: int) -> PoolRow:
    if given.keys() != {"finish_at_ms"}:
        raise InvalidState("Once its event is published, only the finish_at of a pool can change.")
    if before.rule_type.gives_result and not caller.is_admin:
        # Its moment decides who wins: at a price of this minute, say.
        raise Forbidden("A rule resolves this pool: only an admin may move its finish_at.")
    finish_at_ms: int = given["finish_at_ms"]
    check_times(before.live_at_ms, finish_at_ms)
    if before.is_decided:
        raise InvalidState("The pool has its result.")
    if before.finish_at_ms is not None and before.finish_at_ms <= at_ms:
        raise InvalidState("The pool is past its finish_at.")
    if finish_at_ms <= at_ms:
        raise InvalidState("The new finish_at must be later than now.")
    update_pool(tx, before.id, finish_at_ms=finish_at_ms)
    deadlines.schedule(tx, before.id, at_ms=finish_at_ms)
    return replace(before, finish_at_ms=finish_at_ms)


def _update_event(tx: WriteTx, event: EventRow, pools: Mapping[int, PoolRow]) -> None:
    """Change what follows from the times of its pools: the event's own times and texts, and when its series goes on."""
    in_order = sorted(pools.values(), key=lambda pool: pool.position)
    finishes_ms = [pool.finish_at_ms for pool in in_order if pool.finish_at_ms is not None]
    update_event(
        tx,
        event.id,
        finish_at_ms=max(finishes_ms, default=None),
        **event_times(in_order),
    )
    if event.published_at_ms is None:
        return
    fill_texts(tx, event, in_order, opened_at_ms=event.published_at_ms)
    if event.series_id is not None:
        over_ms = over_from_ms(in_order, at_ms=event.published_at_ms)
        series_store.note_newest_ends(tx, event, over_from_ms=over_ms)
