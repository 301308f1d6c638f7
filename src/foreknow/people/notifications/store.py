"""Rows of notifications, recorded in the transaction of their cause, with notices for who is mailed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.people.notifications.choices import Choices, choices_of
from foreknow.people.notifications.messages import NewNotification
from foreknow.people.notifications.tables import notifications
from foreknow.people.users.store import mailed_people
from foreknow.platform.db.changes import Sink, insert_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.mailing import notices, outbox
from foreknow.platform.mailing.notices import Mode, NewNotice

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


def mark_of_comments(tx: WriteTx, notified: Collection[tuple[int, int]], *, at_ms: int) -> None:
    """Mark what comments have notified of, as (user, comment), as read: they are deleted, and no one can read them."""
    for user_id in sorted({user_id for user_id, _ in notified}):
        own = [comment_id for notified_id, comment_id in notified if notified_id == user_id]
        _mark(tx, user_id, at_ms, notifications.c.comment_id.in_(own))


def delete_some(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Delete up to `most` notifications of a user; return how many there were."""
    id_ = notifications.c.id
    some = sa.select(id_).where(notifications.c.user_id == user_id).order_by(id_).limit(most)
    return tx.execute(notifications.delete().where(id_.in_(some))).rowcount


def _mark(tx: WriteTx, user_id: int, at_ms: int, *conditions: sa.ColumnElement[bool]) -> int:
    # A notification that another request marks at the same time counts there: after the wait it is no longer unread.
    change = notifications.update().where(notifications.c.user_id == user_id, _UNREAD, *conditions)
    return tx.execute(change.values(read_at_ms=at_ms)).rowcount


def record(
    tx: WriteTx,
    new_notifications: Iterable[NewNotification],
    *,
    choices: Choices | None = None,
    into: Sink | None = None,
) -> None:
    """Write notifications, as their users have chosen; with other changes if `into` is given.

    `choices`: what these users want, where it is read already. Reads by key and INSERTs without row locks: call it at
    any point.
    """
    found = list(new_notifications)
    if not found:
        return
    if choices is None:
        choices = choices_of(tx, {one.user_id for one in found})
    sink = tx if into is None else into
    chosen = [(one, choices.of(one.user_id, one.kind, at_ms=one.happened_at_ms)) for one in found]
    insert(sink, [one for one, choice in chosen if choice.app])
    mailed = [(one, mode) for one, choice in chosen if (mode := choice.email) != "off"]
    if not mailed or not outbox.is_on(tx):
        return
    people = mailed_people(tx, {one.user_id for one, _ in mailed})
    notices.write(
        sink, [_notice(one, mode, people[one.user_id].time_zone) for one, mode in mailed if one.user_id in people]
    )


def _notice(one: NewNotification, mode: Mode, time_zone: str) -> NewNotice:
    return NewNotice(
        user_id=one.user_id,
        type=one.kind,
        event_id=one.event_id,
        params=one.content.params(),
        created_at_ms=one.created_at_ms,
        due_at_ms=notices.due_at_ms(one.created_at_ms, mode, time_zone),
        comment_id=one.comment_id,
    )
