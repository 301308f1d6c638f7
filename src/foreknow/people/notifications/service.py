"""Changing what one is notified of."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.kernel.access.callers import UserCaller
from foreknow.people.notifications.choices import Choice, choices_of, choose
from foreknow.people.notifications.schemas import NotificationSettings, SettingsChange, settings_view
from foreknow.people.users.sessions import require_live_session
from foreknow.people.users.store import lock_person
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.mailing import notices


def change_settings(tx: WriteTx, caller: UserCaller, changes: SettingsChange) -> NotificationSettings:
    """Change what a person wants of some kinds; return what they want of all. `Unauthorized` after a deletion."""
    # So that of two changes at a time neither is lost, and a deletion that came first has forgotten all of them.
    user_id = lock_person(tx, caller.user_id).id
    require_live_session(tx, caller)
    before = choices_of(tx, [user_id])
    chosen = {}
    for kind, change in changes.items():
        if change is None:
            continue
        choice = before.of(user_id, kind)
        chosen[kind] = Choice(
            app=choice.app if change.app is None else change.app,
            email=choice.email if change.email is None else change.email,
        )
    choose(tx, user_id, chosen)
    # What waits for its day may be wanted at once now.
    notices.hasten(tx, user_id)
    return settings_view(choices_of(tx, [user_id]).of_all(user_id))


def stop_mails(tx: WriteTx, user_id: int, kinds: Collection[str]) -> None:
    """Mail a locked person no more of some kinds."""
    choices = choices_of(tx, [user_id])
    choose(tx, user_id, {kind: Choice(app=choices.of(user_id, kind).app, email="off") for kind in kinds})
