"""Notifications: what happened to a user's comments, positions, events and chat, told in the transaction that did it.

    notices    what can be told, and in which words
    store      writing, reading and marking them

Other rooms make notices and `record` them; nobody writes the texts but this room.
"""

from foreknow.notifications.messages import (
    NewNotification,
    comment_reply,
    event_cancelled,
    event_published,
    event_resolved,
    operator_answer,
    position_settled,
)
from foreknow.notifications.store import record

__all__ = [
    "NewNotification",
    "comment_reply",
    "event_cancelled",
    "event_published",
    "event_resolved",
    "operator_answer",
    "position_settled",
    "record",
]
