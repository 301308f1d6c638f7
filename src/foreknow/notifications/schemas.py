"""Bodies and answers of the notifications' endpoints."""

from __future__ import annotations

from typing import Literal

import msgspec

from foreknow.kernel.clock import iso
from foreknow.notifications.store import NotificationRow


class Notification(msgspec.Struct, frozen=True):
    """Something that happened to the user."""

    id: int
    type: Literal[
        "comment_reply",
        "position_settled",
        "event_published",
        "event_resolved",
        "event_cancelled",
        "operator_answer",
    ]
    text: str
    event_id: int | None
    created_at: str
    read: bool


class NotificationPage(msgspec.Struct, frozen=True):
    """A page of notifications, newest first."""

    notifications: list[Notification]
    next_cursor: str | None
    has_more: bool


class NotificationCount(msgspec.Struct, frozen=True):
    """How many notifications: unread ones, or those newly marked as read."""

    count: int


class ReadBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which notifications were read: those of `ids`, or all."""

    ids: list[int] | None = None


def notification_view(row: NotificationRow) -> Notification:
    """Show a notification to its user."""
    return Notification(
        id=row.id,
        type=row.type.value,
        text=row.text,
        event_id=row.event_id,
        created_at=iso(row.created_at_ms),
        read=row.read_at_ms is not None,
    )
