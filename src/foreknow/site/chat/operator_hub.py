"""The streams of operators: each is sent every session that has changed, as the list shows it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel, may
from foreknow.kernel.clock import Clock
from foreknow.people.users.sessions import find_callers
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Background, Worker
from foreknow.site.chat import service, store
from foreknow.site.chat.service import SessionListItem
from foreknow.site.chat.signals import Signal
from foreknow.site.chat.store import ChatSessionRow

#: How often the hub looks for changes without a wake-up, and for ended sign-ins and roles taken away.
POLL_S = 0.5
#: Shortest time between two looks.
PACE_S = 0.05
#: Changes become visible in another order than that of their times: an earlier one may come up to 5 s after a later.
LATE_MS = 5_000
#: Number of changed sessions read at a time, and sent at a time.
LOOKED_AT_MAX = 2_000
SENT_AT_ONCE = 100
#: Number of sessions changed during a drop of the connection, above which none of them is sent.
MISSED_MAX = 500
#: Number of changed sessions that may wait for a stream; then it ends, and its client begins again.
WAITING_MAX = 1_000


class OperatorSubscription(Signal):
    """An operator's stream."""

    def __init__(self, caller: UserCaller) -> None:
        """Show the changes of all sessions to `caller` for as long as the sign-in lasts."""
        super().__init__()
        self.caller = caller
        #: Changes from this time on are looked at; None before `OperatorHub.begin`.
        self.since_ms: int | None = None
        #: Those of them that the stream has seen.
        self.seen: dict[int, ChatSessionRow] = {}
        self._waiting: dict[int, SessionListItem] = {}

    def offer(self, items: Sequence[SessionListItem]) -> None:
        """Send these sessions, each once, as it is last."""
        self._waiting.update((item.id, item) for item in items)
        if len(self._waiting) > WAITING_MAX:
            self.end()
        elif items:
            self.wake()

    def take(self) -> list[SessionListItem]:
        """Return what is to be sent."""
        taken = list(self._waiting.values())
        self._waiting.clear()
        return taken


@dataclass(frozen=True, slots=True)
class _Look:
    rows: Sequence[ChatSessionRow]
    items: dict[int, SessionListItem]
    #: The sign-ins that still last, of people who are still operators.
    sign_in_ids: set[int]


class OperatorHub(Background):
    """Sends changes of sessions to operators' streams. `start` it; `wake` it after a commit."""

    def __init__(self, db: Database, clock: Clock) -> None:
        """Look into `db`; `clock` (Unix milliseconds) ends sign-ins."""
        super().__init__(Worker("support-hub", self._look, poll_s=POLL_S, pace_s=PACE_S))
        self._db = db
        self._clock = clock
        self._subscriptions: set[OperatorSubscription] = set()

    async def stop(self) -> None:
        """End all streams and look no more."""
        for subscription in self._subscriptions:
            subscription.end()
        await super().stop()

    def wake(self) -> None:
        """A change of some session was committed; never blocks."""
        if self._subscriptions:
            super().wake()

    @contextlib.contextmanager
    def subscribed(self, caller: UserCaller) -> Iterator[OperatorSubscription]:
        """Watch all sessions while the block runs, from `begin` on."""
        subscription = OperatorSubscription(caller)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    async def begin(self, subscription: OperatorSubscription, *, after_ms: int | None) -> None:
        """Show what changes from now on, and what has changed after a time, unless that is too much; `Unavailable`."""

        def read(tx: ReadTx) -> tuple[int, list[ChatSessionRow]]:
            if after_ms is not None:
                since_ms = max(0, after_ms - LATE_MS)
                if len(store.changed_sessions(tx, since_ms=since_ms, limit=MISSED_MAX + 1)) <= MISSED_MAX:
                    return since_ms, []
            since_ms = max(0, store.newest_change_ms(tx) - LATE_MS)
            return since_ms, store.changed_sessions(tx, since_ms=since_ms, limit=LOOKED_AT_MAX)

        subscription.since_ms, rows = await self._db.read(read)
        subscription.seen = {row.id: row for row in rows}
        self.wake()

    async def _look(self) -> bool:
        subscriptions = [one for one in self._subscriptions if one.since_ms is not None and not one.is_over]
        if not subscriptions:
            return False
        look = await self._db.read(lambda tx: self._read(tx, subscriptions))
        is_more = False
        for subscription in subscriptions:
            if subscription.caller.session_id not in look.sign_in_ids or len(look.rows) == LOOKED_AT_MAX:
                subscription.end()
            else:
                is_more |= _offer(subscription, look)
        return is_more

    def _read(self, tx: ReadTx, subscriptions: Sequence[OperatorSubscription]) -> _Look:
        since_ms = min(one.since_ms or 0 for one in subscriptions)
        rows = store.changed_sessions(tx, since_ms=since_ms, limit=LOOKED_AT_MAX)
        new = [row for row in rows if any(one.seen.get(row.id) != row for one in subscriptions)]
        items = {item.id: item for item in service.list_items(tx, new[:SENT_AT_ONCE])}
        callers = find_callers(tx, [one.caller.session_id for one in subscriptions], now_ms=self._clock())
        lasting = {sign_in_id for sign_in_id, caller in callers.items() if may(caller, AuthLevel.OPERATOR)}
        return _Look(rows, items, lasting)


def _offer(subscription: OperatorSubscription, look: _Look) -> bool:
    """Send a stream what it has not seen; return whether some is left."""
    assert subscription.since_ms is not None
    new = [row for row in look.rows if subscription.seen.get(row.id) != row]
    subscription.offer([look.items[row.id] for row in new if row.id in look.items])
    is_more = any(row.id not in look.items for row in new)
    if look.rows and not is_more and look.rows[-1].changed_at_ms is not None:
        subscription.since_ms = max(subscription.since_ms, look.rows[-1].changed_at_ms - LATE_MS)
    left = {row.id for row in new if row.id not in look.items}
    subscription.seen = {row.id: row for row in look.rows if row.id not in left}
    return is_more
