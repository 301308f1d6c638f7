"""One socket of the feed, and its disconnection if it cannot keep up.

Messages are written as bytes shared by all sockets, waiting ones joined in one write. If the peer reads too slowly, the
kernel's buffer fills, then ours (`UNWRITTEN_MAX`); from then on the socket only has a position in the shared backlog. A
stalled subscriber costs its unwritten bytes, most of them shared, and no time, until it is disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from foreknow.feed.backlog import WAITING_MAX, Backlog

log = structlog.get_logger("foreknow.feed")

#: WebSocket close codes (RFC 6455 and its registry).
SERVICE_RESTART = 1012
TRY_AGAIN_LATER = 1013
#: Longest time for a closing handshake; then the connection is aborted.
ABORT_AFTER_S = 5.0
#: Unwritten bytes of a socket; above, its messages wait in the backlog.
UNWRITTEN_MAX = 32 * 1024
_POLL_S = 0.05

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class WritableSocket(Protocol):
    """A WebSocket whose transport takes whole frames, and that says when to stop and go on."""

    on_pause_writing: Callable[[], None] | None
    on_resume_writing: Callable[[], None] | None
    on_close_sent: Callable[[], None] | None

    @property
    def transport(self) -> asyncio.Transport:
        """Where frames are written."""
        ...


@dataclass(slots=True)
class FeedMetrics:
    """Counts since the start."""

    #: Trades sent, each counted once.
    trades: int = 0
    #: Writes to sockets.
    writes: int = 0


class Subscriber:
    """An accepted socket: `admit` it before sending to it, `serve` it until it ends."""

    __slots__ = (
        "_abort_timer",
        "_backlog",
        "_closing",
        "_is_ending",
        "_metrics",
        "_position",
        "_ready_at",
        "_send",
        "_socket",
        "_transport",
        "numbered",
    )

    def __init__(
        self, socket: WritableSocket, send: Send, backlog: Backlog, metrics: FeedMetrics, *, numbered: bool
    ) -> None:
        """Send from `backlog`, with seq and prev if `numbered`; `send` is ASGI's, to close the socket."""
        self._socket = socket
        self._transport = socket.transport
        self.numbered = numbered
        self._send = send
        self._backlog = backlog
        self._metrics = metrics
        self._is_ending = False
        #: Position of its next message in the backlog; None before `admit`.
        self._position: int | None = None
        #: The same while the socket is writable, else None.
        self._ready_at: int | None = None
        self._abort_timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self._transport.set_write_buffer_limits(high=UNWRITTEN_MAX)
        socket.on_pause_writing = self._pause
        socket.on_resume_writing = self._catch_up
        socket.on_close_sent = self._end

    @property
    def is_ending(self) -> bool:
        """Whether it is disconnected or closing."""
        return self._is_ending

    @property
    def waiting(self) -> int:
        """Number of messages waiting for it in the backlog."""
        return 0 if self._position is None else self._backlog.end - self._position

    @property
    def unwritten_bytes(self) -> int:
        """Bytes written to it that the kernel has not taken yet."""
        return self._transport.get_write_buffer_size()

    def admit(self, initial: bytes) -> None:
        """Write its first message; the messages added to the backlog from now on follow."""
        if self._is_ending or self._transport.is_closing():
            return
        self._position = self._ready_at = self._backlog.end
        self._transport.write(initial)

    def push(self) -> None:
        """Write the newest batch; disconnect it if it is stalled with too many messages waiting."""
        backlog = self._backlog
        if self._ready_at != backlog.batch_start:
            self._push_lagging()
        elif not self._transport.is_closing():
            self._position = self._ready_at = backlog.end
            self._metrics.writes += 1
            self._transport.write(backlog.batch[self.numbered])

    def close(self, code: int) -> None:
        """Close it with `code`, or abort it if that cannot be sent in time."""
        if self._is_ending:
            return
        if code == TRY_AGAIN_LATER:
            log.info("feed subscriber disconnected: too slow", waiting=self.waiting)
        self._end()
        self._closing = asyncio.create_task(self._send_close(code))

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def look(self) -> None:
        """Start the abort timer of a closing transport, which unread bytes would keep open for ever."""
        if self._transport.is_closing():
            self._end()

    async def serve(self, receive: Receive) -> None:
        """Ignore what the client sends until it disconnects or is closed, and all is written."""
        try:
            while (await receive())["type"] != "websocket.disconnect":
                pass
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

    def _pause(self) -> None:
        self._ready_at = None

    def _catch_up(self) -> None:
        """Write waiting messages while the socket is writable."""
        backlog = self._backlog
        self._ready_at = None if self._is_ending else self._position
        while self._ready_at is not None and self._ready_at < backlog.end and not self._transport.is_closing():
            pieces = backlog.pieces(self._ready_at, numbered=self.numbered)
            self._position = self._ready_at = self._ready_at + len(pieces)
            self._metrics.writes += 1
            # May call `_pause`.
            self._transport.writelines(pieces)

    def _push_lagging(self) -> None:
        """Handle a batch for a socket that does not expect exactly this one."""
        if self._is_ending or self._position is None:
            return
        if self._ready_at is not None:
            self._catch_up()
        elif self.waiting >= WAITING_MAX:
            self.close(TRY_AGAIN_LATER)

    def _end(self) -> None:
        self._is_ending = True
        self._ready_at = None
        if self._abort_timer is None:
            self._abort_timer = asyncio.get_running_loop().call_later(ABORT_AFTER_S, self._transport.abort)

    async def _send_close(self, code: int) -> None:
        # OSError: the client has disconnected (ASGI). RuntimeError: uvicorn has closed the socket for a missing pong.
        with contextlib.suppress(OSError, RuntimeError):
            await self._send({"type": "websocket.close", "code": code})
