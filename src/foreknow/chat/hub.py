"""The hub: one poll a process tells all its streams whose session has news.

Processes wake each other through PostgreSQL after each commit; a wake-up that gets lost costs half a second.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Iterator

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.chat import store
from foreknow.chat.store import Version
from foreknow.db.engine import Database
from foreknow.db.notify import PgNotifications
from foreknow.db.transactions import ReadTx
from foreknow.jobs.throttle import Throttle
from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import Unavailable
from foreknow.users.sessions import live_sessions

log = structlog.get_logger("foreknow.chat")

#: Somebody committed a change of a chat session.
CHANGED = "foreknow_chat_changed"
#: So often the hub looks for news that nobody told it of, and for sign-ins that were ended.
POLL_S = 0.5
#: While news keep coming, it looks at most this often.
PACE_S = 0.02


class Subscription:
    """One stream's eye on a session."""

    def __init__(self, session_id: int, sign_in_id: int | None) -> None:
        """Watch a chat session for whoever signed in with the session `sign_in_id` (None: for a cookie's holder)."""
        self.session_id = session_id
        self.sign_in_id = sign_in_id
        self.is_over = False
        #: How the session stood when the hub last looked.
        self.version: Version | None = None
        self._news = asyncio.Event()

    def tell(self) -> None:
        """There is news."""
        self._news.set()

    def end(self) -> None:
        """The stream has to end: its reader has gone, is signed out, or the server stops."""
        self.is_over = True
        self._news.set()

    async def wait(self, timeout_s: float) -> bool:
        """Return True at news that came since the last call, False after `timeout_s` without any."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        told = self._news.is_set()
        self._news.clear()
        return told


class ChatHub:
    """Tells streams of news. `start` it; tell it of commits with `wake`."""

    def __init__(self, db: Database, clock: Clock) -> None:
        """Look into `db`; `clock` (Unix milliseconds) ends sign-ins."""
        self._db = db
        self._clock = clock
        self._subscriptions: set[Subscription] = set()
        self._pace = Throttle(pace_s=PACE_S, poll_s=POLL_S)
        self._signals = None if db.is_sqlite else PgNotifications(db.url, {CHANGED: self._pace.wake})
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        if self._signals is not None:
            self._signals.start()
        self._task = asyncio.create_task(self._work(), name="chat-hub")

    async def stop(self) -> None:
        """End all streams and look no more."""
        for subscription in self._subscriptions:
            subscription.end()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._signals is not None:
            await self._signals.stop()

    def wake(self) -> None:
        """A change of some session was committed here; never blocks."""
        self._pace.wake()
        if self._signals is not None:
            self._signals.notify(CHANGED)

    @contextlib.contextmanager
    def subscribed(self, session_id: int, *, sign_in_id: int | None) -> Iterator[Subscription]:
        """Watch a session while the block runs. Whatever commits after its start is told."""
        subscription = Subscription(session_id, sign_in_id)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    async def _work(self) -> None:
        while True:
            await self._pace.wait()
            try:
                await self._look()
            except (Unavailable, SQLAlchemyError) as failure:
                log.warning("chat streams cannot be served", reason=repr(failure))
            except Exception:  # whatever one look stumbles over, the next one starts from the tables
                log.exception("looking for news of chats failed")

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
            # Each watch remembers for itself: the first look after it began tells it in any case, and so of all that
            # happened between what its stream read then and this look.
            elif (version := versions.get(subscription.session_id)) != subscription.version:
                subscription.version = version
                subscription.tell()

    def _state(
        self, tx: ReadTx, session_ids: Collection[int], sign_in_ids: Collection[int]
    ) -> tuple[dict[int, Version], set[int]]:
        live = live_sessions(tx, sign_in_ids, now_ms=self._clock()) if sign_in_ids else set()
        return store.versions(tx, session_ids), live
