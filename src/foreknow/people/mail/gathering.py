"""Gathers notices that are due into mails, a transaction for some users at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from foreknow.people.notifications.choices import Choices, choices_of
from foreknow.people.notifications.kinds import KINDS
from foreknow.people.users import store
from foreknow.people.users.store import MailedPerson
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.mailing import MailKind, notices, outbox
from foreknow.platform.mailing.notices import Mode, Pause, WaitingNotice
from foreknow.platform.mailing.outbox import TRIED_MS, NewMail

#: Users whose notices one transaction gathers. On SQLite all orders wait for it.
USERS_AT_ONCE = 50
#: Notices that one transaction looks at, and so the most that one mail stands for.
LOOKED_AT_MAX = 2_000
#: Notices that a mail names; it counts the others.
SHOWN_MAX = 50


def gather(tx: WriteTx) -> bool:
    """Make mails of notices that are due; return whether there may be more."""
    at_ms = now_ms(tx)
    user_ids = notices.due_users(tx, now_ms=at_ms, limit=USERS_AT_ONCE)
    if not user_ids:
        return False
    due = notices.due_of(tx, user_ids, now_ms=at_ms, limit=LOOKED_AT_MAX)
    people = store.mailed_people(tx, user_ids)
    choices = choices_of(tx, user_ids)
    waiting: dict[tuple[int, Mode], list[WaitingNotice]] = defaultdict(list)
    later: dict[int, list[int]] = defaultdict(list)
    unwanted: list[int] = []
    for notice in due:
        person = people.get(notice.user_id)
        if notice.type not in KINDS and notice.created_at_ms > at_ms - TRIED_MS:
            # Of a newer release, whose processes know it.
            later[at_ms + notices.PAUSE_MS].append(notice.id)
            continue
        mode = None if person is None else _mode(notice, choices, at_ms)
        if person is None or mode is None:
            unwanted.append(notice.id)
        elif mode == "now" or notices.is_of_today(notice, person.time_zone, now_ms=at_ms):
            waiting[notice.user_id, mode].append(notice)
        else:
            later[notices.due_at_ms(at_ms, mode, person.time_zone)].append(notice.id)
    begun = notices.begin_pauses(tx, [_pause(*key, people, at_ms) for key in waiting])
    ends = notices.pause_ends(tx, user_ids)
    for key, held in waiting.items():
        if key not in begun:
            later[ends.get(key, at_ms + notices.PAUSE_MS)] += [notice.id for notice in held]
    mailed = {key: held for key, held in waiting.items() if key in begun}
    outbox.write_all(tx, [_mail(people[user_id], mode, held, at_ms) for (user_id, mode), held in mailed.items()])
    notices.delete(tx, unwanted + [notice.id for held in mailed.values() for notice in held])
    for due_at_ms, ids in later.items():
        notices.put_off(tx, ids, due_at_ms=due_at_ms)
    notices.sweep(tx, now_ms=at_ms)
    return True


def _mode(notice: WaitingNotice, choices: Choices, at_ms: int) -> Mode | None:
    """Return how a notice is wanted; None where it is not, or came too long ago."""
    if notice.type not in KINDS or notice.created_at_ms <= at_ms - TRIED_MS:
        return None
    email = choices.of(notice.user_id, notice.type).email
    return None if email == "off" else email


def _pause(user_id: int, mode: Mode, people: Mapping[int, MailedPerson], at_ms: int) -> Pause:
    if mode == "now":
        return Pause(user_id, mode, at_ms, at_ms + notices.PAUSE_MS)
    return Pause(user_id, mode, at_ms, notices.due_at_ms(at_ms, mode, people[user_id].time_zone))


def _mail(person: MailedPerson, mode: Mode, held: Sequence[WaitingNotice], at_ms: int) -> NewMail:
    shown = [
        {"type": one.type, "event_id": one.event_id, "comment_id": one.comment_id, "params": one.params}
        for one in held[:SHOWN_MAX]
    ]
    params = {"notices": shown, "more": len(held) - len(shown), "mode": mode}
    return NewMail(kind=MailKind.NOTICES, user_id=person.id, address=person.email, params=params, at_ms=at_ms)
