"""One operator's stream of server-sent events: every session that changes, as the list shows it."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import Unavailable
from foreknow.site.chat.operator_hub import OperatorHub, OperatorSubscription
from foreknow.site.chat.schemas import support_view
from foreknow.web.event_streams import HEART_BEAT, HEART_BEAT_S, RETRY_S, EventStream, Write, server_sent_event


class OperatorStream(EventStream[OperatorSubscription]):
    """An ASGI application that answers one GET /admin/chat/stream."""

    def __init__(self, hub: OperatorHub, caller: UserCaller, *, last_event_id: int | None) -> None:
        """Show all sessions to `caller`; with `last_event_id`, those that have changed since that event first."""
        self._hub = hub
        self._caller = caller
        self._last_event_id = last_event_id

    def subscribed(self) -> AbstractContextManager[OperatorSubscription]:
        """See `EventStream.subscribed`."""
        return self._hub.subscribed(self._caller)

    async def prepare(self, subscription: OperatorSubscription) -> None:
        """Read the state before the response begins, so that the client may take every later change as sent."""
        while not subscription.is_over:
            try:
                await self._hub.begin(subscription, after_ms=self._last_event_id)
            except Unavailable:
                await asyncio.sleep(RETRY_S)
            else:
                return

    async def run(self, subscription: OperatorSubscription, write: Write) -> None:
        """Write changes until the operator has gone."""
        # The response's head alone would not reach every client.
        await write(HEART_BEAT)
        while not subscription.is_over:
            for item in subscription.take():
                view = support_view(item.session, item.user, item.last_message)
                await write(server_sent_event(view, event_id=item.session.changed_at_ms))
            if not await subscription.wait(HEART_BEAT_S):
                await write(HEART_BEAT)
