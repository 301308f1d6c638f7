"""Rows of chat sessions and messages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from foreknow.platform.db.bulk import in_array
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.chat.tables import IS_OPERATORS, IS_WAITING, chat_messages, chat_sessions

ChatStatus = Literal["open", "waiting", "answered", "closed"]
Sender = Literal["user", "operator", "system"]

_S = chat_sessions.c
_M = chat_messages.c
#: A literal, so that SQLite can use the partial index of active sessions; with a parameter it could not.
_ACTIVE = _S.status != sa.literal("closed", literal_execute=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSessionRow:
    """A session. `user_id` is None for an anonymous one, which belongs to the holder of its cookie."""

    id: int
    user_id: int | None
    status: ChatStatus
    created_at_ms: int
    #: 0 and None without a message.
    last_message_id: int
    last_message_at_ms: int | None
    #: Since when the visitor waits for an operator's message; None while no one does.
    waiting_since_ms: int | None
    #: When operators last saw a change; None for sessions that the release before this column changed last.
    changed_at_ms: int | None


@dataclass(frozen=True, slots=True)
class LastMessage:
    """The beginning of a session's newest message."""

    sender: Sender
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """A message; a later one of the same session has a higher id."""

    id: int
    sender: Sender
    text: str
    created_at_ms: int


@dataclass(frozen=True, slots=True)
class Version:
    """The fields that change when a session has updates for its streams."""

    status: ChatStatus
    last_message_id: int
    user_id: int | None


#: The condition that one session meets, or none.
OneSession = sa.ColumnElement[bool]

_SESSION = [_S[name] for name in ChatSessionRow.__slots__]
_MESSAGE = [_M[name] for name in MessageRow.__slots__]


def by_id(session_id: int) -> OneSession:
    """Name a session, active or closed."""
    return _S.id == session_id


def active_of_user(user_id: int) -> OneSession:
    """Name a user's active session."""
    return sa.and_(_S.user_id == user_id, _ACTIVE)


def active_anonymous(cookie_hash: str) -> OneSession:
    """Name the active session of a cookie, as long as it belongs to no user."""
    return sa.and_(_S.cookie_hash == cookie_hash, _S.user_id.is_(None), _ACTIVE)


def find_session(tx: ReadTx, which: OneSession) -> ChatSessionRow | None:
    """Return the session, None without one."""
    return _one(tx, sa.select(*_SESSION).where(which))


def lock_session(tx: WriteTx, which: OneSession) -> ChatSessionRow | None:
    """Lock the session until `tx` ends and return it, None without one."""
    return _one(tx, sa.select(*_SESSION).where(which).with_for_update())


def insert_session(tx: WriteTx, *, user_id: int | None, cookie_hash: str, at_ms: int) -> ChatSessionRow:
    """Insert a session."""
    row = {
        "user_id": user_id,
        "cookie_hash": cookie_hash,
        "status": "open",
        "created_at_ms": at_ms,
        "changed_at_ms": at_ms,
    }
    new = tx.execute(chat_sessions.insert().values(row).returning(*_SESSION)).mappings().one()
    return ChatSessionRow(**new)


def bind(tx: WriteTx, session_id: int, *, user_id: int, cookie_hash: str, at_ms: int) -> None:
    """Assign a locked session to a user, with a new cookie."""
    change = {"user_id": user_id, "cookie_hash": cookie_hash, "changed_at_ms": at_ms}
    tx.execute(chat_sessions.update().where(_S.id == session_id).values(change))


def set_status(tx: WriteTx, session_id: int, status: ChatStatus, *, waiting_since_ms: int | None, at_ms: int) -> None:
    """Change the status of a locked session, and since when its visitor waits."""
    change = {"status": status, "waiting_since_ms": waiting_since_ms, "changed_at_ms": at_ms}
    tx.execute(chat_sessions.update().where(_S.id == session_id).values(change))


def set_waiting(tx: WriteTx, session_id: int, since_ms: int) -> None:
    """Note that the visitor of a locked session waits."""
    tx.execute(chat_sessions.update().where(_S.id == session_id).values(waiting_since_ms=since_ms))


def insert_message(
    tx: WriteTx, *, session_id: int, sender: Sender, author_id: int | None, text: str, at_ms: int
) -> MessageRow:
    """Insert a message into a locked session."""
    row = {
        "session_id": session_id,
        "sender": sender,
        "author_id": author_id,
        "text": text,
        "created_at_ms": at_ms,
    }
    new = MessageRow(**tx.execute(chat_messages.insert().values(row).returning(*_MESSAGE)).mappings().one())
    last = {"last_message_id": new.id, "last_message_at_ms": at_ms, "changed_at_ms": at_ms}
    tx.execute(chat_sessions.update().where(_S.id == session_id).values(last))
    return new


def close_all_of(tx: WriteTx, user_id: int, *, at_ms: int) -> None:
    """Close a user's sessions."""
    change = {"status": "closed", "waiting_since_ms": None, "changed_at_ms": at_ms}
    tx.execute(chat_sessions.update().where(_S.user_id == user_id, _ACTIVE).values(change))


def erase_some(tx: WriteTx, user_id: int, *, most: int, at_ms: int) -> int:
    """Clear the text of up to `most` messages in a user's sessions, and of those the user wrote as an operator.

    Return how many there were.
    """
    sessions = sa.select(_S.id).where(_S.user_id == user_id)
    found = 0
    for mine in (_M.session_id.in_(sessions), sa.and_(_M.author_id == user_id, IS_OPERATORS)):
        some = sa.select(_M.id, _M.session_id).where(mine, _M.text != "").order_by(_M.id).limit(most)
        rows = tx.execute(some).all()
        tx.execute(chat_messages.update().where(_M.id.in_([row.id for row in rows])).values(text=""))
        # Operators' lists show the newest message of a session.
        changed = {row.session_id for row in rows}
        tx.execute(chat_sessions.update().where(_S.id.in_(changed)).values(changed_at_ms=at_ms))
        found += len(rows)
    return found


def messages_after(tx: ReadTx, *, session_id: int, after_id: int, limit: int) -> list[MessageRow]:
    """Return the next messages of a session after an id, oldest first."""
    query = sa.select(*_MESSAGE).where(_M.session_id == session_id, _M.id > after_id).order_by(_M.id).limit(limit)
    return [MessageRow(**row) for row in tx.execute(query).mappings()]


def newest_sessions(
    tx: ReadTx, *, status: ChatStatus | None, before_id: int | None, limit: int
) -> Sequence[ChatSessionRow]:
    """Return the newest sessions (of one status); with `before_id`, those with lower ids."""
    query = sa.select(*_SESSION).order_by(_S.id.desc()).limit(limit)
    if status is not None:
        query = query.where(_S.status == status)
    if before_id is not None:
        query = query.where(_S.id < before_id)
    return [ChatSessionRow(**row) for row in tx.execute(query).mappings()]


def count_waiting(tx: ReadTx, *, most: int) -> int:
    """Return in how many sessions the visitor waits for an operator, at most `most`."""
    return len(tx.execute(sa.select(_S.id).where(IS_WAITING).limit(most)).all())


def last_messages(tx: ReadTx, message_ids: Collection[int], *, most: int) -> dict[int, LastMessage]:
    """Return the first `most` characters of messages, by id."""
    query = sa.select(_M.id, _M.sender, sa.func.substr(_M.text, 1, most)).where(in_array(_M.id))
    return {row[0]: LastMessage(*row[1:]) for row in tx.execute(query, {"ids": message_ids})}


def newest_change_ms(tx: ReadTx) -> int:
    """Return when a session was changed last; 0 for never."""
    return int(tx.execute(sa.select(sa.func.coalesce(sa.func.max(_S.changed_at_ms), 0))).scalar_one())


def changed_sessions(tx: ReadTx, *, since_ms: int, limit: int) -> list[ChatSessionRow]:
    """Return the sessions changed from a time on, in the order of their changes."""
    query = sa.select(*_SESSION).where(_S.changed_at_ms >= since_ms).order_by(_S.changed_at_ms, _S.id).limit(limit)
    return [ChatSessionRow(**row) for row in tx.execute(query).mappings()]


def versions(tx: ReadTx, session_ids: Collection[int]) -> dict[int, Version]:
    """Return the versions of any number of sessions, in one query."""
    query = sa.select(_S.id, _S.status, _S.last_message_id, _S.user_id).where(in_array(_S.id))
    return {row[0]: Version(*row[1:]) for row in tx.execute(query, {"ids": session_ids})}


def _one(tx: ReadTx, query: sa.Select[Any]) -> ChatSessionRow | None:
    row = tx.execute(query).mappings().one_or_none()
    return None if row is None else ChatSessionRow(**row)
