"""Notifications on a user's comments, positions, events and chat, written in the transaction of their cause.

kind       what every kind declares
kinds      the kinds: parameters, words in both languages, and what follows from them elsewhere
reader     how amounts, parts and times are written for a reader
messages   the new notifications of an event
choices    what people want to be notified of
store      rows: recording with notices, reading, marking as read
"""

from foreknow.people.notifications.choices import Choices, choices_fetch
from foreknow.people.notifications.messages import NamedEvent, NewNotification, NewNotifications
from foreknow.people.notifications.store import delete_some, mark_of_comments, record

__all__ = [
    "Choices",
    "NamedEvent",
    "NewNotification",
    "NewNotifications",
    "choices_fetch",
    "delete_some",
    "mark_of_comments",
    "record",
]
