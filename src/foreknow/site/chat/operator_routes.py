"""Endpoints of support operators."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BadRequest, InvalidState, Unavailable
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.site.chat import service
from foreknow.site.chat.errors import ChatSessionNotFound, InvalidChatSessionId
from foreknow.site.chat.hub import ChatHub
from foreknow.site.chat.operator_hub import OperatorHub, OperatorSubscription
from foreknow.site.chat.routes import AT_MOST, MESSAGES_MAX, MessagesQuery, read_last_event_id
from foreknow.site.chat.schemas import (
    ChatMessage,
    ChatMessages,
    ChatText,
    SupportSessionPage,
    message_view,
    message_views,
    support_view,
)
from foreknow.site.chat.store import ChatStatus
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PathRequest, PlainRequest, QueryRequest, Request, get, post
from foreknow.web.event_streams import HEART_BEAT, HEART_BEAT_S, RETRY_S, EventStream, Write, server_sent_event
from foreknow.web.pagination import newest_first
from foreknow.web.params import CURSOR, LIMIT, Param, choice, defaulted, optional, parameters, path_id
from foreknow.web.responses import Empty

STATUS: Param[ChatStatus] = choice("status", ("open", "waiting", "answered", "closed"), "Only sessions of this status.")
STREAM_EXAMPLE = """\
id: 1772366460000
data: {"session_id":11,"status":"waiting","user":null,"created_at":"2026-03-01T12:00:00.000Z",\
"last_message_at":"2026-03-01T12:01:00.000Z","last_message":{"sender":"system","text":"An operator has been called."},\
"waiting_since":"2026-03-01T12:01:00.000Z"}
"""


@parameters
class ChatSessionPath:
    session_id: int = path_id(InvalidChatSessionId)


@parameters
class ChatSessionsQuery:
    status: ChatStatus | None = optional(STATUS)
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class OperatorRoutes:
    """Listing sessions, reading and answering them, closing them."""

    def __init__(self, context: RouteContext, hub: ChatHub) -> None:
        """Answer from `context`; `hub` is woken by new messages and states."""
        self._context = context
        self._hub = hub

    @get("/admin/chat/sessions", AuthLevel.OPERATOR)
    async def list_chat_sessions(self, request: QueryRequest[ChatSessionsQuery]) -> SupportSessionPage:
        """List support chats, newest first."""
        status = request.query.status
        found = await newest_first(
            self._context,
            request,
            f"chat_sessions:{status or ''}",
            lambda tx, before_id, limit: service.page(tx, status=status, before_id=before_id, limit=limit),
        )
        views = [support_view(listed.session, listed.user, listed.last_message) for listed in found.rows]
        return SupportSessionPage(views, found.next_cursor, found.has_more)

    @get(
        "/admin/chat/sessions/{session_id}/messages",
        AuthLevel.OPERATOR,
        errors=(ChatSessionNotFound,),
        description=AT_MOST,
    )
    async def list_chat_session_messages(self, request: Request[ChatSessionPath, MessagesQuery, None]) -> ChatMessages:
        """Read a support chat."""
        session_id, after_id = request.path.session_id, request.query.after or 0
        news = await self._context.db.read(
            lambda tx: service.messages(tx, service.for_operator(tx, session_id), after_id=after_id, limit=MESSAGES_MAX)
        )
        return ChatMessages(message_views(news.messages), news.session.status)

    @post(
        "/admin/chat/sessions/{session_id}/messages",
        AuthLevel.OPERATOR,
        status=201,
        errors=(ChatSessionNotFound, InvalidState),
    )
    async def answer_chat_session(self, request: Request[ChatSessionPath, None, ChatText]) -> ChatMessage:
        """Answer a visitor.

        The session is `answered` from then on. A signed-in visitor is notified.
        """
        text = service.check(request.body)
        row = await self._context.db.write_private(
            lambda tx: service.answer(tx, request.user, request.path.session_id, text),
        )
        self._hub.wake()
        return message_view(row)

    @get("/admin/chat/stream", AuthLevel.OPERATOR, event_stream=STREAM_EXAMPLE, errors=(BadRequest,))
    async def stream_chat_sessions(self, request: PlainRequest) -> OperatorStream:
        """Follow all support chats live (server-sent events).

        Each event is a session that has changed, as the list shows it; others are not sent, so read the list once the
        stream is open. After a drop, `Last-Event-ID` brings what was missed, unless that is very much; sessions may
        come again.
        """
        return OperatorStream(self._hub.operators, request.user, last_event_id=read_last_event_id(request))

    @post("/admin/chat/sessions/{session_id}/close", AuthLevel.OPERATOR, errors=(ChatSessionNotFound,))
    async def close_chat_session(self, request: PathRequest[ChatSessionPath]) -> Empty:
        """Close a support chat permanently."""
        await self._context.db.write_private(lambda tx: service.close(tx, request.user, request.path.session_id))
        self._hub.wake()
        return Empty()


class OperatorStream(EventStream[OperatorSubscription]):
    """An ASGI application that answers one GET /admin/chat/stream."""

    def __init__(self, hub: OperatorHub, caller: UserCaller, *, last_event_id: int | None) -> None:
        """Show all sessions to `caller`; with `last_event_id`, those that have changed since that event first."""
        self._hub = hub
        self._caller = caller
        self._last_event_id = last_event_id

    def subscribed(self) -> AbstractContextManager[OperatorSubscription]:
        """See `EventStream.subscribed`."""
        return self._hub.subscribed(self._caller)

    async def prepare(self, subscription: OperatorSubscription) -> None:
        """Read the state before the response begins, so that the client may take every later change as sent."""
        while not subscription.is_over:
            try:
                await self._hub.begin(subscription, after_ms=self._last_event_id)
            except Unavailable:
                await asyncio.sleep(RETRY_S)
            else:
                return

    async def run(self, subscription: OperatorSubscription, write: Write) -> None:
        """Write changes until the operator has gone."""
        # The response's head alone would not reach every client.
        await write(HEART_BEAT)
        while not subscription.is_over:
            for item in subscription.take():
                view = support_view(item.session, item.user, item.last_message)
                await write(server_sent_event(view, event_id=item.session.changed_at_ms))
            if not await subscription.wait(HEART_BEAT_S):
                await write(HEART_BEAT)
