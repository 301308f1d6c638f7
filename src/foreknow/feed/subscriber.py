"""One socket: what it is sent, and what happens where it cannot keep up.

Messages are written to it as bytes that all sockets share, several in one go where several wait. While its peer takes
them there is nothing more to it. Otherwise the kernel's buffer fills up, then a little of ours (`UNWRITTEN_MAX`), and
from there on messages wait as a position in the backlog of all readers: a stalled reader costs what is unwritten, most
of it shared, and no time at all, until it is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import structlog

from foreknow.feed.backlog import WAITING_MAX, Backlog
from foreknow.web.sockets import SocketProtocol

log = structlog.get_logger("foreknow.feed")

#: WebSocket close codes (RFC 6455 and its registry).
SERVICE_RESTART = 1012
TRY_AGAIN_LATER = 1013
#: A socket to be closed that takes nothing for so long is cut.
CUT_AFTER_S = 5.0
#: So many bytes a socket may have unwritten before its messages wait in the backlog.
UNWRITTEN_MAX = 32 * 1024
_LOOK_S = 0.05

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


@dataclass(slots=True)
class FeedMetrics:
    """What went on since the start."""

    #: Trades, each counted once however many sockets it went to.
    trades: int = 0
    #: Writes to sockets.
    writes: int = 0


class Subscriber:
    """A socket that was accepted: `admit` it before it is sent anything, `serve` it until it ends."""

    __slots__ = (
        "_backlog",
        "_closing",
        "_cut",
        "_figures",
        "_is_ending",
        "_position",
        "_ready_at",
        "_send",
        "_socket",
        "_transport",
        "numbered",
    )

    def __init__(
        self, socket: SocketProtocol, send: Send, backlog: Backlog, metrics: FeedMetrics, *, numbered: bool
    ) -> None:
        """Send from `backlog`, with seq and prev where `numbered`; `send` is ASGI's, to close the socket."""
        self._socket = socket
        self._transport = socket.transport
        #: Whether it asked for seq and prev.
        self.numbered = numbered
        self._send = send
        self._backlog = backlog
        self._figures = metrics
        self._is_ending = False
        #: Where it goes on in the backlog; None before it was admitted.
        self._position: int | None = None
        #: The same while it can take what comes, None while it cannot.
        self._ready_at: int | None = None
        self._cut: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self._transport.set_write_buffer_limits(high=UNWRITTEN_MAX)
        socket.on_full = self._pause
        socket.on_room = self._catch_up
        socket.on_over = self._end

    @property
    def is_ending(self) -> bool:
        """Whether it is sent nothing any more: its peer has gone, or it is being closed."""
        return self._is_ending

    @property
    def waiting(self) -> int:
        """How many messages wait for it in the backlog."""
        return 0 if self._position is None else self._backlog.end - self._position

    @property
    def unwritten_bytes(self) -> int:
        """How much was written to it that the kernel has not taken yet."""
        return self._transport.get_write_buffer_size()

    def admit(self, initial: bytes) -> None:
        """Write its first message; everything that comes after what the backlog holds now is to follow."""
        if self._is_ending or self._transport.is_closing():
            return
        self._position = self._ready_at = self._backlog.end
        self._transport.write(initial)

    def push(self) -> None:
        """Write the batch that is new to it; close it where it takes nothing and too much waits already."""
        backlog = self._backlog
        if self._ready_at != backlog.batch_start:
            self._lag()
        elif not self._transport.is_closing():
            self._position = self._ready_at = backlog.end
            self._figures.writes += 1
            self._transport.write(backlog.batch[self.numbered])

    def close(self, code: int) -> None:
        """Close it with `code`, or cut it where that cannot be sent in time."""
        if self._is_ending:
            return
        if code == TRY_AGAIN_LATER:
            log.info("a reader of the feed is closed", waiting=self.waiting)
        self._end()
        self._closing = asyncio.create_task(self._say_goodbye(code))

    def abort(self) -> None:
        """Cut it at once."""
        self._transport.abort()

    def look(self) -> None:
        """Cut it before long if it is closing: what its peer does not take keeps a closing socket open for good."""
        if self._transport.is_closing():
            self._end()

    async def serve(self, receive: Receive) -> None:
        """Take what the client sends, which means nothing here, until it is gone or was closed, and has everything."""
        try:
            while (await receive())["type"] != "websocket.disconnect":
                pass
            self._end()
            # Transports tell of nothing but their limits.
            while self.unwritten_bytes:  # noqa: ASYNC110
                await asyncio.sleep(_LOOK_S)
        finally:
            self._socket.on_full = self._socket.on_room = self._socket.on_over = None
            if self._closing is not None:
                self._closing.cancel()
            if self._cut is not None:
                self._cut.cancel()

    def _pause(self) -> None:
        self._ready_at = None

    def _catch_up(self) -> None:
        """Write what waits, as long as there is room."""
        backlog = self._backlog
        self._ready_at = None if self._is_ending else self._position
        while self._ready_at is not None and self._ready_at < backlog.end and not self._transport.is_closing():
            pieces = backlog.pieces(self._ready_at, numbered=self.numbered)
            self._position = self._ready_at = self._ready_at + len(pieces)
            self._figures.writes += 1
            # In here there may be room no more.
            self._transport.writelines(pieces)

    def _lag(self) -> None:
        """See to one that does not stand where most do."""
        if self._is_ending or self._position is None:
            return
        if self._ready_at is not None:
            self._catch_up()
        elif self.waiting >= WAITING_MAX:
            self.close(TRY_AGAIN_LATER)

    def _end(self) -> None:
        self._is_ending = True
        self._ready_at = None
        if self._cut is None:
            self._cut = asyncio.get_running_loop().call_later(CUT_AFTER_S, self._transport.abort)

    async def _say_goodbye(self, code: int) -> None:
        # An OSError is how ASGI says that the client is gone; a RuntimeError, that uvicorn closed the socket itself
        # meanwhile, since no pong came.
        with contextlib.suppress(OSError, RuntimeError):
            await self._send({"type": "websocket.close", "code": code})
