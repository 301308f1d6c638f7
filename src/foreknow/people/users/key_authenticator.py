"""Finds the sessions of users' own API keys."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from foreknow.kernel.access.api_keys import hash_key
from foreknow.kernel.cache import BoundedCache, SingleFlight, in_entries
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS, Clock
from foreknow.people.users.keys import KeySession, find_session
from foreknow.people.users.tables import user_keys
from foreknow.platform.db.engine import Database
from foreknow.platform.jobs.use_recorder import UseRecorder

#: Keys remembered.
REMEMBERED_MAX = 4_096
#: How long a key's row is not read again: its use is recorded that often. Its session is checked each time.
REMEMBERED_S = MINUTE_MS / SECOND_MS


class KeySessions:
    """The session that each key acts in; whether it is live, and whose, the session tells."""

    def __init__(self, db: Database, clock: Clock, *, timer: Callable[[], float] = time.monotonic) -> None:
        """`clock` (Unix milliseconds) dates the use of keys; `timer` (seconds, monotonic) ages the cache."""
        self._db = db
        self._timer = timer
        #: The sessions of keys, by the hash of the key.
        self._remembered: BoundedCache[str, int] = BoundedCache(REMEMBERED_MAX, in_entries, timer=timer)
        self._lookups: SingleFlight[str, KeySession | None] = SingleFlight("user-key")
        self._uses = UseRecorder(db, clock, user_keys, kind="user-key")

    def known_session_id(self, key: str) -> int | None:
        """Return the session of a key in memory; None where `session_id` has to look."""
        return self._remembered.get(hash_key(key))

    async def session_id(self, key: str) -> int | None:
        """Return the session of a key; None for a key that never was."""
        key_hash = hash_key(key)
        remembered = self._remembered.get(key_hash)
        if remembered is not None:
            return remembered
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
        if found is not None:
            self._remembered.put(key_hash, found.session_id, until=self._timer() + REMEMBERED_S)
