"""Notifications on a user's comments, positions, events and chat, written in the transaction of their cause.

types      the types, with what each says and whether it is mailed by default
messages   the new notifications of an event
choices    what people want to be notified of
recording  rows and notices of new notifications
store      rows: reading and marking as read
"""

from foreknow.people.notifications.messages import NamedEvent, NewNotification, NewNotifications
from foreknow.people.notifications.recording import record
from foreknow.people.notifications.store import delete_some

__all__ = ["NamedEvent", "NewNotification", "NewNotifications", "delete_some", "record"]
