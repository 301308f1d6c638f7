"""Rows of notifications."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.people.notifications.messages import NewNotification
from foreknow.people.notifications.tables import notifications
from foreknow.platform.db.changes import Sink, insert_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx

_encode = msgspec.json.Encoder().encode
_UNREAD = notifications.c.read_at_ms.is_(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationRow:
    """A stored notification. Ids of one user's notifications increase."""

    id: int
    type: str
    event_id: int | None
    created_at_ms: int
    read_at_ms: int | None
    params: Mapping[str, Any] | None
    comment_id: int | None


def insert(into: Sink, new_notifications: Sequence[NewNotification]) -> None:
    """Write rows in one INSERT without row locks."""
    rows = [
        (
            notification.user_id,
            notification.kind,
            notification.event_id,
            notification.created_at_ms,
            _encode(notification.content.params()).decode(),
            notification.comment_id,
        )
        for notification in new_notifications
    ]
    if rows:
        insert_rows(into, notifications, _NEW, rows)


_NEW = ("user_id", "type", "event_id", "created_at_ms", "params", "comment_id")
_SHOWN = tuple(notifications.c[field.name] for field in fields(NotificationRow))


def page(tx: ReadTx, *, user_id: int, before_id: int | None, limit: int) -> list[NotificationRow]:
    """Return a user's newest `limit` notifications, with ids under `before_id` if given."""
    table = notifications
    query = sa.select(*_SHOWN).where(table.c.user_id == user_id).order_by(table.c.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(table.c.id < before_id)
    return [NotificationRow(**row) for row in tx.execute(query).mappings()]


def unread_count(tx: ReadTx, user_id: int) -> int:
    """Count a user's unread notifications, from the partial index."""
    query = sa.select(sa.func.count()).where(notifications.c.user_id == user_id, _UNREAD)
    return int(tx.execute(query).scalar_one())


def mark_some(tx: WriteTx, *, user_id: int, ids: Collection[int], at_ms: int) -> int:
    """Mark the user's unread notifications among `ids` as read; return how many there were."""
    return sum(_mark(tx, user_id, at_ms, notifications.c.id.in_(chunk)) for chunk in chunks(set(ids)))


def mark_next(tx: WriteTx, *, user_id: int, after_id: int, at_ms: int, limit: int) -> tuple[int, int | None]:
    """Mark up to `limit` unread notifications of a user as read, in id order after `after_id`.

    Returns how many were marked, and the `after_id` of the next call (None if none are left).
    """
    id_ = notifications.c.id
    query = sa.select(id_).where(notifications.c.user_id == user_id, _UNREAD, id_ > after_id).order_by(id_).limit(limit)
    found = tx.execute(query).scalars().all()
    if not found:
        return 0, None
    marked = _mark(tx, user_id, at_ms, id_ > after_id, id_ <= found[-1])
    return marked, found[-1] if len(found) == limit else None


def delete_some(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Delete up to `most` notifications of a user; return how many there were."""
    id_ = notifications.c.id
    some = sa.select(id_).where(notifications.c.user_id == user_id).order_by(id_).limit(most)
    return tx.execute(notifications.delete().where(id_.in_(some))).rowcount


def _mark(tx: WriteTx, user_id: int, at_ms: int, *conditions: sa.ColumnElement[bool]) -> int:
    # A notification that another request marks at the same time counts there: after the wait it is no longer unread.
    change = notifications.update().where(notifications.c.user_id == user_id, _UNREAD, *conditions)
    return tx.execute(change.values(read_at_ms=at_ms)).rowcount
