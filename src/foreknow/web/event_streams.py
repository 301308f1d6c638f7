"""Server-sent events, and a response of them as an ASGI application.

A client that does not take events keeps its stream from reading on. One that takes nothing for `STALL_S` is cut.
"""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeVar

import msgspec
import structlog
from starlette.types import Receive, Send

from foreknow.web.responses import NOSNIFF

log = structlog.get_logger("foreknow.web")

EVENT_STREAM_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    NOSNIFF,
    # Disables nginx's buffering, which would delay events.
    (b"x-accel-buffering", b"no"),
)
#: A comment, ignored by clients: keeps proxies from closing the stream, and detects closed connections.
HEART_BEAT = b": still here\n\n"

#: Key in the ASGI scope of a function that ends the stream. The server calls it when it stops, because it waits for
#: running responses (`foreknow.service.server`).
END = "foreknow.end"
#: Under this key of a request's scope our server leaves a function that cuts the connection, which ASGI cannot do.
ABORT = "foreknow.abort"

#: Interval of the comments that keep a stream alive.
HEART_BEAT_S = 15.0
#: Longest time that a connection may take nothing.
STALL_S = 30.0
#: Pause between attempts while the database cannot be reached.
RETRY_S = 1.0
#: Longest wait for a cut connection to report its end.
_GONE_S = 1.0
_encode = msgspec.json.Encoder().encode
#: U+0085, U+2028, U+2029: line breaks to many clients, though not to the standard, and not escaped by JSON.
_OTHER_BREAKS = {character.encode(): b"\\u%04x" % ord(character) for character in "\x85\u2028\u2029"}

Write = Callable[[bytes], Awaitable[None]]


def server_sent_event(content: Any, *, event_id: int | None = None) -> bytes:
    """Encode one event with JSON data on one line. Clients send the last `event_id` when they reconnect."""
    head = b"" if event_id is None else b"id: %d\n" % event_id
    data = _encode(content)
    for raw, escaped in _OTHER_BREAKS.items():
        data = data.replace(raw, escaped)
    return head + b"data: " + data + b"\n\n"


class Endable(Protocol):
    """A subscription that ends its stream."""

    def end(self) -> None:
        """Let the stream end."""
        ...


SubscriptionT = TypeVar("SubscriptionT", bound=Endable)


class EventStream(ABC, Generic[SubscriptionT]):
    """Answers one request with events until it is over."""

    @abstractmethod
    def subscribed(self) -> AbstractContextManager[SubscriptionT]:
        """Subscribe for as long as the stream lasts."""

    async def prepare(self, subscription: SubscriptionT) -> None:
        """Do what comes before the response begins."""

    @abstractmethod
    async def run(self, subscription: SubscriptionT, write: Write) -> None:
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

        with self.subscribed() as subscription:
            scope[END] = subscription.end
            gone = asyncio.create_task(_until_gone(receive, subscription), name="event-stream-reader")
            try:
                await self.prepare(subscription)
                await send(begin)
                await self.run(subscription, write)
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


async def _until_gone(receive: Receive, subscription: Endable) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    subscription.end()


def _leave_open() -> None:
    """Other servers close the connection of an ended application by themselves."""
