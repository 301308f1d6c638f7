"""Rows of notifications."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.chunks import chunks
from foreknow.notifications.messages import NewNotification, NotificationType
from foreknow.notifications.tables import notifications

_UNREAD = notifications.c.read_at_ms.is_(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationRow:
    """A recorded notice. A later one of the same user has a higher id."""

    id: int
    type: NotificationType
    text: str
    event_id: int | None
    created_at_ms: int
    read_at_ms: int | None


def record(tx: WriteTx, notices: Sequence[NewNotification]) -> None:
    """Write notices in the transaction of what they tell of, so that neither stands without the other.

    It only adds rows, all with one statement, and locks nothing that others write: call it at any point.
    """
    if not notices:
        return
    rows = [
        {
            "user_id": notice.user_id,
            "type": notice.type.value,
            "text": notice.text,
            "event_id": notice.event_id,
            "created_at_ms": notice.created_at_ms,
        }
        for notice in notices
    ]
    tx.execute(notifications.insert(), rows)


def page(tx: ReadTx, *, user_id: int, before_id: int | None, limit: int) -> list[NotificationRow]:
    """Return a user's newest `limit` notifications, of those with ids under `before_id` where it is given."""
    table = notifications
    query = (
        sa.select(table.c.id, table.c.type, table.c.text, table.c.event_id, table.c.created_at_ms, table.c.read_at_ms)
        .where(table.c.user_id == user_id)
        .order_by(table.c.id.desc())
        .limit(limit)
    )
    if before_id is not None:
        query = query.where(table.c.id < before_id)
    return [
        NotificationRow(**{**row, "type": NotificationType(row["type"])})  # a type that we do not know is a broken row
        for row in tx.execute(query).mappings()
    ]


def unread_count(tx: ReadTx, user_id: int) -> int:
    """Count what a user has not read; the partial index holds just that."""
    query = sa.select(sa.func.count()).where(notifications.c.user_id == user_id, _UNREAD)
    return int(tx.execute(query).scalar_one())


def mark_some(tx: WriteTx, *, user_id: int, ids: Collection[int], at_ms: int) -> int:
    """Mark those of `ids` as read that are the user's and unread; return how many those were."""
    return sum(_mark(tx, user_id, at_ms, notifications.c.id.in_(chunk)) for chunk in chunks(set(ids)))


def mark_next(tx: WriteTx, *, user_id: int, after_id: int, at_ms: int, limit: int) -> tuple[int, int | None]:
    """Mark up to `limit` unread notifications of a user as read, the lowest ids over `after_id` first.

    Returns how many were marked, and the `after_id` to go on from (None where nothing is left).
    """
    id_ = notifications.c.id
    query = sa.select(id_).where(notifications.c.user_id == user_id, _UNREAD, id_ > after_id).order_by(id_).limit(limit)
    found = tx.execute(query).scalars().all()
    if not found:
        return 0, None
    marked = _mark(tx, user_id, at_ms, id_ > after_id, id_ <= found[-1])
    return marked, found[-1] if len(found) == limit else None


def _mark(tx: WriteTx, user_id: int, at_ms: int, *which: sa.ColumnElement[bool]) -> int:
    # One that somebody else marks at the same moment counts there: having waited for its row, this finds it read.
    change = notifications.update().where(notifications.c.user_id == user_id, _UNREAD, *which)
    return tx.execute(change.values(read_at_ms=at_ms)).rowcount
