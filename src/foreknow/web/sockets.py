"""WebSockets without ASGI's `send`, for sending the same bytes to thousands of them.

ASGI's `send` encodes and awaits each message for each socket, which takes several times as long as the kernel takes to
send it. `direct` returns the socket of an ASGI scope.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from foreknow.kernel.errors import BadRequest, DomainError, InternalError, RateLimited
from foreknow.web.client_ip import UNKNOWN
from foreknow.web.connection_limits import Closed, ConnectionLimiter, ConnectionSlot, Rejection
from foreknow.web.endpoint import SOCKETS
from foreknow.web.responses import error_response

_DIRECT = "foreknow.direct"

#: Limits what a peer sends in a minute, such as pings and pongs: frames plus packets, and bytes.
TALK_WINDOW_S = 60.0
TALK_PIECES_MAX = 1200
TALK_BYTES_MAX = 1024 * 1024
#: Bytes parsed between checks of the limits: some 170 of the shortest frames.
PIECE_BYTES = 1024
#: Time for the peer to read the close code; then the connection is aborted.
CLOSE_TIMEOUT_S = 5.0
#: WebSocket close code (RFC 6455, section 7.4.1).
POLICY_VIOLATION = 1008


class Handshake(ServerProtocol):
    """A WebSocket handshake rejected with the API's error body; the library's is plain text."""

    #: Counts an invalid handshake; returns the seconds to wait if the peer sent too many, for a 429.
    count_fault: Callable[[], int] | None = None

    def reject(self, status: int, text: str) -> Response:
        """Return the response to an invalid handshake, or to one whose application failed."""
        error: DomainError
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            error = InternalError()
        elif self.count_fault is not None and (wait_s := self.count_fault()):
            error, status = RateLimited(retry_after_s=wait_s), RateLimited.status
        else:
            error = BadRequest(text.partition("\n")[0])
        response = super().reject(status, text)
        rejection = error_response(error)
        for name, value in (*rejection.headers, (b"content-length", b"%d" % len(rejection.body))):
            response.headers.pop(name.decode(), None)
            response.headers[name.decode()] = value.decode()
        response.body = rejection.body
        return response


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol, whose application may also write to its transport.

    It may write whole frames from the acceptance until the transport is closing or `on_close_sent` is called. uvicorn
    handles handshake, pings and closing. Such frames do not interfere with its state: there are no extensions, and it
    never leaves a message half written.
    """

    #: Called when the transport's write buffer passes its limit, and when it has space again.
    on_pause_writing: Callable[[], None] | None = None
    on_resume_writing: Callable[[], None] | None = None
    #: Called when a closing frame has been written: nothing may follow it.
    on_close_sent: Callable[[], None] | None = None

    def __init__(self, *args: Any, slot: ConnectionSlot | None = None, **kwargs: Any) -> None:
        """Take uvicorn's arguments, and the `slot` of the upgraded connection."""
        super().__init__(*args, **kwargs)
        self._connection_limits: ConnectionLimiter = kwargs["server_state"].connection_limits
        self._slot = slot
        self._forwarded: tuple[tuple[bytes, bytes], ...] = ()
        self.conn = handshake = Handshake(max_size=self.conn.max_message_size, logger=self.conn.logger)
        handshake.count_fault = self._count_fault
        #: Whether the write buffer is over its limit; then nothing is read either.
        self._is_full = False
        #: Whether received bytes are dropped.
        self._is_ignoring_input = False
        #: Received in the current window.
        self._talk_pieces = self._talk_bytes = 0
        self._talk_ends_s = 0.0

    def data_received(self, data: bytes) -> None:
        """Parse what the client sent."""
        if self.handshake_initiated:
            self._parse_within_limits(data)
            return
        super().data_received(data)
        # The library would not respond to a request it cannot parse (with a body, or hundreds of headers).
        if self.conn.handshake_exc is not None and not self.close_sent:
            self.handshake_initiated = self.handshake_complete = self.close_sent = True
            reason = self.conn.handshake_exc.__cause__ or self.conn.handshake_exc
            error = self.conn.reject(HTTPStatus.BAD_REQUEST, f"Failed to open a WebSocket connection: {reason}.")
            self.transport.write(error.serialize())
            self.transport.close()

    def handle_connect(self, event: Request) -> None:
        """Respond to a handshake."""
        self._forwarded = tuple(
            (b"x-forwarded-for", value.encode("latin-1", "replace"))
            for value in event.headers.get_all("X-Forwarded-For")
        )
        super().handle_connect(event)

    def handle_events(self) -> None:
        """Handle parsed frames."""
        self._talk_pieces += len(self.conn.events)
        super().handle_events()

    async def receive(self) -> Any:
        """Return the next message; uvicorn resumes reading once the queue is empty."""
        message = await super().receive()
        if self._is_full and not self._is_ignoring_input:
            self.transport.pause_reading()
        return message

    async def run_asgi(self) -> None:
        """Run the application, with this socket in its scope (`direct`)."""
        extensions = dict[str, Any](self.scope)["extensions"]
        extensions[_DIRECT] = self
        try:
            await super().run_asgi()
        finally:
            del extensions[_DIRECT]

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection's slot, and break reference cycles."""
        super().connection_lost(exc)
        if self._slot is not None:
            self._slot.release()
        # The parser is a generator that refers to its owner; `count_fault` is a bound method of ours.
        self.conn.parser.close()
        vars(self.conn).pop("count_fault", None)

    def pause_writing(self) -> None:
        """Handle a write buffer over its limit."""
        super().pause_writing()
        self._is_full = True
        # Stop reading too: a pong for each ping would have to be written.
        if not self._is_ignoring_input:
            self.transport.pause_reading()
        if self.on_pause_writing is not None:
            self.on_pause_writing()

    def resume_writing(self) -> None:
        """Handle a write buffer with space again."""
        super().resume_writing()
        self._is_full = False
        if not self.read_paused:
            self.transport.resume_reading()
        if self.on_resume_writing is not None:
            self.on_resume_writing()

    def _parse_within_limits(self, data: bytes) -> None:
        """Parse frames, and close the socket over the limits of `TALK_WINDOW_S`."""
        for start in range(0, len(data), PIECE_BYTES):
            if self._is_ignoring_input or self.transport.is_closing():
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
                self._close_for_talking()

    def _close_for_talking(self) -> None:
        self._connection_limits.closed[Closed.TALKS_TOO_MUCH] += 1
        self.end(POLICY_VIOLATION, "too many messages")

    def end(self, code: int, reason: str) -> None:
        """Close with `code`, and abort after `CLOSE_TIMEOUT_S`: the peer may neither stop sending nor read."""
        self._is_ignoring_input = True
        self.stop_keepalive()
        if self.transport.is_closing():
            return
        if not self.handshake_complete:
            self.transport.abort()
            return
        if not self.close_sent:
            self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": ""})
            self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        if self.on_close_sent is not None:
            self.on_close_sent()
        self.transport.write_eof()
        # Read and drop what it still sends: unread data would make the system discard our closing frame.
        self.read_paused = False
        self.transport.resume_reading()
        if self.close_timer is not None:
            self.close_timer.cancel()
        self.close_timer = self.loop.call_later(CLOSE_TIMEOUT_S, self.transport.abort)

    def _count_fault(self) -> int:
        peer = self.client[0] if self.client else UNKNOWN
        wait_s = self._connection_limits.count_fault(peer, self._forwarded, group=SOCKETS)
        self._connection_limits.refused[Rejection.SOCKET_RATE if wait_s else Rejection.HANDSHAKE] += 1
        return wait_s


def direct(scope: Any) -> SocketProtocol:
    """Return the socket of an ASGI scope."""
    protocol: SocketProtocol = scope["extensions"][_DIRECT]
    return protocol
