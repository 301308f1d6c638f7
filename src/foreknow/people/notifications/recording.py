"""Recording notifications in the transaction of their cause, for who wants to see them."""

from __future__ import annotations

from collections.abc import Iterable

from foreknow.people.notifications import store
from foreknow.people.notifications.choices import choices_of
from foreknow.people.notifications.messages import NewNotification
from foreknow.platform.db.transactions import WriteTx


def record(tx: WriteTx, new_notifications: Iterable[NewNotification]) -> None:
    """Write notifications, as their users have chosen.

    A read by key and an INSERT without row locks: call it at any point.
    """
    found = list(new_notifications)
    if not found:
        return
    choices = choices_of(tx, {one.user_id for one in found})
    store.insert(tx, [one for one in found if choices.of(one.user_id, one.type).app])
