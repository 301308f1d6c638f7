"""Who may change an event's cover image, and what the rows say before and after."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import InternalError
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.store import load_events
from foreknow.market.images import store
from foreknow.market.images.store import UPLOAD_MS
from foreknow.people import admin_log
from foreknow.people.users import require_edited_by, require_live_session, require_run_by
from foreknow.platform.db.transactions import ReadTx, WriteTx

_NOT_RUN = "Only the event's creator and admins may change its image."


def check_may_upload(tx: ReadTx, event_id: int, caller: UserCaller) -> None:
    """Refuse a caller who may not give the event an image: `EventNotFound` (also where they may not know of it) or
    `Forbidden`.
    """
    event = load_events(tx, [event_id]).get(event_id)
    if event is None or not is_visible_to(caller, event):
        raise EventNotFound
    require_edited_by(tx, caller, event, _NOT_RUN)


def begin_upload(tx: WriteTx, event_id: int, caller: UserCaller, *, object_name: str, now_ms: int) -> None:
    """Note an object before it is stored, so that it goes again unless the upload ends. Refuses as above."""
    check_may_upload(tx, event_id, caller)
    store.note_unused(tx, object_name, event_id=event_id, due_at_ms=now_ms + UPLOAD_MS)


def end_upload(
    tx: WriteTx, event_id: int, caller: UserCaller, *, object_name: str, image_url: str, now_ms: int
) -> Collection[str]:
    """Let the event, and later instances of its series, show an object that is stored by now.

    Return the objects that no event shows any more, which go.
    """
    cover = store.lock_cover(tx, event_id)
    # Events are never deleted.
    assert cover is not None
    check_may_upload(tx, event_id, caller)
    if not store.take_into_use(tx, object_name):
        # The storage took an hour: the object has been given up, and goes.
        raise InternalError
    unused = store.show(tx, cover, object_name=object_name, image_url=image_url)
    _let_go(tx, event_id, unused, now_ms=now_ms)
    _log(tx, caller, "image.put", owner_id=cover.creator_id, event_id=event_id, at_ms=now_ms)
    return unused


def delete_image(tx: WriteTx, event_id: int, caller: UserCaller, *, now_ms: int) -> Collection[str]:
    """Let the event, and all instances of its series that show the same uploaded image, show none.

    Return the object that they showed, if any, which goes. An address from elsewhere just goes. Raises `EventNotFound`,
    and `Forbidden` to strangers, of an event that was never published too.
    """
    cover = store.lock_cover(tx, event_id)
    if cover is None:
        raise EventNotFound
    if caller.user_id == cover.creator_id:
        # The creator who put an image there may take it away, even when no longer a creator.
        require_live_session(tx, caller)
    else:
        require_run_by(tx, caller, cover, _NOT_RUN)
    store.show_none(tx, cover)
    unused = [] if cover.object is None else [cover.object]
    _let_go(tx, event_id, unused, now_ms=now_ms)
    _log(tx, caller, "image.delete", owner_id=cover.creator_id, event_id=event_id, at_ms=now_ms)
    return unused


def _let_go(tx: WriteTx, event_id: int, object_names: Iterable[str], *, now_ms: int) -> None:
    for object_name in object_names:
        store.note_unused(tx, object_name, event_id=event_id, due_at_ms=now_ms)


def _log(tx: WriteTx, caller: UserCaller, action: str, *, owner_id: int, event_id: int, at_ms: int) -> None:
    admin_log.record_intervention(
        tx, caller, owner_id=owner_id, action=action, target=f"event:{event_id}", details={}, at_ms=at_ms
    )
