"""Recording notifications in the transaction of their cause: rows for who lists them, notices for who is mailed."""

from __future__ import annotations

from collections.abc import Iterable

from foreknow.people.notifications import store
from foreknow.people.notifications.choices import Choices, choices_of
from foreknow.people.notifications.messages import NewNotification
from foreknow.people.users.store import mailed_people
from foreknow.platform.db.changes import Sink
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.mailing import notices, outbox
from foreknow.platform.mailing.notices import Mode, NewNotice


def record(
    tx: WriteTx,
    new_notifications: Iterable[NewNotification],
    *,
    choices: Choices | None = None,
    into: Sink | None = None,
) -> None:
    """Write notifications, as their users have chosen; with other changes if `into` is given.

    `choices`: what these users want, where it is read already. Reads by key and INSERTs without row locks: call it at
    any point.
    """
    found = list(new_notifications)
    if not found:
        return
    if choices is None:
        choices = choices_of(tx, {one.user_id for one in found})
    sink = tx if into is None else into
    store.insert(sink, [one for one in found if choices.of(one.user_id, one.kind).app])
    mailed = [(one, mode) for one in found if (mode := choices.of(one.user_id, one.kind).email) != "off"]
    if not mailed or not outbox.is_on(tx):
        return
    people = mailed_people(tx, {one.user_id for one, _ in mailed})
    notices.write(
        sink, [_notice(one, mode, people[one.user_id].time_zone) for one, mode in mailed if one.user_id in people]
    )


def _notice(one: NewNotification, mode: Mode, time_zone: str) -> NewNotice:
    return NewNotice(
        user_id=one.user_id,
        type=one.kind,
        event_id=one.event_id,
        params=one.content.params(),
        created_at_ms=one.created_at_ms,
        due_at_ms=notices.due_at_ms(one.created_at_ms, mode, time_zone),
    )
