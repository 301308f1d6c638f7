"""Notifications on a user's comments, positions, events and chat, written in the transaction of their cause.

messages   types and texts, and the new notifications of an event
store      writing, reading and marking as read
"""

from foreknow.people.notifications.messages import NamedEvent, NewNotification, NewNotifications
from foreknow.people.notifications.store import record

__all__ = ["NamedEvent", "NewNotification", "NewNotifications", "record"]
