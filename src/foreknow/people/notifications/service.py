"""Changing what one is notified of."""

from __future__ import annotations

import msgspec

from foreknow.people.notifications.choices import Choice, choices_of, choose
from foreknow.people.notifications.schemas import NotificationSettings, SettingsChange, settings_view
from foreknow.people.users.store import lock_person
from foreknow.platform.db.transactions import WriteTx


def change_settings(tx: WriteTx, user_id: int, changes: SettingsChange) -> NotificationSettings:
    """Change what a person wants of some types; return what they want of all."""
    # So that of two changes at a time neither is lost.
    lock_person(tx, user_id)
    before = choices_of(tx, [user_id])
    chosen = {}
    for kind, change in changes.items():
        choice = before.of(user_id, kind)
        chosen[kind] = Choice(
            app=choice.app if change.app is msgspec.UNSET else change.app,
            email=choice.email if change.email is msgspec.UNSET else change.email,
        )
    choose(tx, user_id, chosen)
    return settings_view(choices_of(tx, [user_id]).of_all(user_id))
