"""Notifications on a user's comments, positions, events and chat, written in the transaction of their cause.

kind       what every kind declares
kinds      the kinds: parameters, words in both languages, and what follows from them elsewhere
reader     how amounts, parts and times are written for a reader
messages   the new notifications of an event
choices    what people want to be notified of
recording  rows and notices of new notifications
store      rows: reading and marking as read
"""

from foreknow.people.notifications.choices import Choices, choices_fetch
from foreknow.people.notifications.messages import NamedEvent, NewNotification, NewNotifications
from foreknow.people.notifications.recording import record
from foreknow.people.notifications.store import delete_some

__all__ = ["Choices", "NamedEvent", "NewNotification", "NewNotifications", "choices_fetch", "delete_some", "record"]
