"""One visitor's stream of server-sent events.

It holds nothing but a position: messages are read from the database when there are new ones, a few at a time.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database
from foreknow.site.chat import service
from foreknow.site.chat.hub import ChatHub, Subscription
from foreknow.site.chat.schemas import StatusEvent, message_view
from foreknow.site.chat.service import SessionUpdate, Visitor
from foreknow.web.event_streams import HEART_BEAT, HEART_BEAT_S, RETRY_S, EventStream, Write, server_sent_event

#: Messages read at a time: at most some 20 KB each.
BATCH = 16


class ChatStream(EventStream[Subscription]):
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

    def subscribed(self) -> AbstractContextManager[Subscription]:
        """See `EventStream.subscribed`."""
        return self._hub.subscribed(self._session_id, sign_in_id=self._sign_in_id)

    async def run(self, subscription: Subscription, write: Write) -> None:
        """Write events until the session is closed or no more the visitor's."""
        update = await self._read(subscription, after_id=self._last_event_id)
        if update is None:
            return
        shown, last_id = update.session.status, update.session.last_message_id
        await write(server_sent_event(StatusEvent(shown)))
        # An id from elsewhere must not hide what is to come.
        position = last_id if self._last_event_id is None else min(self._last_event_id, last_id)
        while update is not None:
            for message in update.messages:
                await write(server_sent_event(message_view(message), event_id=message.id))
                position = message.id
            if position >= update.session.last_message_id:
                if update.session.status != shown:
                    shown = update.session.status
                    await write(server_sent_event(StatusEvent(shown)))
                if shown == "closed":
                    return
                while not subscription.is_over and not await subscription.wait(HEART_BEAT_S):
                    await write(HEART_BEAT)
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
