"""Queries on images: the rows of unused objects, and the images of ours that events show. Objects: `images.objects`."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS
from foreknow.market.events import series_store
from foreknow.market.events.tables import events
from foreknow.market.images.names import PATH, WIDTHS, size_name
from foreknow.market.images.tables import unused_images
from foreknow.people.users.tables import unused_avatars, users
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.platform.sending import SENDS

#: Time limit of an upload: far longer than any request to the storage, so that no object arrives there after its
#: deletion.
UPLOAD_MS = HOUR_MS
#: Lease of an object that a process deletes.
LEASE_MS = 5 * MINUTE_MS

_C = unused_images.c
_SHOWN = sa.select(events.c.id).where(events.c.id == _C.event_id, events.c.image_object == _C.object)

#: Deletions of unused objects. An object that an event shows is never claimed, whatever its row says; and none is while
#: sending is held: the site whose copy this is may show it, from the same storage.
DELETIONS = JobTable(_C.object, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts, claimable=~_SHOWN.exists() & SENDS)

_A = unused_avatars.c
_WORN = sa.select(users.c.id).where(users.c.id == _A.user_id, users.c.avatar_object == _A.object)

#: Deletions of unused avatars, likewise.
AVATAR_DELETIONS = JobTable(
    _A.object, _A.due_at_ms, lease_ms=LEASE_MS, claims=_A.attempts, claimable=~_WORN.exists() & SENDS
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

    Its series comes first in the order of locks (docs/rules.md). Rows that only refer to the event (comments, say) need
    not wait.
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


def unused_covers_of(tx: ReadTx, creator_id: int) -> list[str]:
    """Return the objects of a person's events that are to be deleted."""
    query = sa.select(_C.object).join(events, events.c.id == _C.event_id).where(events.c.creator_id == creator_id)
    return list(tx.execute(query).scalars())


def take_into_use(tx: WriteTx, object_name: str) -> bool:
    """Cancel the deletion of an uploaded object; False where a process has claimed it already."""
    taken = unused_images.delete().where(_C.object == object_name, _C.attempts == 0)
    return tx.execute(taken).rowcount == 1


def note_avatar_upload(tx: WriteTx, object_name: str, *, user_id: int, due_at_ms: int) -> None:
    """Note that no one shows an uploaded avatar yet, so that it is deleted when that is due."""
    tx.execute(unused_avatars.insert().values(object=object_name, user_id=user_id, due_at_ms=due_at_ms))


def take_avatar_into_use(tx: WriteTx, object_name: str) -> bool:
    """Cancel the deletion of an uploaded avatar; False where a process has claimed it already."""
    return tx.execute(unused_avatars.delete().where(_A.object == object_name, _A.attempts == 0)).rowcount == 1


def begin_sizes(tx: WriteTx, object_name: str, *, event_id: int, due_at_ms: int) -> bool:
    """Note the sizes of an image before they are stored, so that they go again unless that ends.

    False where no event shows the image, or where another process makes the same sizes.
    """
    row = size_name(object_name, WIDTHS[0])
    known = sa.select(_C.object).where(_C.object.in_([object_name, row]))
    if not _is_shown(tx, object_name, event_id) or tx.execute(known).first() is not None:
        return False
    note_unused(tx, row, event_id=event_id, due_at_ms=due_at_ms)
    return True


def end_sizes(tx: WriteTx, object_name: str, *, event_id: int, now_ms: int) -> None:
    """Keep the sizes that are stored by now while an event shows the image; else they are due for deletion."""
    row = size_name(object_name, WIDTHS[0])
    if _is_shown(tx, object_name, event_id):
        take_into_use(tx, row)
    else:
        tx.execute(unused_images.update().where(_C.object == row).values(due_at_ms=now_ms))


def _is_shown(tx: ReadTx, object_name: str, event_id: int) -> bool:
    """Return whether the event that an image was uploaded to shows it, or a later instance of its series."""
    query = sa.select(events.c.image_object, events.c.series_id).where(events.c.id == event_id)
    row = tx.execute(query).one_or_none()
    return row is not None and (row.image_object == object_name or _is_shown_in(tx, row.series_id, object_name))


def other_addresses(tx: ReadTx, prefix: str) -> bool:
    """Tell whether an image of ours is shown at another address than `prefix` and the object's name."""
    return any(tx.execute(sa.select(row.id).where(_elsewhere(row, prefix)).limit(1)).first() for row in _ADDRESSES)


def move_addresses(tx: WriteTx, prefix: str) -> None:
    """Let every event and every person show their image of ours at `prefix` and the object's name."""
    for row in _ADDRESSES:
        tx.execute(sa.update(row.table).where(_elsewhere(row, prefix)).values({row.url: prefix + row.object}))


@dataclass(frozen=True, slots=True)
class _Address:
    """The columns of a row that shows an image of ours."""

    table: sa.Table
    id: sa.Column[int]
    object: sa.Column[str]
    url: sa.Column[str]


_ADDRESSES = (
    _Address(events, events.c.id, events.c.image_object, events.c.image_url),
    _Address(users, users.c.id, users.c.avatar_object, users.c.avatar_url),
)


def _elsewhere(row: _Address, prefix: str) -> sa.ColumnElement[bool]:
    # Not an address from elsewhere, which a process of an older release may have written beside the object.
    return sa.and_(row.object.is_not(None), row.url != prefix + row.object, row.url.endswith(PATH + row.object))
