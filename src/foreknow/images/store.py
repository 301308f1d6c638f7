"""Queries on images: the rows of unused objects, and the images of ours that events show. Objects: `images.objects`."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.events import series_store
from foreknow.events.tables import events
from foreknow.images.tables import unused_images
from foreknow.jobs import JobTable
from foreknow.kernel.clock import HOUR_MS, MINUTE_MS

#: Time limit of an upload: far longer than any request to the storage, so that no object arrives there after its
#: deletion.
UPLOAD_MS = HOUR_MS
#: Lease of an object that a process deletes.
LEASE_MS = 5 * MINUTE_MS

_C = unused_images.c
_SHOWN = sa.select(events.c.id).where(events.c.id == _C.event_id, events.c.image_object == _C.object)

#: Deletions of unused objects. An object that an event shows is never claimed, whatever its row says.
DELETIONS = JobTable(
    _C.object,
    _C.due_at_ms,
    lease_ms=LEASE_MS,
    attempt=_C.attempts + 1,
    on_claim={_C.attempts: _C.attempts + 1},
    claimable=~_SHOWN.exists(),
)


@dataclass(frozen=True, slots=True)
class Cover:
    """An event as far as its cover image goes; `object` is None where the address was only sent to us.

    Instances of a series share an image: each shows that of the one before until it gets another.
    """

    event_id: int
    creator_id: int
    object: str | None
    series_id: int | None
    series_index: int | None


def lock_cover(tx: WriteTx, event_id: int) -> Cover | None:
    """Lock an event and return what it shows, None where there is no such event.

    Its series comes first in the order of locks, events come last. Rows that only refer to the event (comments, say)
    need not wait.
    """
    series_id = tx.execute(sa.select(events.c.series_id).where(events.c.id == event_id)).scalar()
    if series_id is not None:
        series_store.lock_series(tx, series_id)
    query = sa.select(
        events.c.id, events.c.creator_id, events.c.image_object, events.c.series_id, events.c.series_index
    ).where(events.c.id == event_id)
    row = tx.execute(query.with_for_update(key_share=True)).one_or_none()
    if row is not None and row.series_id != series_id:
        # Published meanwhile. Its series opens nothing before the event is over, so its lock is free.
        series_store.lock_series(tx, row.series_id)
    return None if row is None else Cover(*row)


def show(tx: WriteTx, cover: Cover, *, object_name: str, image_url: str) -> set[str]:
    """Let a locked event show another image, and so the later instances of its series.

    Return the objects that no event shows any more.
    """
    changed = events.c.id == cover.event_id
    if cover.series_id is not None:
        changed = sa.and_(events.c.series_id == cover.series_id, events.c.series_index >= cover.series_index)
        series_store.drop_planned_image(tx, cover.series_id)
    shown = sa.select(events.c.image_object).distinct().where(changed, events.c.image_object.is_not(None))
    before = tx.execute(shown).scalars().all()
    tx.execute(events.update().where(changed).values(image_object=object_name, image_url=image_url))
    return {name for name in before if not _is_shown_in(tx, cover.series_id, name)}


def show_none(tx: WriteTx, cover: Cover) -> None:
    """Let a locked event show no image, nor any instance of its series that shows the same stored one."""
    changed = events.c.id == cover.event_id
    if cover.series_id is not None and cover.object is not None:
        changed = sa.and_(events.c.series_id == cover.series_id, events.c.image_object == cover.object)
    tx.execute(events.update().where(changed).values(image_object=None, image_url=""))


def _is_shown_in(tx: ReadTx, series_id: int | None, object_name: str) -> bool:
    if series_id is None:
        return False
    query = sa.select(events.c.id).where(events.c.series_id == series_id, events.c.image_object == object_name)
    return tx.execute(query.limit(1)).first() is not None


def note_unused(tx: WriteTx, object_name: str, *, event_id: int, due_at_ms: int) -> None:
    """Note that no event shows an object, so that it is deleted when that is due."""
    tx.execute(unused_images.insert().values(object=object_name, event_id=event_id, due_at_ms=due_at_ms))


def take_into_use(tx: WriteTx, object_name: str) -> bool:
    """Cancel the deletion of an uploaded object; False where a process has claimed it already."""
    taken = unused_images.delete().where(_C.object == object_name, _C.attempts == 0)
    return tx.execute(taken).rowcount == 1


def other_addresses(tx: ReadTx, prefix: str) -> bool:
    """Tell whether an event shows an image of ours at another address than `prefix` and the object's name."""
    return tx.execute(sa.select(events.c.id).where(_elsewhere(prefix)).limit(1)).first() is not None


def move_addresses(tx: WriteTx, prefix: str) -> None:
    """Let every event show its image of ours at `prefix` and the object's name."""
    tx.execute(events.update().where(_elsewhere(prefix)).values(image_url=prefix + events.c.image_object))


def _elsewhere(prefix: str) -> sa.ColumnElement[bool]:
    return sa.and_(events.c.image_object.is_not(None), events.c.image_url != prefix + events.c.image_object)
