"""One socket: what it is sent, and what happens where it cannot keep up.

uvicorn's `send` writes to the transport at once and returns; only where more than the transport's high-water mark is
unwritten does it wait. So a reader that takes what it is sent is written several messages in one go when several wait
(uvloop gathers the writes of one turn of the loop), and of one that does not, the messages wait here, as a position
in the backlog that all readers share: a stalled reader costs its transport's buffer and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from foreknow.feed.backlog import WAITING_MAX, Backlog

log = structlog.get_logger("foreknow.feed")

#: WebSocket close codes (RFC 6455 and its registry).
SERVICE_RESTART = 1012
TRY_AGAIN_LATER = 1013
#: A socket to be closed that takes nothing for so long is cut.
CUT_AFTER_S = 5.0
#: So many bytes a socket may have unwritten before its messages wait here.
UNWRITTEN_MAX = 32 * 1024
_LOOK_S = 0.05

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class Reader:
    """A socket that was accepted. `run` it until it ends; `admit` it before it is sent anything."""

    def __init__(self, send: Send, backlog: Backlog, *, numbered: bool) -> None:
        """Send from `backlog`, with seq and prev where `numbered`."""
        self._send = send
        self._backlog = backlog
        self._numbered = numbered
        self._loop = asyncio.get_running_loop()
        # ASGI can close a socket, but not cut one whose peer takes nothing: for that we need uvicorn's transport.
        self._transport: Any = getattr(getattr(send, "__self__", None), "transport", None)
        if self._transport is not None:
            self._transport.set_write_buffer_limits(high=UNWRITTEN_MAX)
        self._initial: dict[str, Any] | None = None
        self._position = 0
        self._idle: asyncio.Future[None] | None = None
        self._code: int | None = None
        self._gone = False
        self._cut: asyncio.TimerHandle | None = None

    @property
    def numbered(self) -> bool:
        """Whether it asked for seq and prev."""
        return self._numbered

    @property
    def waiting(self) -> int:
        """How many messages wait for it here."""
        return 0 if self._initial is None else self._backlog.end - self._position

    def admit(self, initial: dict[str, Any]) -> None:
        """Let it have its first message, and everything that comes after what the backlog holds now."""
        self._initial = initial
        self._position = self._backlog.end
        self.wake()

    def wake(self) -> None:
        """There may be something to do for it; closes it where too much waits already."""
        if self.waiting >= WAITING_MAX:
            self.close(TRY_AGAIN_LATER)
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def close(self, code: int) -> None:
        """Close it with `code`, or cut it where that cannot be sent in time."""
        if self._code is None and not self._gone:
            self._code = code
            self._cut_soon()
            if code == TRY_AGAIN_LATER:
                log.info("a reader of the feed is closed", waiting=self.waiting)
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def look(self) -> None:
        """Cut it before long if it is closing: what its peer does not take keeps a closing transport open for good."""
        if self._transport is not None and self._transport.is_closing():
            self._cut_soon()

    async def drain(self, receive: Receive) -> None:
        """Take what the client sends, which means nothing here, until it is gone."""
        while (await receive())["type"] != "websocket.disconnect":
            pass
        self._gone = True
        self._cut_soon()
        self.wake()

    async def run(self) -> None:
        """Send what there is to send until the client is gone or was closed."""
        try:
            while self._initial is None and not self._ending:
                await self._news()
            if self._initial is not None and not self._ending:
                await self._send(self._initial)
            while not self._ending:
                if self._position == self._backlog.end:
                    await self._news()
                    continue
                message = self._backlog.at(self._position, numbered=self._numbered)
                self._position += 1
                await self._send(message)
            if self._code is not None and not self._gone:
                await self._send({"type": "websocket.close", "code": self._code})
            await self._flushed()
        except OSError:
            # How ASGI says that the client is gone.
            pass
        except RuntimeError:
            # How uvicorn says that it closed the socket itself meanwhile (no pong came).
            if self._transport is None or not self._transport.is_closing():
                raise
        finally:
            if self._cut is not None:
                self._cut.cancel()

    @property
    def _ending(self) -> bool:
        return self._gone or self._code is not None

    async def _news(self) -> None:
        self._idle = self._loop.create_future()
        try:
            await self._idle
        finally:
            self._idle = None

    async def _flushed(self) -> None:
        """Return when the kernel has everything, or the socket was cut."""
        while self._transport is not None and self._transport.get_write_buffer_size() > 0:  # noqa: ASYNC110
            # Transports tell of nothing but their marks.
            await asyncio.sleep(_LOOK_S)

    def _cut_soon(self) -> None:
        if self._cut is None and self._transport is not None:
            self._cut = self._loop.call_later(CUT_AFTER_S, self._transport.abort)
