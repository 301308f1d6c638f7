"""Rows of what people were worth: written by the follower, read for whose they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.people.users.store import deleted_among
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.worth.tables import worth_cursor, worth_days

_W = worth_days.c


class KeptDay(NamedTuple):
    """What a person was worth at the end of a day, and of the next ones of which no row is kept."""

    day: int
    worth_kopecks: int
    added_kopecks: int


class PersonDay(NamedTuple):
    """A row."""

    user_id: int
    day: int
    worth_kopecks: int
    added_kopecks: int


class Places(NamedTuple):
    """How far worths are kept (`worth_cursor`)."""

    day: int = 0
    target_day: int = 0
    after_id: int = 0


def places(tx: ReadTx) -> Places:
    """Return how far worths are kept."""
    found = _CURSOR.fetch(tx, {})
    return Places._make(found[0]) if found else Places()


def last_kept(tx: ReadTx, user_ids: Collection[int], *, through_day: int) -> dict[int, KeptDay]:
    """Return the last row up to a day of each person who has one."""
    rows = _LAST.fetch(tx, {"ids": user_ids, "through_day": through_day}) if user_ids else ()
    return {user_id: KeptDay(*rest) for user_id, *rest in rows}


def kept_days(tx: ReadTx, user_id: int, *, from_day: int, through_day: int) -> list[KeptDay]:
    """Return a person's rows from a day on, and the last one before it."""
    given = {"user_id": user_id, "from_day": from_day, "through_day": through_day}
    return [KeptDay(*row) for row in _OF_PERSON.fetch(tx, given)]


def kept_through(tx: ReadTx, user_id: int) -> int:
    """Return the last day that is kept of a person; 0 for none."""
    found = places(tx)
    return found.target_day if found.target_day and user_id <= found.after_id else found.day


def has_later(tx: ReadTx, user_ids: Collection[int], *, after_day: int) -> bool:
    """Return whether any of these people has a row after a day."""
    return bool(user_ids) and bool(_LATER.fetch(tx, {"ids": user_ids, "after_day": after_day}))


def forget_later(tx: WriteTx, user_ids: Collection[int], *, after_day: int) -> None:
    """Delete people's rows after a day, which are written again."""
    tx.execute(worth_days.delete().where(in_array(_W.user_id), _W.day > after_day), {"ids": user_ids})


def add(tx: WriteTx, rows: Sequence[PersonDay]) -> None:
    """Write rows; none of those who have deleted their accounts."""
    deleted = deleted_among(tx, {row.user_id for row in rows})
    apply(tx, _ROWS, [row for row in rows if row.user_id not in deleted])


def forget(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Delete up to `most` rows of a person; return how many there were."""
    some = sa.select(_W.day).where(_W.user_id == user_id).order_by(_W.day).limit(most)
    return tx.execute(worth_days.delete().where(_W.user_id == user_id, _W.day.in_(some))).rowcount


_ROWS = Insert(
    worth_days,
    PersonDay._fields,
    # Another process that does the same piece has written them.
    conflict=on_conflict(worth_days, worth_kopecks="excluded.worth_kopecks", added_kopecks="excluded.added_kopecks"),
)
_EARLIER = worth_days.alias("earlier")
_THROUGH = sa.bindparam("through_day", type_=Int64)
_NEWEST = sa.select(sa.func.max(_EARLIER.c.day)).where(_EARLIER.c.user_id == users.c.id, _EARLIER.c.day <= _THROUGH)
_LAST = CompiledQuery(
    sa.select(*_W)
    .join_from(
        users,
        worth_days,
        sa.and_(_W.user_id == users.c.id, _W.day == _NEWEST.correlate(users).scalar_subquery()),
    )
    .where(in_array(users.c.id))
)
_LATER = CompiledQuery(
    sa.select(_W.user_id).where(in_array(_W.user_id), _W.day > sa.bindparam("after_day", type_=Int64)).limit(1)
)
_USER, _FROM = sa.bindparam("user_id", type_=Int64), sa.bindparam("from_day", type_=Int64)
_BEFORE = sa.select(sa.func.max(_EARLIER.c.day)).where(_EARLIER.c.user_id == _USER, _EARLIER.c.day <= _FROM)
_OF_PERSON = CompiledQuery(
    sa.select(_W.day, _W.worth_kopecks, _W.added_kopecks)
    .where(_W.user_id == _USER, _W.day >= sa.func.coalesce(_BEFORE.scalar_subquery(), 0), _W.day <= _THROUGH)
    .order_by(_W.day)
)
_CURSOR = CompiledQuery(sa.select(*(worth_cursor.c[name] for name in Places._fields)))
