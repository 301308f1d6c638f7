"""WebSockets past ASGI: for whoever sends the same bytes to thousands of them.

ASGI's `send` encodes each message for each socket anew and awaits each; that takes several times as long as the
kernel takes to send it. Whoever has a scope of ours can therefore have its socket, too (`direct`).
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from struct import Struct
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from foreknow.kernel.errors import BadRequest, DomainError, InternalError, RateLimited
from foreknow.web.client_ip import UNKNOWN
from foreknow.web.connection_limits import Closed, ConnectionLimiter, ConnectionSlot, Refused
from foreknow.web.endpoint import Group
from foreknow.web.responses import error_response

_DIRECT = "foreknow.direct"

#: What a peer may send in a minute, which is pings and pongs: frames and packets together, and bytes.
TALK_WINDOW_S = 60.0
TALK_PIECES_MAX = 1200
TALK_BYTES_MAX = 1024 * 1024
#: So much is parsed before it is counted: some 170 of the shortest frames.
PIECE_BYTES = 1024
#: How long one that was closed for it may take to read why.
FAREWELL_S = 5.0
#: WebSocket close code (RFC 6455, section 7.4.1).
POLICY_VIOLATION = 1008

#: The first byte of a text message in one frame.
_TEXT = 0x81
_SHORT_MAX, _MEDIUM_MAX = 125, 2**16 - 1
_short_head, _medium_head, _long_head = Struct(">BB").pack, Struct(">BBH").pack, Struct(">BBQ").pack


class Handshake(ServerProtocol):
    """What a client opens a WebSocket with, refused in the words of the interface; the library's are plain text."""

    #: Says how many seconds whoever sent what is no handshake has to wait; then that is the answer.
    count_fault: Callable[[], int] | None = None

    def reject(self, status: int, text: str) -> Response:
        """Return the answer to a handshake that is none, and say so where the application fails."""
        error: DomainError
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            error = InternalError()
        elif self.count_fault is not None and (wait_s := self.count_fault()):
            error, status = RateLimited(retry_after_s=wait_s), RateLimited.status
        else:
            error = BadRequest(text.partition("\n")[0])
        response = super().reject(status, text)
        answer = error_response(error)
        for name, value in (*answer.headers, (b"content-length", b"%d" % len(answer.body))):
            response.headers.pop(name.decode(), None)
            response.headers[name.decode()] = value.decode()
        response.body = answer.body
        return response


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket as uvicorn speaks it, which also lets its application write to its transport.

    Whole frames may be written from when it was accepted until the transport is closing, or `on_over` is called: then a
    closing frame has been written. uvicorn keeps handshake, pings and closing. Such frames need nothing of its state:
    there are no extensions, and it never leaves a message half written.
    """

    #: What to call when more is unwritten than the transport's limit, and when there is room again.
    on_full: Callable[[], None] | None = None
    on_room: Callable[[], None] | None = None
    #: What to call when nothing may be written any more though the transport is not closing yet.
    on_over: Callable[[], None] | None = None

    def __init__(self, *args: Any, place: ConnectionSlot | None = None, **kwargs: Any) -> None:
        """Take what uvicorn gives, and the `place` of the connection that this is from now on."""
        super().__init__(*args, **kwargs)
        self._admission: ConnectionLimiter = kwargs["server_state"].connection_limits
        self._place = place
        self._forwarded: tuple[tuple[bytes, bytes], ...] = ()
        self.conn = handshake = Handshake(max_size=self.conn.max_message_size, logger=self.conn.logger)
        handshake.count_fault = self._count_fault
        #: Whether more is unwritten than the transport's limit; then nothing is read either.
        self._is_full = False
        #: Whether nothing it sends is looked at any more.
        self._is_deaf = False
        #: What it has sent in this minute.
        self._talk_pieces = self._talk_bytes = 0
        self._talk_ends_s = 0.0

    def data_received(self, data: bytes) -> None:
        """Take in what the client sent."""
        if self.handshake_initiated:
            self._listen(data)
            return
        super().data_received(data)
        # What the library cannot even read (a body, hundreds of headers) it would leave without an answer.
        if self.conn.handshake_exc is not None and not self.close_sent:
            self.handshake_initiated = self.handshake_complete = self.close_sent = True
            reason = self.conn.handshake_exc.__cause__ or self.conn.handshake_exc
            error = self.conn.reject(HTTPStatus.BAD_REQUEST, f"Failed to open a WebSocket connection: {reason}.")
            self.transport.write(error.serialize())
            self.transport.close()

    def handle_connect(self, event: Request) -> None:
        """Answer a handshake."""
        self._forwarded = tuple(
            (b"x-forwarded-for", value.encode("latin-1", "replace"))
            for value in event.headers.get_all("X-Forwarded-For")
        )
        super().handle_connect(event)

    def handle_events(self) -> None:
        """Take in whole frames."""
        self._talk_pieces += len(self.conn.events)
        super().handle_events()

    async def receive(self) -> Any:
        """Return the next message; uvicorn reads on when all were taken."""
        message = await super().receive()
        if self._is_full and not self._is_deaf:
            self.transport.pause_reading()
        return message

    async def run_asgi(self) -> None:
        """Run the application with access to this socket."""
        extensions = dict[str, Any](self.scope)["extensions"]
        extensions[_DIRECT] = self
        try:
            await super().run_asgi()
        finally:
            del extensions[_DIRECT]

    def connection_lost(self, exc: Exception | None) -> None:
        """Be done with it, and leave nothing to the garbage collector."""
        super().connection_lost(exc)
        if self._place is not None:
            self._place.leave()
        # A generator that refers to what it belongs to, and a method of ours.
        self.conn.parser.close()
        vars(self.conn).pop("count_fault", None)

    def pause_writing(self) -> None:
        """More is unwritten than the transport's limit."""
        super().pause_writing()
        self._is_full = True
        # Who reads nothing is not heard: a pong for each ping would be more to write.
        if not self._is_deaf:
            self.transport.pause_reading()
        if self.on_full is not None:
            self.on_full()

    def resume_writing(self) -> None:
        """There is room again."""
        super().resume_writing()
        self._is_full = False
        if not self.read_paused:
            self.transport.resume_reading()
        if self.on_room is not None:
            self.on_room()

    def _listen(self, data: bytes) -> None:
        """Take frames in as long as there are not too many of them."""
        for start in range(0, len(data), PIECE_BYTES):
            if self._is_deaf or self.transport.is_closing():
                return
            now_s = self.loop.time()
            if now_s >= self._talk_ends_s:
                self._talk_ends_s = now_s + TALK_WINDOW_S
                self._talk_pieces = self._talk_bytes = 0
            piece = data[start : start + PIECE_BYTES]
            self._talk_pieces += 1
            self._talk_bytes += len(piece)
            super().data_received(piece)
            if self._talk_pieces > TALK_PIECES_MAX or self._talk_bytes > TALK_BYTES_MAX:
                self._end_talk()

    def _end_talk(self) -> None:
        """Close it with 1008, and cut it before long: it may neither stop talking nor read."""
        self._is_deaf = True
        self._admission.closed[Closed.TALKS_TOO_MUCH] += 1
        self.stop_keepalive()
        if self.transport.is_closing():
            return
        if not self.handshake_complete:
            self.transport.abort()
            return
        if not self.close_sent:
            self.queue.put_nowait({"type": "websocket.disconnect", "code": POLICY_VIOLATION, "reason": ""})
            self.conn.send_close(POLICY_VIOLATION, "too many messages")
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        if self.on_over is not None:
            self.on_over()
        self.transport.write_eof()
        # What it still sends is read and dropped: left unread, it would make the system throw our last words away.
        self.read_paused = False
        self.transport.resume_reading()
        if self.close_timer is not None:
            self.close_timer.cancel()
        self.close_timer = self.loop.call_later(FAREWELL_S, self.transport.abort)

    def _count_fault(self) -> int:
        peer = self.client[0] if self.client else UNKNOWN
        wait_s = self._admission.count_fault(peer, self._forwarded, group=Group.SOCKETS)
        self._admission.refused[Refused.SOCKET_RATE if wait_s else Refused.HANDSHAKE] += 1
        return wait_s


def direct(scope: Any) -> SocketProtocol:
    """Return the socket that a scope is of."""
    protocol: SocketProtocol = scope["extensions"][_DIRECT]
    return protocol


def text_frame(payload: bytes) -> bytes:
    """Return a whole text message as a server sends it (RFC 6455, section 5.2): one frame, not masked."""
    length = len(payload)
    if length <= _SHORT_MAX:
        return _short_head(_TEXT, length) + payload
    if length <= _MEDIUM_MAX:
        return _medium_head(_TEXT, 126, length) + payload
    return _long_head(_TEXT, 127, length) + payload
