"""Whom a comment names with an @: fixed when it is written, shown as they are now."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.kernel.text import fold
from foreknow.market.events.store import EventRow
from foreknow.people.users.profiles import (
    NICKNAME_LENGTH_MAX,
    NICKNAME_LENGTH_MIN,
    NICKNAME_MARKS,
    is_in_nicknames,
)
from foreknow.people.users.store import UserRow, find_people_by_nicknames
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.comments.tables import comment_mentions

#: Different runs of a comment that are looked up.
LOOKED_UP_MAX = 10
#: Different people whom one author's comments notify within `NOTIFIED_WITHIN_MS`.
NOTIFIED_MAX = 20
NOTIFIED_WITHIN_MS = 60 * MINUTE_MS
_C = comment_mentions.c


class Mention(NamedTuple):
    """A person as a comment names them."""

    user_id: int
    #: As the comment has it, without the @.
    nickname: str


class MentionedPerson(NamedTuple):
    """A person whom a new comment names."""

    nickname: str
    person: UserRow


def runs_in(content: str) -> list[str]:
    """Return the first `LOOKED_UP_MAX` different runs of what nicknames are made of, each after an @ of a content.

    An @ after a letter or a digit begins none: it is part of an address.
    """
    found: dict[str, str] = {}
    for match in re.finditer("@", content):
        before = content[: match.start()][-1:]
        if before and before not in NICKNAME_MARKS and is_in_nicknames(before):
            continue
        run = "".join(itertools.takewhile(is_in_nicknames, content[match.end() :]))
        if run:
            found.setdefault(fold(run), run)
        if len(found) == LOOKED_UP_MAX:
            break
    return list(found.values())


def _names_of(run: str) -> Iterator[str]:
    """Yield the nicknames that a run may stand for, the longest first: a full stop may end a sentence or a name."""
    name = run
    while len(name) >= NICKNAME_LENGTH_MIN:
        if len(name) <= NICKNAME_LENGTH_MAX:
            yield name
        if name[-1] not in NICKNAME_MARKS:
            return
        name = name[:-1]


def find(tx: ReadTx, runs: Sequence[str]) -> list[MentionedPerson]:
    """Return whom runs name, each person once."""
    if not runs:
        return []
    names = [list(_names_of(run)) for run in runs]
    people = find_people_by_nicknames(tx, {fold(name) for of_run in names for name in of_run})
    found: dict[int, MentionedPerson] = {}
    for of_run in names:
        name = next((name for name in of_run if fold(name) in people), None)
        if name is not None:
            person = people[fold(name)]
            found.setdefault(person.id, MentionedPerson(name, person))
    return list(found.values())


def write(
    tx: WriteTx,
    mentioned: Sequence[MentionedPerson],
    event: EventRow,
    *,
    comment_id: int,
    author_id: int,
    replied_to: int | None,
    at_ms: int,
) -> list[int]:
    """Write whom a new comment names, and return whom it notifies; its author is locked.

    Neither the author nor those who may not see the event, nor those past `NOTIFIED_MAX`; `replied_to` is notified of a
    reply.
    """
    if not mentioned:
        return []
    recently = sa.select(_C.user_id).where(_C.author_id == author_id, _C.notified_at_ms > at_ms - NOTIFIED_WITHIN_MS)
    notified = set(tx.execute(recently.distinct()).scalars())
    rows: list[dict[str, int | str | None]] = []
    found: list[int] = []
    for place, (nickname, person) in enumerate(mentioned):
        is_notified = (
            person.id not in {author_id, replied_to}
            and _may_see(person, event)
            and (person.id in notified or len(notified) < NOTIFIED_MAX)
        )
        if is_notified:
            notified.add(person.id)
            found.append(person.id)
        rows.append(
            {
                "comment_id": comment_id,
                "place": place,
                "user_id": person.id,
                "nickname": nickname,
                "author_id": author_id,
                "notified_at_ms": at_ms if is_notified else None,
            }
        )
    tx.execute(comment_mentions.insert(), rows)
    return found


def _may_see(person: UserRow, event: EventRow) -> bool:
    return event.published_at_ms is not None or person.is_admin or person.id == event.creator_id


def of_comments(tx: ReadTx, comment_ids: Collection[int]) -> Mapping[int, Sequence[Mention]]:
    """Return whom comments (a hundred or so) name, in the order of their contents; no key for who names no one."""
    query = sa.select(_C.comment_id, _C.user_id, _C.nickname).where(_C.comment_id.in_(comment_ids))
    found: dict[int, list[Mention]] = defaultdict(list)
    for comment_id, user_id, nickname in tx.execute(query.order_by(_C.comment_id, _C.place)):
        found[comment_id].append(Mention(user_id, nickname))
    return found


def notified_by(tx: ReadTx, comment_ids: Collection[int]) -> list[tuple[int, int]]:
    """Return (user, comment) of those whom comments have notified."""
    query = sa.select(_C.user_id, _C.comment_id).where(_C.comment_id.in_(comment_ids), _C.notified_at_ms.is_not(None))
    return [(user_id, comment_id) for user_id, comment_id in tx.execute(query)]


def clear(tx: WriteTx, comment_ids: Collection[int]) -> None:
    """Clear the nicknames of deleted comments. Whom they notified counts on for `NOTIFIED_MAX`."""
    tx.execute(comment_mentions.update().where(_C.comment_id.in_(comment_ids)).values(nickname=""))


def forget(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Delete up to `most` mentions of a deleted user, and by them; return how many there were."""
    found = 0
    for column in (_C.user_id, _C.author_id):
        some = sa.select(_C.comment_id, _C.place).where(column == user_id).limit(most)
        keys = [tuple(row) for row in tx.execute(some)]
        tx.execute(comment_mentions.delete().where(sa.tuple_(_C.comment_id, _C.place).in_(keys)))
        found += len(keys)
    return found
