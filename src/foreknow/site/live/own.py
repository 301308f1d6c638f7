"""What signed-in people have: each of their sockets that asks is notified after any change of their money or positions.

One look a second reads a few rows for each person with such a socket, whatever was committed by whichever process: so
no order does anything for it, and it costs the same whether much is traded or nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import NamedTuple

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import Clock
from foreknow.market import charts
from foreknow.money.ledger import AccountKind, balances_fetch
from foreknow.people.users.sessions import live_sessions
from foreknow.platform.db.bulk import fetch_together
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Worker
from foreknow.site.live.messages import LiveOwn, own_frames
from foreknow.site.live.store import Silent, silent_fetch
from foreknow.site.live.watcher import Watcher

#: Interval of looking at all, and least time between two looks at those who are new.
LOOK_S = 0.75
PACE_S = 0.05
#: Looks take at most one part in five of the time.
LOOK_REST = 4
#: Number of people read in one transaction.
PEOPLE_AT_ONCE = 1_000


class Holdings(NamedTuple):
    """What changes with every change of a person's money or positions."""

    balance_kopecks: int
    #: Number of sales and settlements so far, and their profit.
    closings: int
    realized_kopecks: int
    #: What fills of resting orders and splits of lists change, where no money moves.
    silent: Silent


class OwnUpdates:
    """The sockets of signed-in people. `start` it."""

    def __init__(self, db: Database, clock: Clock) -> None:
        """Read from `db`; `clock` (Unix milliseconds) ends sessions."""
        self._db = db
        self._clock = clock
        self._callers: dict[Watcher, UserCaller] = {}
        self._of_user: dict[int, set[Watcher]] = {}
        #: What each person's sockets were sent; of a person with a new socket nothing.
        self._known: dict[int, Holdings] = {}
        self._new: set[int] = set()
        self._looked_s, self._look_took_s = float("-inf"), 0.0
        self._worker = Worker("live-own", self._look, poll_s=LOOK_S, pace_s=PACE_S)

    @property
    def sockets(self) -> int:
        """How many sockets are notified of what their people have."""
        return len(self._callers)

    def start(self) -> None:
        """Begin to look."""
        self._worker.start()

    async def stop(self) -> None:
        """Look no more."""
        await self._worker.stop()

    def join(self, watcher: Watcher, caller: UserCaller) -> None:
        """Tell a socket what `caller` has, now and after each change, as long as their session lives."""
        if watcher in self._callers:
            return
        self._callers[watcher] = caller
        self._of_user.setdefault(caller.user_id, set()).add(watcher)
        self._known.pop(caller.user_id, None)
        self._new.add(caller.user_id)
        self._worker.wake()

    def leave(self, watcher: Watcher) -> None:
        """Tell a socket no more."""
        caller = self._callers.pop(watcher, None)
        if caller is None:
            return
        watchers = self._of_user[caller.user_id]
        watchers.discard(watcher)
        if not watchers:
            del self._of_user[caller.user_id]
            self._known.pop(caller.user_id, None)
            self._new.discard(caller.user_id)

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        is_due = began_s >= self._looked_s + max(LOOK_S * 0.9, LOOK_REST * self._look_took_s)
        user_ids, self._new = list(self._of_user if is_due else self._new), set()
        for some_ids in chunks(user_ids, PEOPLE_AT_ONCE):
            await self._look_at(some_ids)
        if is_due:
            self._looked_s = loop.time()
            self._look_took_s = self._looked_s - began_s

    async def _look_at(self, user_ids: Collection[int]) -> None:
        sessions = {
            self._callers[watcher].session_id for user_id in user_ids for watcher in self._of_user.get(user_id, ())
        }
        known = {user_id: self._known.get(user_id) for user_id in user_ids}
        read = partial(_changed, known=known, session_ids=sessions, clock=self._clock)
        try:
            changed, ended = await self._db.read(read)
        except Exception:
            self._new.update(user_id for user_id in user_ids if user_id in self._of_user)
            raise
        if ended:
            for watcher in [one for one, caller in self._callers.items() if caller.session_id in ended]:
                self.leave(watcher)
        for user_id, holdings in changed.items():
            # A socket that has come meanwhile is served by the next look.
            if self._known.get(user_id) != known[user_id] or user_id not in self._of_user:
                continue
            self._known[user_id] = holdings
            message = own_frames(LiveOwn(holdings.balance_kopecks, holdings.realized_kopecks))
            for watcher in self._of_user[user_id]:
                watcher.tell(message)


def _changed(
    tx: ReadTx, *, known: Mapping[int, Holdings | None], session_ids: Collection[int], clock: Callable[[], int]
) -> tuple[dict[int, Holdings], set[int]]:
    """Return who has something else than what is known, and which of the sessions have ended."""
    ended = set(session_ids) - live_sessions(tx, session_ids, now_ms=clock())
    balances, closings = balances_fetch(kind=AccountKind.USER, owner_ids=known), charts.last_points_fetch(known)
    silent = silent_fetch(known)
    fetch_together(tx, [balances, closings, silent])
    last_points, silent_changes = closings.result, silent.result
    changed: dict[int, Holdings] = {}
    for user_id, balance in balances.result.items():
        last = last_points.get(user_id)
        closed = (0, 0) if last is None else (last.ordinal + 1, last.pnl_kopecks)
        holdings = Holdings(balance, *closed, silent_changes[user_id])
        if holdings != known[user_id]:
            changed[user_id] = holdings
    return changed, ended
