"""A response of server-sent events, as an ASGI application.

A client that does not take events keeps its stream from reading on. One that takes nothing for `STALL_S` is cut.
"""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeVar

import structlog

from foreknow.web.streams import ABORT, END, EVENT_STREAM_HEADERS

log = structlog.get_logger("foreknow.web")

#: Interval of the comments that keep a stream alive.
HEART_BEAT_S = 15.0
#: Longest time that a connection may take nothing.
STALL_S = 30.0
#: Pause between attempts while the database cannot be reached.
RETRY_S = 1.0
#: Longest wait for a cut connection to report its end.
_GONE_S = 1.0

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Write = Callable[[bytes], Awaitable[None]]


class Endable(Protocol):
    """A subscription that ends its stream."""

    def end(self) -> None:
        """Let the stream end."""
        ...


Source = TypeVar("Source", bound=Endable)


class EventStream(ABC, Generic[Source]):
    """Answers one request with events until it is over."""

    @abstractmethod
    def subscribed(self) -> AbstractContextManager[Source]:
        """Subscribe for as long as the stream lasts."""

    async def prepare(self, source: Source) -> None:
        """Do what comes before the response begins."""

    @abstractmethod
    async def run(self, source: Source, write: Write) -> None:
        """Write events until the stream is over."""

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Send events until the stream is over, or the client has gone."""
        begin = {"type": "http.response.start", "status": 200, "headers": list(EVENT_STREAM_HEADERS)}
        if scope["method"] == "HEAD":
            await send(begin)
            await send({"type": "http.response.body"})
            return

        async def write(chunk: bytes) -> None:
            await _send(send, {"type": "http.response.body", "body": chunk, "more_body": True})

        with self.subscribed() as source:
            scope[END] = source.end
            gone = asyncio.create_task(_until_gone(receive, source), name="event-stream-reader")
            try:
                await self.prepare(source)
                await send(begin)
                await self.run(source, write)
                await _send(send, {"type": "http.response.body"})
            except TimeoutError:
                log.info("event stream cut: the client does not read", path=scope["path"])
                scope.get(ABORT, _leave_open)()
                await asyncio.wait({gone}, timeout=_GONE_S)
            finally:
                del scope[END]
                gone.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await gone


async def _send(send: Send, message: dict[str, Any]) -> None:
    # The server's `send` waits while the connection has more unwritten than it should.
    async with asyncio.timeout(STALL_S):
        await send(message)


async def _until_gone(receive: Receive, source: Endable) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    source.end()


def _leave_open() -> None:
    """Other servers close the connection of an ended application by themselves."""
