"""Bodies and answers of the chat's endpoints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from foreknow.chat.store import MessageRow, SessionRow, Status
from foreknow.kernel.clock import iso, iso_or_none
from foreknow.users.schemas import PublicUser
from foreknow.validation.fields import required_text_schema

TEXT_MAX = 5_000


class ChatMessage(msgspec.Struct, frozen=True):
    """A message; `created_at` is in Unix milliseconds."""

    id: int
    sender: Literal["user", "operator", "system"]
    text: str
    created_at: int


class ChatSession(msgspec.Struct, frozen=True):
    """A visitor's active session."""

    session_id: int
    status: Status
    messages: list[ChatMessage]


class ChatMessages(msgspec.Struct, frozen=True):
    """Messages of a session, oldest first, and its status."""

    messages: list[ChatMessage]
    status: Status


class CreatedMessage(msgspec.Struct, frozen=True):
    """The message just written, alone in its array."""

    messages: list[ChatMessage]


class ChatText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new message."""

    # The bound holds after NFC, where the service checks it; here it only tells the API page.
    text: Annotated[str, msgspec.Meta(extra_json_schema=required_text_schema(TEXT_MAX))]


class OperatorCall(msgspec.Struct, frozen=True):
    """An operator knows."""

    success: bool
    message: str


class StatusEvent(msgspec.Struct, frozen=True):
    """What a stream says of the session itself."""

    status: Status


class SupportSession(msgspec.Struct, frozen=True):
    """A session as operators see it; `user` is null where nobody was signed in."""

    session_id: int
    status: Status
    user: PublicUser | None
    created_at: str
    last_message_at: str | None


class SupportSessionPage(msgspec.Struct, frozen=True):
    """A page of sessions, newest first."""

    sessions: list[SupportSession]
    next_cursor: str | None
    has_more: bool


def message_view(row: MessageRow) -> ChatMessage:
    """Show a message, to visitors and operators alike."""
    return ChatMessage(row.id, row.sender, row.text, row.created_at_ms)


def message_views(rows: Iterable[MessageRow]) -> list[ChatMessage]:
    """Show messages."""
    return [message_view(row) for row in rows]


def support_view(row: SessionRow, user: PublicUser | None) -> SupportSession:
    """Show a session to operators."""
    return SupportSession(row.id, row.status, user, iso(row.created_at_ms), iso_or_none(row.last_message_at_ms))
