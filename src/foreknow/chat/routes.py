"""Endpoints of the chat's visitors."""

from __future__ import annotations

from functools import partial

import sqlalchemy as sa

from foreknow.alerts import AlertSender
from foreknow.chat import service, tokens
from foreknow.chat.entrance import ChatCookies
from foreknow.chat.hub import ChatHub
from foreknow.chat.refusals import NoActiveSession
from foreknow.chat.schemas import (
    ChatMessages,
    ChatSession,
    ChatText,
    CreatedMessage,
    OperatorCall,
    message_view,
    message_views,
)
from foreknow.chat.service import News
from foreknow.chat.stream import ChatStream
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.units import INT64_MAX
from foreknow.web.answers import Answer, json_answer
from foreknow.web.decoding import natural_int
from foreknow.web.endpoint import Call, Endpoint, Group, Level, get, post, whole_number
from foreknow.web.room import Room

#: So many messages an answer holds at most; whoever wants the rest asks again after the last one's id.
MESSAGES_MAX = 1_000
AFTER = whole_number("after", "Only messages with a higher id.", least=0, most=INT64_MAX)
AT_MOST = f"Oldest first, at most {MESSAGES_MAX} at a time: ask again with the last id as `after` for what follows."
STREAM_EXAMPLE = """\
data: {"status":"waiting"}

id: 12
data: {"id":12,"sender":"operator","text":"How can I help?","created_at":1772388000000}

data: {"status":"answered"}
"""


class ChatRoutes:
    """Beginning a session, writing and reading messages, calling an operator."""

    def __init__(self, room: Room, hub: ChatHub, alerts: AlertSender, cookies: ChatCookies) -> None:
        """Answer from `room`; tell `hub` of news, and the support team through `alerts`."""
        self._room = room
        self._hub = hub
        self._alerts = alerts
        self._cookies = cookies

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        read = partial(get, rides_on=tokens.COOKIE, limited_as=Group.CHAT)
        send = partial(post, rides_on=tokens.COOKIE, limited_as=Group.CHAT)
        return [
            send(
                "/chat/session",
                self.begin,
                Level.OPTIONAL,
                ChatSession,
                "Begin a support chat, or go on with the one you have",
                status=201,
                other_statuses={200: "You have an active session: here it is."},
                gives_cookie=True,
                description="A new session comes with the cookie `chat_session`, which stands for you while you are "
                "not signed in. Signing in binds the session to you, under a new cookie value, unless you have an "
                f"active one already; it is then yours on every device. Messages: {AT_MOST}",
            ),
            read(
                "/chat/messages",
                self.messages,
                Level.OPTIONAL,
                ChatMessages,
                "Read your support chat",
                query=(AFTER,),
                refusals=(NoActiveSession,),
                description=AT_MOST,
            ),
            send(
                "/chat/message",
                self.write,
                Level.OPTIONAL,
                CreatedMessage,
                "Write to support",
                body=ChatText,
                refusals=(NoActiveSession,),
            ),
            send(
                "/chat/session/call-operator",
                self.call_operator,
                Level.OPTIONAL,
                OperatorCall,
                "Call an operator",
                limited_as=Group.OPERATOR_CALLS,
                refusals=(NoActiveSession,),
                description="Alerts the support team, once a session; calling again changes nothing.",
            ),
            read(
                "/chat/stream",
                self.stream,
                Level.OPTIONAL,
                None,
                "Follow your support chat live (server-sent events)",
                refusals=(NoActiveSession,),
                event_stream=STREAM_EXAMPLE,
                description="Begins with `{status}`. Then each event is a chat message, whose id is the event's id, or "
                "`{status}` when that has changed. Past messages come only after a drop: `Last-Event-ID` brings what "
                "was missed. Ends after the status `closed`.",
            ),
        ]

    async def begin(self, call: Call) -> Answer:
        """Answer the visitor's session, begun where there is none."""
        visitor = self._cookies.visitor(call)

        def run(tx: sa.Connection) -> tuple[service.Entrance, News]:
            entrance = service.begin(tx, visitor, at_ms=self._room.clock())
            return entrance, service.messages(tx, entrance.session, after_id=0, limit=MESSAGES_MAX)

        entrance, news = await self._room.db.write(run, shown=False)
        if entrance.new_token is None:
            headers: tuple[tuple[bytes, bytes], ...] = ()
        else:
            headers = (self._cookies.cookie(entrance.new_token).header(),)
            self._hub.wake()
        view = ChatSession(entrance.session.id, entrance.session.status, message_views(news.messages))
        return json_answer(view, status=201 if entrance.is_new else 200, headers=headers)

    async def messages(self, call: Call) -> ChatMessages:
        """Answer messages of the visitor's session."""
        visitor, after_id = self._cookies.visitor(call), call.query["after"] or 0

        def run(tx: sa.Connection) -> News:
            session = service.active(tx, visitor)
            return service.messages(tx, session, after_id=after_id, limit=MESSAGES_MAX)

        news = await self._room.db.read(run)
        return ChatMessages(message_views(news.messages), news.session.status)

    async def write(self, call: Call) -> CreatedMessage:
        """Write a message of the visitor."""
        visitor, text = self._cookies.visitor(call), service.check(call.body)
        row = await self._room.db.write(lambda tx: service.write(tx, visitor, text, self._room.clock), shown=False)
        self._hub.wake()
        return CreatedMessage([message_view(row)])

    async def call_operator(self, call: Call) -> OperatorCall:
        """Call an operator."""
        visitor = self._cookies.visitor(call)
        text = await self._room.db.write(
            lambda tx: service.call_operator(tx, visitor, self._alerts.record, self._room.clock), shown=False
        )
        self._alerts.wake()
        self._hub.wake()
        return OperatorCall(success=True, message=text)

    async def stream(self, call: Call) -> ChatStream:
        """Hand the request over to a stream."""
        visitor, last_event_id = self._cookies.visitor(call), _read_last_event_id(call)
        session = await self._room.db.read(lambda tx: service.active(tx, visitor))
        return ChatStream(
            self._room.db,
            self._hub,
            session_id=session.id,
            visitor=visitor,
            sign_in_id=None if call.visitor is None else call.visitor.session_id,
            last_event_id=last_event_id,
        )


def _read_last_event_id(call: Call) -> int | None:
    text = call.headers.get(b"last-event-id", b"").decode("latin-1")
    if not text:
        return None
    event_id = natural_int(text)
    if event_id is None:
        raise BadRequest("Last-Event-ID is the id of a chat message.")
    return event_id
