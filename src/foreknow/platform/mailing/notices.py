"""Notices: notifications that wait to be mailed, some in one mail.

A mail goes at once to who was sent none for `PAUSE_MS`, and begins a pause, after which all that came meanwhile is one
mail. What is wanted daily goes at `DAILY_HOUR` in its user's zone. Whether a notice is wanted is looked up when it is
due (`people/mail/gathering.py`): a row only says when to look.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

import msgspec
import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import MINUTE_MS
from foreknow.kernel.time_zones import last_hour_ms, next_hour_ms
from foreknow.platform.db.changes import Insert, Sink, insert_rows, on_conflict, written_keys
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.mailing.tables import notice_pauses, notices
from foreknow.platform.sending import SENDS

Mode: TypeAlias = Literal["now", "daily"]
#: Shortest time between two mails of what is wanted at once.
PAUSE_MS = 15 * MINUTE_MS
#: The hour of daily mails.
DAILY_HOUR = 8
#: Due rows looked at to find whose they are.
_LOOKED_AT = 1_000
#: Old pauses deleted with each mail.
_SWEPT_ROWS = 100
_C, _P = notices.c, notice_pauses.c
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNotice:
    """A notification to be mailed; `params` make its text."""

    user_id: int
    type: str
    event_id: int | None
    params: Mapping[str, str | int]
    created_at_ms: int
    #: When to look whether it is mailed.
    due_at_ms: int
    #: The comment that it is about.
    comment_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingNotice(NewNotice):
    """A row."""

    id: int


_NEW = tuple(field.name for field in fields(NewNotice))
_ROW = tuple(_C[field.name] for field in fields(WaitingNotice))


def due_at_ms(created_at_ms: int, mode: Mode, time_zone: str) -> int:
    """Return when a notice is due."""
    return created_at_ms if mode == "now" else next_hour_ms(created_at_ms, DAILY_HOUR, time_zone)


def is_of_today(notice: NewNotice, time_zone: str, *, now_ms: int) -> bool:
    """Return whether the last daily mail, or the one that is due now, has a notice."""
    return notice.created_at_ms < last_hour_ms(now_ms, DAILY_HOUR, time_zone)


def write(into: Sink, new: Iterable[NewNotice]) -> None:
    """Write notices in the transaction of their cause, without row locks."""
    rows = [
        (
            one.user_id,
            one.type,
            one.event_id,
            _encode(one.params).decode(),
            one.created_at_ms,
            one.due_at_ms,
            one.comment_id,
        )
        for one in new
    ]
    if rows:
        insert_rows(into, notices, _NEW, rows)


def hasten(tx: WriteTx, user_id: int) -> None:
    """Look again when a user's notices are to be mailed: their day begins at another moment."""
    tx.execute(notices.update().where(_C.user_id == user_id).values(due_at_ms=0))


def due_users(tx: ReadTx, *, now_ms: int, limit: int) -> list[int]:
    """Return up to `limit` users whose notices are due, those due for longest first; none where nothing is sent."""
    query = sa.select(_C.user_id).where(_C.due_at_ms <= now_ms, SENDS).order_by(_C.due_at_ms).limit(_LOOKED_AT)
    return list(dict.fromkeys(tx.execute(query).scalars()))[:limit]


def due_of(tx: ReadTx, user_ids: Sequence[int], *, now_ms: int, limit: int) -> list[WaitingNotice]:
    """Return up to `limit` due notices of users, oldest first; all of a user's, unless one alone has more."""
    query = sa.select(*_ROW).where(_C.user_id.in_(user_ids), _C.due_at_ms <= now_ms)
    rows = tx.execute(query.order_by(_C.user_id, _C.due_at_ms, _C.id).limit(limit)).mappings()
    found = [WaitingNotice(**row) for row in rows]
    if len(found) == limit and found[0].user_id != found[-1].user_id:
        # The last one's may be cut off: they come next.
        found = [notice for notice in found if notice.user_id != found[-1].user_id]
    return sorted(found, key=lambda notice: notice.id)


def put_off(tx: WriteTx, ids: Collection[int], *, due_at_ms: int) -> None:
    """Look at notices again at `due_at_ms`."""
    for chunk in chunks(ids):
        tx.execute(notices.update().where(_C.id.in_(chunk)).values(due_at_ms=due_at_ms))


def delete(tx: WriteTx, ids: Collection[int]) -> None:
    """Delete notices: they are part of a mail, or not wanted."""
    for chunk in chunks(ids):
        tx.execute(notices.delete().where(_C.id.in_(chunk)))


@dataclass(frozen=True, slots=True)
class Pause:
    """The time after a mail of one mode to one user in which no other is made; Unix milliseconds."""

    user_id: int
    mode: Mode
    mailed_at_ms: int
    ends_at_ms: int


#: Taken where there is none, or its end is past.
_TAKEN = Insert(
    notice_pauses,
    ("user_id", "mode", "mailed_at_ms", "ends_at_ms"),
    conflict=on_conflict(notice_pauses, mailed_at_ms="excluded.mailed_at_ms", ends_at_ms="excluded.ends_at_ms")
    + " WHERE notice_pauses.ends_at_ms <= excluded.mailed_at_ms",
)


def begin_pauses(tx: WriteTx, pauses: Collection[Pause]) -> set[tuple[int, Mode]]:
    """Begin pauses of users, each but where one has not ended; return of which users and modes.

    The process that begins a pause makes its mail. Of two at the same time, the later waits for the first, and begins
    none.
    """
    # In one order: two processes that take the same ones must not wait for each other.
    rows = sorted((one.user_id, one.mode, one.mailed_at_ms, one.ends_at_ms) for one in pauses)
    return {(user_id, mode) for user_id, mode in written_keys(tx, _TAKEN, rows)} if rows else set()


def pause_ends(tx: ReadTx, user_ids: Sequence[int]) -> dict[tuple[int, Any], int]:
    """Return when the pauses of users end, by user and mode."""
    query = sa.select(_P.user_id, _P.mode, _P.ends_at_ms).where(_P.user_id.in_(user_ids))
    return {(user_id, mode): ends_at_ms for user_id, mode, ends_at_ms in tx.execute(query)}


def sweep(tx: WriteTx, *, now_ms: int) -> None:
    """Delete some pauses that have ended."""
    # Skips rows that another transaction holds: waiting for them could deadlock.
    old = (
        sa.select(_P.user_id, _P.mode)
        .where(_P.ends_at_ms <= now_ms)
        .order_by(_P.ends_at_ms)
        .limit(_SWEPT_ROWS)
        .with_for_update(skip_locked=True)
    )
    tx.execute(notice_pauses.delete().where(sa.tuple_(_P.user_id, _P.mode).in_(old)))
