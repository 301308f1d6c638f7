"""Notifications on a user's comments, positions, events and chat, written in the transaction of their cause.

messages   types and texts
store      writing, reading and marking as read
"""

from foreknow.notifications.messages import (
    NewNotification,
    comment_reply,
    event_cancelled,
    event_closed,
    event_published,
    event_resolved,
    operator_answer,
    position_settled,
    resolution_needed,
    series_waiting,
)
from foreknow.notifications.store import record

__all__ = [
    "NewNotification",
    "comment_reply",
    "event_cancelled",
    "event_closed",
    "event_published",
    "event_resolved",
    "operator_answer",
    "position_settled",
    "record",
    "resolution_needed",
    "series_waiting",
]
