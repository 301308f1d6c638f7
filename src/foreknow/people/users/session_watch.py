"""Tells what stays open, such as sockets, when its session has ended: signed out, expired, or its account closed."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

from foreknow.kernel.clock import Clock
from foreknow.people.users.sessions import find_callers
from foreknow.platform.db.engine import Database
from foreknow.platform.jobs import Background, Worker

#: How often the sessions of all that is open are looked at, in one query.
LOOK_S = 2.0


class SessionWatch(Background):
    """Follows sessions. `start` it."""

    def __init__(self, db: Database, clock: Clock) -> None:
        """Look into `db`; `clock` (Unix milliseconds) ends sessions."""
        super().__init__(Worker("session-watch", self._look, poll_s=LOOK_S))
        self._db = db
        self._clock = clock
        self._ends: defaultdict[int, list[Callable[[], None]]] = defaultdict(list)

    @contextlib.contextmanager
    def follow(self, session_id: int, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` once the session has ended, while the block runs."""
        ends = self._ends[session_id]
        ends.append(end)
        try:
            yield
        finally:
            ends.remove(end)
            if not ends:
                self._ends.pop(session_id, None)

    async def _look(self) -> bool:
        followed = list(self._ends)
        if followed:
            find = partial(find_callers, session_ids=followed, now_ms=self._clock())
            live = await self._db.read(find)
            for session_id in followed:
                if session_id not in live:
                    for end in list(self._ends.get(session_id, ())):
                        end()
        return False
