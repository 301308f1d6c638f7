"""Request and response bodies of the chat's endpoints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.schema_types import LATER_TIME_EXAMPLE, SESSIONS, STATUS, CreatedAt, HasMore, Id, NextCursor, Time
from foreknow.kernel.validation.fields import required_text_schema
from foreknow.people.users.schemas import USER, PublicUser
from foreknow.site.chat.store import ChatSessionRow, ChatStatus, LastMessage, MessageRow, Sender

TEXT_MAX = 5_000

MessageText = Annotated[str, Meta(description="The text, 1–5000 characters.", examples=["My bet has not arrived."])]
SENDER = Meta(description="Who wrote it.")
SessionId = Annotated[int, Meta(description="The support session's id.", examples=[11])]


class ChatMessage(msgspec.Struct, frozen=True):
    """A message; `created_at` is in Unix milliseconds."""

    id: Id
    sender: Annotated[Sender, SENDER]
    text: MessageText
    created_at: Annotated[int, Meta(description="When it was written, Unix milliseconds.", examples=[1772388000000])]


Messages = Annotated[list[ChatMessage], Meta(description="Messages, oldest first.")]


class ChatSession(msgspec.Struct, frozen=True):
    """A visitor's active session."""

    session_id: SessionId
    status: Annotated[ChatStatus, STATUS]
    messages: Messages


class ChatMessages(msgspec.Struct, frozen=True):
    """Messages of a session, oldest first, and its status."""

    messages: Messages
    status: Annotated[ChatStatus, STATUS]


class CreatedMessage(msgspec.Struct, frozen=True):
    """The message just written, alone in its array."""

    messages: Messages


class ChatText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new message."""

    # For the API page only: the bound holds after NFC, where the service checks it.
    text: Annotated[MessageText, Meta(extra_json_schema=required_text_schema(TEXT_MAX))]


class OperatorCall(msgspec.Struct, frozen=True):
    """An operator knows."""

    success: Annotated[bool, Meta(description="Whether an operator is called.", examples=[True])]
    message: Annotated[
        str, Meta(description="What happens next, in words.", examples=["An operator will answer here."])
    ]


class StatusEvent(msgspec.Struct, frozen=True):
    """The session's status: at first, and when it changes."""

    status: Annotated[ChatStatus, STATUS]


class SupportLastMessage(msgspec.Struct, frozen=True):
    """The beginning of a session's last message."""

    sender: Annotated[Sender, SENDER]
    text: Annotated[str, Meta(max_length=140, description="Its first 140 characters.", examples=["How can I help?"])]


class SupportSession(msgspec.Struct, frozen=True):
    """A session as operators see it; `user` is null where the visitor was not signed in."""

    session_id: SessionId
    status: Annotated[ChatStatus, STATUS]
    user: Annotated[PublicUser | None, USER]
    created_at: CreatedAt
    last_message_at: Annotated[
        Time | None,
        Meta(description="When the last message was written, UTC; null for none.", examples=[LATER_TIME_EXAMPLE]),
    ]
    last_message: Annotated[SupportLastMessage | None, Meta(description="The last message; null for none.")]
    waiting_since: Annotated[
        Time | None,
        Meta(
            description="Since when the visitor waits for an operator's message, UTC: from the call, and once answered "
            "from the first message that followed; null while no one waits.",
            examples=[LATER_TIME_EXAMPLE],
        ),
    ]


class SupportSessionPage(msgspec.Struct, frozen=True):
    """A page of sessions, newest first."""

    sessions: Annotated[list[SupportSession], SESSIONS]
    next_cursor: NextCursor
    has_more: HasMore


def message_view(row: MessageRow) -> ChatMessage:
    """Show a message, to visitors and operators alike."""
    return ChatMessage(row.id, row.sender, row.text, row.created_at_ms)


def message_views(rows: Iterable[MessageRow]) -> list[ChatMessage]:
    """Show messages."""
    return [message_view(row) for row in rows]


def support_view(row: ChatSessionRow, user: PublicUser | None, last: LastMessage | None) -> SupportSession:
    """Show a session to operators."""
    waiting_since_ms = row.waiting_since_ms
    if row.status == "waiting" and waiting_since_ms is None:
        # Called by a process of the release before.
        waiting_since_ms = row.last_message_at_ms
    return SupportSession(
        session_id=row.id,
        status=row.status,
        user=user,
        created_at=iso(row.created_at_ms),
        last_message_at=iso_or_none(row.last_message_at_ms),
        last_message=None if last is None else SupportLastMessage(last.sender, last.text),
        waiting_since=iso_or_none(waiting_since_ms),
    )
