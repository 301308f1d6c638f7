"""The rules of the chat (decisions.md, "Comments, chat, notifications").

Functions that write messages or a status lock the session first and read the clock under that lock, so that times agree
with the order of messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.validation.fields import required_text
from foreknow.people import admin_log, notifications
from foreknow.people.alerts import AlertSender
from foreknow.people.notifications.kinds.own import OperatorAnswer
from foreknow.people.users.profiles import public_user
from foreknow.people.users.schemas import PublicUser
from foreknow.people.users.store import find_people
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.chat import store, tokens
from foreknow.site.chat.errors import ChatSessionNotFound, NoActiveSession
from foreknow.site.chat.schemas import TEXT_MAX, ChatText
from foreknow.site.chat.store import ChatSessionRow, ChatStatus, LastMessage, MessageRow

CALLED = "An operator has been called and will answer here."
ALREADY_CALLED = "An operator has already been called and will answer here."
ALREADY_HERE = "An operator is already answering here."
#: Characters of a message that the list of sessions shows.
LAST_MESSAGE_MAX = 140
ALERT_TITLE = "A visitor asks for an operator"


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in user, or the holder of chat cookies, of which the first that has an active session counts."""

    user_id: int | None
    tokens: Sequence[str]


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A visitor's active session; `is_new` if it was just started, `new_token` is the value of a new cookie to set."""

    session: ChatSessionRow
    is_new: bool
    new_token: str | None


@dataclass(frozen=True, slots=True)
class SessionListItem:
    """A session in the operators' list, and its user."""

    session: ChatSessionRow
    user: PublicUser | None
    last_message: LastMessage | None

    @property
    def id(self) -> int:
        """The session's id, the sort key of the list."""
        return self.session.id


@dataclass(frozen=True, slots=True)
class SessionUpdate:
    """A session, and its messages after an id, oldest first, read in one snapshot."""

    session: ChatSessionRow
    messages: Sequence[MessageRow]


def check(body: ChatText) -> str:
    """Validate and normalise the text of a new message; `BadRequest`."""
    return required_text("text", body.text, most=TEXT_MAX)


def begin(tx: WriteTx, visitor: Visitor, *, at_ms: int) -> StartedSession:
    """Return the visitor's active session, or start one with a new cookie; unknown cookies are never accepted.

    The anonymous session of a signed-in visitor is bound first, as at sign-in.
    """
    session = _find_active(tx, visitor)
    if session is not None:
        return StartedSession(session, is_new=False, new_token=None)
    if visitor.user_id is not None:
        token = bind(tx, user_id=visitor.user_id, given=visitor.tokens)
        if token is not None:
            return StartedSession(_must_be_active(_find_active(tx, visitor)), is_new=False, new_token=token)
    token = tokens.new_token()
    row = store.insert_session(tx, user_id=visitor.user_id, cookie_hash=tokens.hash_of(token), at_ms=at_ms)
    return StartedSession(row, is_new=True, new_token=token)


def bind(tx: WriteTx, *, user_id: int, given: Sequence[str]) -> str | None:
    """Assign the anonymous session of the tokens given to a user without an active one; return the cookie's new value.

    None if there is nothing to bind. The old value becomes invalid.
    """
    session = _first(partial(store.lock_session, tx), _anonymous(given))
    if session is None or store.find_session(tx, store.active_of_user(user_id)) is not None:
        return None
    renewed = tokens.new_token()
    store.bind(tx, session.id, user_id=user_id, cookie_hash=tokens.hash_of(renewed), at_ms=now_ms(tx))
    return renewed


def active(tx: ReadTx, visitor: Visitor) -> ChatSessionRow:
    """Return the visitor's active session; `NoActiveSession`."""
    return _must_be_active(_find_active(tx, visitor))


def write(tx: WriteTx, visitor: Visitor, text: str) -> MessageRow:
    """Write a visitor's message, validated by `check`; `NoActiveSession`."""
    session = _lock_active(tx, visitor)
    at_ms = now_ms(tx)
    if session.status == "answered" and session.waiting_since_ms is None:
        store.set_waiting(tx, session.id, at_ms)
    return store.insert_message(
        tx, session_id=session.id, sender="user", author_id=visitor.user_id, text=text, at_ms=at_ms
    )


def call_operator(tx: WriteTx, visitor: Visitor, alerts: AlertSender) -> str:
    """Call an operator, once per session; return the message for the visitor. `NoActiveSession`."""
    session = _lock_active(tx, visitor)
    if session.status != "open":
        return ALREADY_HERE if session.status == "answered" else ALREADY_CALLED
    at_ms = now_ms(tx)
    store.set_status(tx, session.id, "waiting", waiting_since_ms=at_ms, at_ms=at_ms)
    store.insert_message(tx, session_id=session.id, sender="system", author_id=None, text=CALLED, at_ms=at_ms)
    # Without the visitor's messages: alerts are sent through third parties.
    who = "The visitor is not signed in." if session.user_id is None else f"The visitor is user {session.user_id}."
    text = f"Chat session {session.id} waits for an answer. {who} See {alerts.page('/desk')}"
    alerts.record(tx, title=ALERT_TITLE, text=text, at_ms=at_ms)
    return CALLED


def update_for(
    tx: ReadTx, visitor: Visitor, session_id: int, *, after_id: int | None, limit: int
) -> SessionUpdate | None:
    """Return a session's update for the visitor's stream; None if the session is no longer the visitor's.

    `after_id` None: without messages. `session_id` was the visitor's when the stream began (`active`): of an anonymous
    visitor only that it is still anonymous is checked.
    """
    session = store.find_session(tx, store.by_id(session_id))
    if session is None or session.user_id != visitor.user_id:
        return None
    if after_id is None or after_id >= session.last_message_id:
        return SessionUpdate(session, ())
    return SessionUpdate(session, store.messages_after(tx, session_id=session_id, after_id=after_id, limit=limit))


def messages(tx: ReadTx, session: ChatSessionRow, *, after_id: int, limit: int) -> SessionUpdate:
    """Return a session's messages after an id."""
    return SessionUpdate(session, store.messages_after(tx, session_id=session.id, after_id=after_id, limit=limit))


def for_operator(tx: ReadTx, session_id: int) -> ChatSessionRow:
    """Return a session, active or closed; `ChatSessionNotFound`."""
    return _must_exist(store.find_session(tx, store.by_id(session_id)))


def answer(tx: WriteTx, operator: UserCaller, session_id: int, text: str) -> MessageRow:
    """Write an operator's message and notify the user; `ChatSessionNotFound`, `InvalidState` once closed."""
    session = _must_exist(store.lock_session(tx, store.by_id(session_id)))
    if session.status == "closed":
        raise InvalidState("This chat session is closed.")
    at_ms = now_ms(tx)
    if session.status != "answered" or session.waiting_since_ms is not None:
        store.set_status(tx, session_id, "answered", waiting_since_ms=None, at_ms=at_ms)
    message = store.insert_message(
        tx, session_id=session_id, sender="operator", author_id=operator.user_id, text=text, at_ms=at_ms
    )
    if session.user_id is not None:
        new = notifications.NewNotifications(None, at_ms=at_ms)
        notifications.record(tx, new.add(session.user_id, OperatorAnswer()))
    _log(tx, operator, "chat.answer", session, message_id=message.id, at_ms=at_ms)
    return message


def close(tx: WriteTx, operator: UserCaller, session_id: int) -> None:
    """Close a session; closing it again changes nothing. `ChatSessionNotFound`."""
    session = _must_exist(store.lock_session(tx, store.by_id(session_id)))
    if session.status == "closed":
        return
    at_ms = now_ms(tx)
    store.set_status(tx, session_id, "closed", waiting_since_ms=None, at_ms=at_ms)
    _log(tx, operator, "chat.close", session, at_ms=at_ms)


def page(tx: ReadTx, *, status: ChatStatus | None, before_id: int | None, limit: int) -> list[SessionListItem]:
    """Return the newest sessions with their users; operators see hidden profiles."""
    return list_items(tx, store.newest_sessions(tx, status=status, before_id=before_id, limit=limit))


def list_items(tx: ReadTx, rows: Sequence[ChatSessionRow]) -> list[SessionListItem]:
    """Return sessions (a hundred or so) as operators see them."""
    people = find_people(tx, list({row.user_id for row in rows if row.user_id is not None}))
    last = store.last_messages(tx, [row.last_message_id for row in rows], most=LAST_MESSAGE_MAX)
    return [
        SessionListItem(
            row,
            None if row.user_id is None else public_user(people[row.user_id], unhidden=True),
            last.get(row.last_message_id),
        )
        for row in rows
    ]


def _active_of(visitor: Visitor) -> list[store.OneSession]:
    return _anonymous(visitor.tokens) if visitor.user_id is None else [store.active_of_user(visitor.user_id)]


def _anonymous(given: Sequence[str]) -> list[store.OneSession]:
    return [store.active_anonymous(tokens.hash_of(token)) for token in given]


def _first(
    read: Callable[[store.OneSession], ChatSessionRow | None], candidates: Sequence[store.OneSession]
) -> ChatSessionRow | None:
    return next((found for which in candidates if (found := read(which)) is not None), None)


def _find_active(tx: ReadTx, visitor: Visitor) -> ChatSessionRow | None:
    return _first(partial(store.find_session, tx), _active_of(visitor))


def _lock_active(tx: WriteTx, visitor: Visitor) -> ChatSessionRow:
    return _must_be_active(_first(partial(store.lock_session, tx), _active_of(visitor)))


def _must_exist(session: ChatSessionRow | None) -> ChatSessionRow:
    if session is None:
        raise ChatSessionNotFound
    return session


def _must_be_active(session: ChatSessionRow | None) -> ChatSessionRow:
    if session is None:
        raise NoActiveSession
    return session


def _log(
    tx: WriteTx, operator: UserCaller, action: str, session: ChatSessionRow, *, at_ms: int, **details: int
) -> None:
    target = f"chat_session:{session.id}"
    logged = {"user_id": session.user_id, **details}
    admin_log.record(tx, operator, action=action, target=target, details=logged, at_ms=at_ms)
