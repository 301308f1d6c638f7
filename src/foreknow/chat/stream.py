"""One visitor's stream of server-sent events.

It holds nothing but a position: messages are read from the database when there are new ones, a few at a time, and a
client that does not take them keeps its stream from reading on. One that takes nothing for `STALL_S` is cut.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from foreknow.chat import service
from foreknow.chat.hub import ChatHub, Subscription
from foreknow.chat.schemas import StatusEvent, message_view
from foreknow.chat.service import SessionUpdate, Visitor
from foreknow.db.engine import Database
from foreknow.kernel.errors import Unavailable
from foreknow.web.streams import ABORT, END, EVENT_STREAM_HEADERS, HEART_BEAT, event

log = structlog.get_logger("foreknow.chat")

#: Interval of the comments that keep a stream alive.
HEART_BEAT_S = 15.0
#: Longest time that a connection may take nothing.
STALL_S = 30.0
#: Messages read at a time: at most some 20 KB each.
BATCH = 16
#: Pause between attempts while the database cannot be reached.
RETRY_S = 1.0
#: Longest wait for a cut connection to report its end.
_GONE_S = 1.0

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class ChatStream:
    """An ASGI application that answers one GET /chat/stream."""

    def __init__(
        self,
        db: Database,
        hub: ChatHub,
        *,
        session_id: int,
        visitor: Visitor,
        sign_in_id: int | None,
        last_event_id: int | None,
    ) -> None:
        """Show the active session of `visitor`; with `last_event_id`, what came after that message first."""
        self._db = db
        self._hub = hub
        self._session_id = session_id
        self._visitor = visitor
        self._sign_in_id = sign_in_id
        self._last_event_id = last_event_id

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Send events until the session is closed or no more the visitor's, or the visitor has gone."""
        await send({"type": "http.response.start", "status": 200, "headers": list(EVENT_STREAM_HEADERS)})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body"})
            return
        with self._hub.subscribed(self._session_id, sign_in_id=self._sign_in_id) as subscription:
            scope[END] = subscription.end
            gone = asyncio.create_task(_until_gone(receive, subscription), name="chat-stream-reader")
            try:
                await self._run(send, subscription)
                await self._send(send, {"type": "http.response.body"})
            except TimeoutError:
                log.info("chat stream cut: the client does not read", session=self._session_id)
                scope.get(ABORT, _leave_open)()
                await asyncio.wait({gone}, timeout=_GONE_S)
            finally:
                del scope[END]
                gone.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await gone

    async def _run(self, send: Send, subscription: Subscription) -> None:
        update = await self._read(subscription, after_id=self._last_event_id)
        if update is None:
            return
        shown, last_id = update.session.status, update.session.last_message_id
        await self._write(send, event(StatusEvent(shown)))
        # An id from elsewhere must not hide what is to come.
        position = last_id if self._last_event_id is None else min(self._last_event_id, last_id)
        while update is not None:
            for message in update.messages:
                await self._write(send, event(message_view(message), event_id=message.id))
                position = message.id
            if position >= update.session.last_message_id:
                if update.session.status != shown:
                    shown = update.session.status
                    await self._write(send, event(StatusEvent(shown)))
                if shown == "closed":
                    return
                while not subscription.is_over and not await subscription.wait(HEART_BEAT_S):
                    await self._write(send, HEART_BEAT)
            update = await self._read(subscription, after_id=position)

    async def _read(self, subscription: Subscription, *, after_id: int | None) -> SessionUpdate | None:
        """Return how the session stands and the next messages; None where the stream is over."""
        while not subscription.is_over:
            try:
                return await self._db.read(
                    lambda tx: service.update_for(tx, self._visitor, self._session_id, after_id=after_id, limit=BATCH)
                )
            except Unavailable:
                await asyncio.sleep(RETRY_S)
        return None

    async def _write(self, send: Send, chunk: bytes) -> None:
        await self._send(send, {"type": "http.response.body", "body": chunk, "more_body": True})

    async def _send(self, send: Send, message: dict[str, Any]) -> None:
        # The server's `send` waits while the connection has more unwritten than it should.
        async with asyncio.timeout(STALL_S):
            await send(message)


async def _until_gone(receive: Receive, subscription: Subscription) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    subscription.end()


def _leave_open() -> None:
    """Other servers close the connection of an ended application by themselves."""
