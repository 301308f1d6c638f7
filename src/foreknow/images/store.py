"""Rows of objects that no event shows, and what events show of ours."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.events.tables import events
from foreknow.images.tables import unused_images
from foreknow.kernel.clock import HOUR_MS, MINUTE_MS

#: So long an upload has to end. Far longer than the storage is waited for, so that nothing can arrive there after the
#: object was deleted for having been given up.
UPLOAD_MS = HOUR_MS
#: So long whoever claimed an object has to delete it; then others may.
LEASE_MS = 5 * MINUTE_MS

_C = unused_images.c


@dataclass(frozen=True, slots=True)
class ClaimedDeletion:
    """An object that this process is to delete; `attempt` counts from 1."""

    object: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Cover:
    """An event as far as its cover image goes; `object` is None where the address was only sent to us."""

    creator_id: int
    object: str | None


def lock_cover(tx: WriteTx, event_id: int) -> Cover | None:
    """Lock an event and return what it shows, None where there is no such event.

    Events come last in the order of locks. Rows that only refer to the event (comments, say) need not wait.
    """
    query = sa.select(events.c.creator_id, events.c.image_object).where(events.c.id == event_id)
    row = tx.execute(query.with_for_update(key_share=True)).one_or_none()
    return None if row is None else Cover(*row)


def show(tx: WriteTx, event_id: int, *, object_name: str | None, image_url: str) -> None:
    """Let a locked event show an image, or none."""
    tx.execute(events.update().where(events.c.id == event_id).values(image_object=object_name, image_url=image_url))


def note_unused(tx: WriteTx, object_name: str, *, event_id: int, due_at_ms: int) -> None:
    """Note that no event shows an object, so that it is deleted when that is due."""
    tx.execute(unused_images.insert().values(object=object_name, event_id=event_id, due_at_ms=due_at_ms))


def take_into_use(tx: WriteTx, object_name: str) -> bool:
    """Let an uploaded object not be deleted; False where somebody has already set out to."""
    taken = unused_images.delete().where(_C.object == object_name, _C.attempts == 0)
    return tx.execute(taken).rowcount == 1


def is_any_due(tx: ReadTx, now_ms: int) -> bool:
    """Tell whether an object is to be deleted now."""
    return tx.execute(sa.select(_C.object).where(_C.due_at_ms <= now_ms).limit(1)).first() is not None


def claim(tx: WriteTx, *, now_ms: int, limit: int, only: Collection[str] | None = None) -> list[ClaimedDeletion]:
    """Take up to `limit` objects that are due, of `only` where given: until the lease ends nobody else gets them.

    Rows that another process is claiming at this moment are passed over. An object that an event shows is never
    given out, whatever the rows say.
    """
    shown = sa.select(events.c.id).where(events.c.id == _C.event_id, events.c.image_object == _C.object)
    query = (
        sa.select(_C.object, _C.attempts + 1)
        .where(_C.due_at_ms <= now_ms, ~shown.exists())
        .order_by(_C.due_at_ms)
        .limit(limit)
        .with_for_update(skip_locked=True, of=unused_images)
    )
    if only is not None:
        query = query.where(_C.object.in_(only))
    claims = [ClaimedDeletion(*row) for row in tx.execute(query)]
    if claims:
        taken = unused_images.update().where(_C.object.in_([one.object for one in claims]))
        tx.execute(taken.values(due_at_ms=now_ms + LEASE_MS, attempts=_C.attempts + 1))
    return claims


def note_deleted(tx: WriteTx, object_name: str) -> None:
    """Forget an object that is gone."""
    tx.execute(unused_images.delete().where(_C.object == object_name, _C.attempts > 0))


def put_off(tx: WriteTx, claimed: ClaimedDeletion, *, due_at_ms: int) -> None:
    """Let an object that could not be deleted be tried again, unless somebody else has it by now."""
    ours = sa.and_(_C.object == claimed.object, _C.attempts == claimed.attempt)
    tx.execute(unused_images.update().where(ours).values(due_at_ms=due_at_ms))


def other_addresses(tx: ReadTx, prefix: str) -> bool:
    """Tell whether an event shows an image of ours at another address than `prefix` and the object's name."""
    return tx.execute(sa.select(events.c.id).where(_elsewhere(prefix)).limit(1)).first() is not None


def move_addresses(tx: WriteTx, prefix: str) -> None:
    """Let every event show its image of ours at `prefix` and the object's name."""
    tx.execute(events.update().where(_elsewhere(prefix)).values(image_url=prefix + events.c.image_object))


def _elsewhere(prefix: str) -> sa.ColumnElement[bool]:
    return sa.and_(events.c.image_object.is_not(None), events.c.image_url != prefix + events.c.image_object)
