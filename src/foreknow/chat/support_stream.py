"""One operator's stream of server-sent events: every session that changes, as the list shows it."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager

from foreknow.access.callers import UserCaller
from foreknow.chat.schemas import support_view
from foreknow.chat.support_hub import SupportHub, SupportSubscription
from foreknow.kernel.errors import Unavailable
from foreknow.web.event_streams import HEART_BEAT_S, RETRY_S, EventStream, Write
from foreknow.web.streams import HEART_BEAT, event


class SupportStream(EventStream[SupportSubscription]):
    """An ASGI application that answers one GET /admin/chat/stream."""

    def __init__(self, hub: SupportHub, caller: UserCaller, *, last_event_id: int | None) -> None:
        """Show all sessions to `caller`; with `last_event_id`, those that have changed since that event first."""
        self._hub = hub
        self._caller = caller
        self._last_event_id = last_event_id

    def subscribed(self) -> AbstractContextManager[SupportSubscription]:
        """See `EventStream.subscribed`."""
        return self._hub.subscribed(self._caller)

    async def prepare(self, source: SupportSubscription) -> None:
        """Note how the sessions are: the response's begin says that what changes from now on follows."""
        while not source.is_over:
            try:
                await self._hub.begin(source, after_ms=self._last_event_id)
            except Unavailable:
                await asyncio.sleep(RETRY_S)
            else:
                return

    async def run(self, source: SupportSubscription, write: Write) -> None:
        """Write changes until the operator has gone."""
        # The response's head alone would not reach every client.
        await write(HEART_BEAT)
        while not source.is_over:
            for item in source.take():
                view = support_view(item.session, item.user, item.last_message)
                await write(event(view, event_id=item.session.changed_at_ms))
            if not await source.wait(HEART_BEAT_S):
                await write(HEART_BEAT)
