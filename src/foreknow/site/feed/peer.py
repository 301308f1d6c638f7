"""One accepted socket, its end, and writing to thousands of them without keeping requests waiting.

A socket is closed with a code, and aborted where that cannot be sent in time.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection
from typing import Any, Protocol, TypeVar

import structlog
from starlette.types import Receive, Send

from foreknow.kernel.chunks import chunks

#: WebSocket close codes (RFC 6455 and its registry).
POLICY_VIOLATION = 1008
SERVICE_RESTART = 1012
TRY_AGAIN_LATER = 1013
#: Longest time for a closing handshake; then the connection is aborted.
ABORT_AFTER_S = 5.0
#: Unwritten bytes of a socket; above, its messages wait.
UNWRITTEN_MAX = 32 * 1024
_POLL_S = 0.05
log = structlog.get_logger("foreknow.feed")

#: Time for which sockets are written to before requests have their turn.
TURN_S = 0.002
#: Number of sockets between two looks at the clock.
CLOCK_EVERY = 16


class WritableSocket(Protocol):
    """A WebSocket whose transport takes whole frames, and that says when to stop and go on."""

    on_pause_writing: Callable[[], None] | None
    on_resume_writing: Callable[[], None] | None
    on_close_sent: Callable[[], None] | None

    @property
    def transport(self) -> asyncio.Transport:
        """Where frames are written."""
        ...


class Peer:
    """An accepted socket; `serve` it until it ends."""

    __slots__ = ("_abort_timer", "_closing", "_is_ending", "_send", "_socket", "_transport")

    def __init__(self, socket: WritableSocket, send: Send) -> None:
        """`send` is ASGI's, to close the socket."""
        self._socket = socket
        self._transport = socket.transport
        self._send = send
        self._is_ending = False
        self._abort_timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self._transport.set_write_buffer_limits(high=UNWRITTEN_MAX)
        socket.on_close_sent = self._end

    @property
    def unwritten_bytes(self) -> int:
        """Bytes written to it that the kernel has not taken yet."""
        return self._transport.get_write_buffer_size()

    def close(self, code: int, reason: str = "") -> None:
        """Close it with `code`, or abort it if that cannot be sent in time."""
        if self._is_ending:
            return
        self._end()
        self._closing = asyncio.create_task(self._send_close(code, reason))

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def look(self) -> None:
        """Start the abort timer of a closing transport, which unread bytes would keep open for ever."""
        if self._transport.is_closing():
            self._end()

    def take(self, message: Any) -> None:
        """Take a message of the client; ignored here."""

    async def serve(self, receive: Receive) -> None:
        """Receive what the client sends until it disconnects or is closed, and all is written."""
        try:
            while (message := await receive())["type"] != "websocket.disconnect":
                self.take(message)
            self._end()
            # Transports have no event for an empty buffer.
            while self.unwritten_bytes:  # noqa: ASYNC110
                await asyncio.sleep(_POLL_S)
        finally:
            self._socket.on_pause_writing = self._socket.on_resume_writing = self._socket.on_close_sent = None
            if self._closing is not None:
                self._closing.cancel()
            if self._abort_timer is not None:
                self._abort_timer.cancel()

    def _end(self) -> None:
        self._is_ending = True
        if self._abort_timer is None:
            self._abort_timer = asyncio.get_running_loop().call_later(ABORT_AFTER_S, self._transport.abort)

    async def _send_close(self, code: int, reason: str) -> None:
        # OSError: the client has disconnected (ASGI). RuntimeError: uvicorn has closed the socket for a missing pong.
        with contextlib.suppress(OSError, RuntimeError):
            await self._send({"type": "websocket.close", "code": code, "reason": reason})


AnyPeer = TypeVar("AnyPeer", bound=Peer)


async def each(peers: Collection[AnyPeer], do: Callable[[AnyPeer], None]) -> None:
    """Do something to socket after socket, some at a time, so that a request need not wait for all of them."""
    turn_ends_s = time.perf_counter() + TURN_S
    for group in chunks(peers, CLOCK_EVERY):
        for peer in group:
            try:
                do(peer)
            except Exception:  # whatever is wrong with one socket, the others get their messages
                log.exception("feed socket failed")
                peer.abort()
        if time.perf_counter() >= turn_ends_s:
            await asyncio.sleep(0)
            turn_ends_s = time.perf_counter() + TURN_S
