"""The hub: one poll a process wakes all its streams whose session has changed.

Processes wake each other through PostgreSQL after each commit; a wake-up that gets lost costs half a second.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator

from foreknow.kernel.clock import Clock
from foreknow.people.users.sessions import live_sessions
from foreknow.platform.db.engine import Database
from foreknow.platform.db.notify import open_notifications
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Worker
from foreknow.site.chat import store
from foreknow.site.chat.operator_hub import OperatorHub
from foreknow.site.chat.signals import Signal
from foreknow.site.chat.store import Version

#: Channel: a change of a chat session was committed.
CHANGED = "foreknow_chat_changed"
#: How often the hub looks for changes without a wake-up, and for ended sign-ins.
POLL_S = 0.5
#: Shortest time between two looks.
PACE_S = 0.02


class Subscription(Signal):
    """A stream's subscription to a session."""

    def __init__(self, session_id: int, sign_in_id: int | None) -> None:
        """Watch a chat session for the sign-in `sign_in_id` (None: for the holder of a chat cookie)."""
        super().__init__()
        self.session_id = session_id
        self.sign_in_id = sign_in_id
        #: How the session stood when the hub last looked.
        self.version: Version | None = None


class ChatHub:
    """Wakes streams. `start` it; `wake` it after a commit."""

    def __init__(self, db: Database, clock: Clock) -> None:
        """Look into `db`; `clock` (Unix milliseconds) ends sign-ins."""
        self._db = db
        self._clock = clock
        self._subscriptions: set[Subscription] = set()
        self._worker = Worker("chat-hub", self._look, poll_s=POLL_S, pace_s=PACE_S)
        #: The streams of operators.
        self.operators = OperatorHub(db, clock)
        self._notifications = open_notifications(db, {CHANGED: self._wake_here})

    def start(self) -> None:
        """Begin to look."""
        self._notifications.start()
        self._worker.start()
        self.operators.start()

    async def stop(self) -> None:
        """End all streams and look no more."""
        for subscription in self._subscriptions:
            subscription.end()
        await self._worker.stop()
        await self.operators.stop()
        await self._notifications.stop()

    def wake(self) -> None:
        """A change of some session was committed here; never blocks."""
        self._wake_here()
        self._notifications.notify(CHANGED)

    def _wake_here(self) -> None:
        self._worker.wake()
        self.operators.wake()

    @contextlib.contextmanager
    def subscribed(self, session_id: int, *, sign_in_id: int | None) -> Iterator[Subscription]:
        """Watch a session while the block runs; changes committed after its start wake the subscription."""
        subscription = Subscription(session_id, sign_in_id)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    async def _look(self) -> None:
        subscriptions = list(self._subscriptions)
        if not subscriptions:
            return
        session_ids = {subscription.session_id for subscription in subscriptions}
        sign_in_ids = {subscription.sign_in_id for subscription in subscriptions if subscription.sign_in_id is not None}
        versions, live = await self._db.read(lambda tx: self._state(tx, session_ids, sign_in_ids))
        for subscription in subscriptions:
            if subscription.sign_in_id is not None and subscription.sign_in_id not in live:
                subscription.end()
            # Each subscription has its own version: the first look after its start wakes it in any case, and so for any
            # change between the stream's first read and this look.
            elif (version := versions.get(subscription.session_id)) != subscription.version:
                subscription.version = version
                subscription.wake()

    def _state(
        self, tx: ReadTx, session_ids: Collection[int], sign_in_ids: Collection[int]
    ) -> tuple[dict[int, Version], set[int]]:
        live = live_sessions(tx, sign_in_ids, now_ms=self._clock()) if sign_in_ids else set()
        return store.versions(tx, session_ids), live
