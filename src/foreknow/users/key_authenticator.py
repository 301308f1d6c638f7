"""Finds the sessions of users' own API keys."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from foreknow.access.api_keys import hash_key
from foreknow.cache import SingleFlight
from foreknow.db.engine import Database
from foreknow.jobs.use_recorder import UseRecorder
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS, Clock
from foreknow.users.keys import KeySession, find_session, record_use

#: Keys remembered; a full cache drops its oldest quarter.
REMEMBERED_MAX = 4_096
#: How long a key's row is not read again: its use is recorded that often. Its session is checked each time.
REMEMBERED_S = MINUTE_MS / SECOND_MS


@dataclass(frozen=True, slots=True)
class _Remembered:
    session_id: int
    until_s: float


class KeySessions:
    """The session that each key acts in; whether it is live, and whose, the session tells."""

    def __init__(self, db: Database, clock: Clock, *, timer: Callable[[], float] = time.monotonic) -> None:
        """`clock` (Unix milliseconds) dates the use of keys; `timer` (seconds, monotonic) ages the cache."""
        self._db = db
        self._timer = timer
        self._remembered: dict[str, _Remembered] = {}
        self._lookups: SingleFlight[str, KeySession | None] = SingleFlight("user-key")
        self._uses = UseRecorder(db, clock, record_use, kind="user-key")

    async def session_id(self, key: str) -> int | None:
        """Return the session of a key; None for a key that never was."""
        key_hash = hash_key(key)
        remembered = self._remembered.get(key_hash)
        if remembered is not None and remembered.until_s > self._timer():
            return remembered.session_id
        # Hundreds of requests with one key may come in the same moment: one read serves them all.
        found = await self._lookups.run(key_hash, partial(self._look_up, key_hash), keep=partial(self._keep, key_hash))
        return None if found is None else found.session_id

    async def stop(self) -> None:
        """Finish what is under way, before the database closes."""
        await self._lookups.drain()
        await self._uses.stop()

    async def _look_up(self, key_hash: str) -> KeySession | None:
        found = await self._db.lookup(lambda tx: find_session(tx, key_hash))
        if found is not None:
            self._uses.note(found.key_id, last_used_at_ms=found.last_used_at_ms)
        return found

    def _keep(self, key_hash: str, found: KeySession | None) -> None:
        self._remembered.pop(key_hash, None)
        if found is None:
            return
        if len(self._remembered) >= REMEMBERED_MAX:
            for oldest in list(itertools.islice(self._remembered, REMEMBERED_MAX // 4)):
                del self._remembered[oldest]
        self._remembered[key_hash] = _Remembered(found.session_id, self._timer() + REMEMBERED_S)
