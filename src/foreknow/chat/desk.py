"""Endpoints of the operators."""

from __future__ import annotations

from foreknow.chat import service
from foreknow.chat.hub import ChatHub
from foreknow.chat.refusals import ChatSessionNotFound
from foreknow.chat.routes import AFTER, AT_MOST, MESSAGES_MAX
from foreknow.chat.schemas import (
    ChatMessage,
    ChatMessages,
    ChatText,
    SupportSessionPage,
    message_view,
    message_views,
    support_view,
)
from foreknow.kernel.errors import InvalidState
from foreknow.web.answers import Empty
from foreknow.web.endpoint import CURSOR, LIMIT, Call, Endpoint, Level, choice, get, post
from foreknow.web.listing import newest_first
from foreknow.web.room import Room

STATUS = choice("status", ("open", "waiting", "answered", "closed"), "Only sessions of this status.")


class SupportRoutes:
    """Listing sessions, reading and answering them, closing them."""

    def __init__(self, room: Room, hub: ChatHub) -> None:
        """Answer from `room`; tell `hub` of news."""
        self._room = room
        self._hub = hub

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            get(
                "/admin/chat/sessions",
                self.sessions,
                Level.OPERATOR,
                SupportSessionPage,
                "List support chats, newest first",
                query=(STATUS, LIMIT, CURSOR),
            ),
            get(
                "/admin/chat/sessions/{session_id}/messages",
                self.messages,
                Level.OPERATOR,
                ChatMessages,
                "Read a support chat",
                query=(AFTER,),
                refusals=(ChatSessionNotFound,),
                description=AT_MOST,
            ),
            post(
                "/admin/chat/sessions/{session_id}/messages",
                self.answer,
                Level.OPERATOR,
                ChatMessage,
                "Answer a visitor",
                status=201,
                body=ChatText,
                refusals=(ChatSessionNotFound, InvalidState),
                description="The session is `answered` from then on. A signed-in visitor is notified.",
            ),
            post(
                "/admin/chat/sessions/{session_id}/close",
                self.close,
                Level.OPERATOR,
                Empty,
                "Close a support chat for good",
                refusals=(ChatSessionNotFound,),
            ),
        ]

    async def sessions(self, call: Call) -> SupportSessionPage:
        """Answer one page of all sessions, or of those of one status."""
        status = call.query["status"]
        found = await newest_first(
            self._room,
            call,
            f"chat_sessions:{status or ''}",
            lambda tx, before_id, limit: service.page(tx, status=status, before_id=before_id, limit=limit),
        )
        views = [support_view(listed.session, listed.user) for listed in found.rows]
        return SupportSessionPage(views, found.next_cursor, found.has_more)

    async def messages(self, call: Call) -> ChatMessages:
        """Answer messages of any session."""
        session_id, after_id = call.path["session_id"], call.query["after"] or 0
        news = await self._room.db.read(
            lambda tx: service.messages(tx, service.for_operator(tx, session_id), after_id=after_id, limit=MESSAGES_MAX)
        )
        return ChatMessages(message_views(news.messages), news.session.status)

    async def answer(self, call: Call) -> ChatMessage:
        """Write an operator's message."""
        text = service.check(call.body)
        row = await self._room.db.write(
            lambda tx: service.answer(tx, call.user, call.path["session_id"], text, self._room.clock), shown=False
        )
        self._hub.wake()
        return message_view(row)

    async def close(self, call: Call) -> Empty:
        """Close a session."""
        await self._room.db.write(
            lambda tx: service.close(tx, call.user, call.path["session_id"], self._room.clock), shown=False
        )
        self._hub.wake()
        return Empty()
