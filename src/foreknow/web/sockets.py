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
from websockets.http11 import Response
from websockets.server import ServerProtocol

from foreknow.kernel.errors import BadRequest, InternalError, Refusal
from foreknow.web.answers import refusal_answer

_DIRECT = "foreknow.direct"

#: The first byte of a text message in one frame.
_TEXT = 0x81
_SHORT_MAX, _MEDIUM_MAX = 125, 2**16 - 1
_short_head, _medium_head, _long_head = Struct(">BB").pack, Struct(">BBH").pack, Struct(">BBQ").pack


class Handshake(ServerProtocol):
    """What a client opens a WebSocket with, refused in the words of the interface; the library's are plain text."""

    def reject(self, status: int, text: str) -> Response:
        """Return the answer to a handshake that is none, and say so where the application fails."""
        response = super().reject(status, text)
        refusal: Refusal = (
            InternalError() if status == HTTPStatus.INTERNAL_SERVER_ERROR else BadRequest(text.partition("\n")[0])
        )
        answer = refusal_answer(refusal)
        for name, value in (*answer.headers, (b"content-length", b"%d" % len(answer.body))):
            response.headers.pop(name.decode(), None)
            response.headers[name.decode()] = value.decode()
        response.body = answer.body
        return response


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket as uvicorn speaks it, which also lets its application write to its transport.

    Whole frames may be written from when it was accepted until the transport is closing: then a closing frame has been
    written. uvicorn keeps handshake, pings and closing. Such frames need nothing of its state: there are no extensions,
    and it never leaves a message half written.
    """

    #: What to call when more is unwritten than the transport's limit, and when there is room again.
    on_full: Callable[[], None] | None = None
    on_room: Callable[[], None] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what uvicorn gives."""
        super().__init__(*args, **kwargs)
        self.conn = Handshake(max_size=self.conn.max_message_size, logger=self.conn.logger)

    def data_received(self, data: bytes) -> None:
        """Take in what the client sent."""
        super().data_received(data)
        # What the library cannot even read (a body, hundreds of headers) it would leave without an answer.
        if not self.handshake_initiated and self.conn.handshake_exc is not None:
            self.handshake_initiated = self.handshake_complete = self.close_sent = True
            reason = self.conn.handshake_exc.__cause__ or self.conn.handshake_exc
            refusal = self.conn.reject(HTTPStatus.BAD_REQUEST, f"Failed to open a WebSocket connection: {reason}.")
            self.transport.write(refusal.serialize())
            self.transport.close()

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
        # A generator that refers to what it belongs to.
        self.conn.parser.close()

    def pause_writing(self) -> None:
        """More is unwritten than the transport's limit."""
        super().pause_writing()
        if self.on_full is not None:
            self.on_full()

    def resume_writing(self) -> None:
        """There is room again."""
        super().resume_writing()
        if self.on_room is not None:
            self.on_room()


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
