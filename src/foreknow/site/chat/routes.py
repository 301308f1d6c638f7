"""Endpoints of support-chat visitors."""

from __future__ import annotations

from foreknow.kernel.access.cookies import Cookie
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.units import INT64_MAX
from foreknow.kernel.validation.fields import natural_int
from foreknow.people.alerts import AlertSender
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.chat import service, tokens
from foreknow.site.chat.cookies import ChatCookies
from foreknow.site.chat.errors import NoActiveSession
from foreknow.site.chat.hub import ChatHub
from foreknow.site.chat.schemas import (
    ChatMessages,
    ChatSession,
    ChatText,
    CreatedMessage,
    OperatorCall,
    message_view,
    message_views,
)
from foreknow.site.chat.service import SessionUpdate
from foreknow.site.chat.stream import ChatStream
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import (
    AnyRequest,
    AuthCookie,
    BodyRequest,
    PlainRequest,
    QueryRequest,
    RateLimitGroup,
    get,
    post,
)
from foreknow.web.params import optional, parameters, whole_number
from foreknow.web.responses import Response, json_response

COOKIE = AuthCookie(tokens.COOKIE, "chatCookie", "A support chat's cookie.")
CHAT = RateLimitGroup("chat")
#: Each call of an operator may alert people.
OPERATOR_CALLS = RateLimitGroup("call-operator")

#: Limit of messages in one response; the next request names the last id as `after`.
MESSAGES_MAX = 1_000
AFTER = whole_number("after", "Only messages with a higher id.", least=0, most=INT64_MAX)
AT_MOST = f"Oldest first, at most {MESSAGES_MAX} at a time: ask again with the last id as `after` for what follows."
STREAM_EXAMPLE = """\
data: {"status":"waiting"}

id: 12
data: {"id":12,"sender":"operator","text":"How can I help?","created_at":1772388000000}

data: {"status":"answered"}
"""


@parameters
class MessagesQuery:
    after: int | None = optional(AFTER)


class ChatRoutes:
    """Beginning a session, writing and reading messages, calling an operator."""

    def __init__(self, context: RouteContext, hub: ChatHub, alerts: AlertSender, cookies: ChatCookies) -> None:
        """Answer from `context`; `hub` is woken by new messages and states, `alerts` notifies the support team."""
        self._context = context
        self._hub = hub
        self._alerts = alerts
        self._cookies = cookies

    @post(
        "/chat/session",
        AuthLevel.OPTIONAL,
        response=ChatSession,
        status=201,
        other_statuses={200: "You have an active session: here it is."},
        auth_cookie=COOKIE,
        rate_limit_group=CHAT,
        gives_cookie=True,
        unverified=True,
        description="A new session comes with the cookie `chat_session`, which stands for you while you are "
        "not signed in. Signing in binds the session to you, under a new cookie value, unless you have an "
        f"active one already; it is then yours on every device. Messages: {AT_MOST}",
    )
    async def open_chat_session(self, request: PlainRequest) -> Response:
        """Begin a support chat, or go on with the one you have."""
        visitor = self._cookies.visitor(request.visitor, request.cookies)

        def run(tx: WriteTx) -> tuple[service.StartedSession, SessionUpdate]:
            entrance = service.begin(tx, visitor, at_ms=now_ms(tx))
            return entrance, service.messages(tx, entrance.session, after_id=0, limit=MESSAGES_MAX)

        entrance, news = await self._context.db.write_private(run)
        if entrance.new_token is None:
            cookies: tuple[Cookie, ...] = ()
        else:
            cookies = (self._cookies.cookie(entrance.new_token),)
            self._hub.wake()
        view = ChatSession(entrance.session.id, entrance.session.status, message_views(news.messages))
        return json_response(view, status=201 if entrance.is_new else 200, cookies=cookies)

    @get(
        "/chat/messages",
        AuthLevel.OPTIONAL,
        auth_cookie=COOKIE,
        rate_limit_group=CHAT,
        errors=(NoActiveSession,),
        description=AT_MOST,
    )
    async def list_chat_messages(self, request: QueryRequest[MessagesQuery]) -> ChatMessages:
        """Read your support chat."""
        visitor, after_id = self._cookies.visitor(request.visitor, request.cookies), request.query.after or 0

        def run(tx: ReadTx) -> SessionUpdate:
            session = service.active(tx, visitor)
            return service.messages(tx, session, after_id=after_id, limit=MESSAGES_MAX)

        news = await self._context.db.read(run)
        return ChatMessages(message_views(news.messages), news.session.status)

    @post(
        "/chat/message",
        AuthLevel.OPTIONAL,
        auth_cookie=COOKIE,
        rate_limit_group=CHAT,
        errors=(NoActiveSession,),
        unverified=True,
    )
    async def send_chat_message(self, request: BodyRequest[ChatText]) -> CreatedMessage:
        """Write to support."""
        visitor, text = self._cookies.visitor(request.visitor, request.cookies), service.check(request.body)
        row = await self._context.db.write_private(lambda tx: service.write(tx, visitor, text))
        self._hub.wake()
        return CreatedMessage([message_view(row)])

    @post(
        "/chat/session/call-operator",
        AuthLevel.OPTIONAL,
        auth_cookie=COOKIE,
        rate_limit_group=OPERATOR_CALLS,
        unverified=True,
        errors=(NoActiveSession,),
    )
    async def call_operator(self, request: PlainRequest) -> OperatorCall:
        """Call an operator.

        Alerts the support team, once a session; calling again changes nothing.
        """
        visitor = self._cookies.visitor(request.visitor, request.cookies)
        text = await self._context.db.write_private(lambda tx: service.call_operator(tx, visitor, self._alerts))
        self._alerts.wake()
        self._hub.wake()
        return OperatorCall(success=True, message=text)

    @get(
        "/chat/stream",
        AuthLevel.OPTIONAL,
        auth_cookie=COOKIE,
        rate_limit_group=CHAT,
        errors=(BadRequest, NoActiveSession),
        event_stream=STREAM_EXAMPLE,
    )
    async def stream_chat(self, request: PlainRequest) -> ChatStream:
        """Follow your support chat live (server-sent events).

        Begins with `{status}`. Then each event is a chat message, whose id is the event's id, or `{status}` when that
        has changed. Past messages come only after a drop: `Last-Event-ID` brings what was missed. Ends after the status
        `closed`.
        """
        visitor, last_event_id = self._cookies.visitor(request.visitor, request.cookies), read_last_event_id(request)
        session = await self._context.db.read(lambda tx: service.active(tx, visitor))
        return ChatStream(
            self._context.db,
            self._hub,
            session_id=session.id,
            visitor=visitor,
            sign_in_id=None if request.visitor is None else request.visitor.session_id,
            last_event_id=last_event_id,
        )


def read_last_event_id(request: AnyRequest) -> int | None:
    """Return the id of the last event before a drop of a stream; None without any, `BadRequest` for no number."""
    text = request.headers.get(b"last-event-id", b"").decode("latin-1")
    if not text:
        return None
    event_id = natural_int(text)
    if event_id is None:
        raise BadRequest("Last-Event-ID is the id of an event of this stream.")
    return event_id
