"""Authenticates users by their access tokens and API keys.

Verifying a signature takes some 60 µs, so verified tokens are cached until they expire. Sessions and roles are read
from the database again after at most 1 s (decisions.md, "Freshness"). A cached caller costs two dictionary look-ups.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from foreknow.kernel.access.api_keys import USER_KEY, hash_key
from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.cache import BoundedCache, SingleFlight, in_entries
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS, Clock
from foreknow.kernel.settings import Settings
from foreknow.people.users.keys import KeySession, find_session
from foreknow.people.users.sessions import find_callers
from foreknow.people.users.tables import user_keys
from foreknow.people.users.tokens import AccessTokens, VerifiedToken
from foreknow.platform.db.engine import Database
from foreknow.platform.jobs.use_recorder import UseRecorder
from foreknow.platform.settings import LiveSettings

#: Lifetime of a cached session. The contract allows 1 s; the rest is for running requests. Transactions that move
#: money call `require_live_session`.
CACHE_S = 0.9
#: Verified tokens cached, some 10 MB.
VERIFIED_MAX = 16_384
#: Sessions cached, some 20 MB: more than a process can answer within `CACHE_S`.
CALLERS_MAX = 65_536
#: Concurrent queries; sessions requested meanwhile share the next one.
READERS_MAX = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Lookup:
    """A pending database look-up of a session."""

    session_id: int
    caller: asyncio.Future[UserCaller | None]


class UserAuthenticator:
    """Authenticates users by their access tokens and API keys."""

    def __init__(
        self,
        db: Database,
        tokens: AccessTokens,
        clock: Clock,
        settings: LiveSettings | None = None,
        *,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` (Unix milliseconds) expires tokens, `timer` (monotonic seconds) expires cached sessions.

        `settings` say who makes events beside those with the role.
        """
        self._settings = settings or LiveSettings(Settings())
        self._db = db
        self._tokens = tokens
        self._clock = clock
        self._timer = timer
        self._keys = KeySessions(db, clock, timer=timer)
        self._verified: BoundedCache[str, VerifiedToken] = BoundedCache(VERIFIED_MAX, in_entries)
        #: By session.
        self._callers: BoundedCache[int, UserCaller] = BoundedCache(CALLERS_MAX, in_entries, timer=timer)
        #: By session; requests of one session share its look-up.
        self._lookups: dict[int, _Lookup] = {}
        self._queue: list[_Lookup] = []
        self._readers: set[asyncio.Task[None]] = set()
        self._reading = 0

    def known(self, token: str) -> UserCaller | None:
        """Return the user of an access token or an API key, both in memory; None where `check` has to look."""
        verified = self._verified.get(token)
        if verified is None:
            session_id = self._keys.known_session_id(token) if USER_KEY.fits(token) else None
            return None if session_id is None else self._callers.get(session_id)
        if not verified.not_before_ms <= self._clock() < verified.expires_at_ms:
            return None
        caller = self._callers.get(verified.session_id)
        # After a restored backup the id may be that of another user's session.
        return caller if caller is not None and caller.user_id == verified.user_id else None

    async def check(self, token: str) -> UserCaller | None:
        """Return the user of the live session of an access token or an API key; None for an invalid one."""
        if USER_KEY.fits(token):
            session_id = await self._keys.session_id(token)
            if session_id is None:
                return None
            return self._callers.get(session_id) or await self._look_up(session_id)
        verified = self._verified.get(token)
        if verified is None:
            verified = self._tokens.read(token)
            if verified is None:
                return None
            self._verified.put(token, verified)
        if not verified.not_before_ms <= self._clock() < verified.expires_at_ms:
            return None
        caller = self._callers.get(verified.session_id) or await self._look_up(verified.session_id)
        # After a restored backup the id may be that of another user's session.
        return caller if caller is not None and caller.user_id == verified.user_id else None

    async def stop(self) -> None:
        """Finish what is under way, before the database closes."""
        await self._keys.stop()

    def invalidate(self, *, user_id: int | None = None, session_id: int | None = None) -> None:
        """Drop a user's cached sessions, or one session.

        Call it after the commit of a revocation or a change of roles, before the response.
        """
        self._callers.remove_where(lambda id_, caller: id_ == session_id or caller.user_id == user_id)
        # A running look-up may have read the rows before the change: later requests must not share it.
        self._lookups.clear()

    def forget(self) -> None:
        """Drop all cached sessions: what people may do has changed."""
        self._callers.clear()
        self._lookups.clear()

    async def _look_up(self, session_id: int) -> UserCaller | None:
        # Hundreds of requests of one session may find it expired at the same time: one look-up serves all.
        lookup = self._lookups.get(session_id)
        if lookup is None:
            lookup = _Lookup(session_id, asyncio.get_running_loop().create_future())
            self._lookups[session_id] = lookup
            self._queue.append(lookup)
            # Counted, because a task stays in the set for a moment after it has found the queue empty.
            if self._reading < READERS_MAX:
                self._reading += 1
                reader = asyncio.create_task(self._read(), name="user-authenticator")
                self._readers.add(reader)
                reader.add_done_callback(self._readers.discard)
        return await asyncio.shield(lookup.caller)

    async def _read(self) -> None:
        """Run the queued look-ups, each batch in one query, until the queue is empty."""
        try:
            while self._queue:
                lookups, self._queue = self._queue, []
                until_s, now_ms = self._timer() + CACHE_S, self._clock()
                session_ids = [lookup.session_id for lookup in lookups]
                find = partial(find_callers, session_ids=session_ids, now_ms=now_ms)
                try:
                    callers = await self._db.lookup(find)
                except Exception as failure:  # noqa: BLE001 - raised in each waiting request
                    for lookup in lookups:
                        self._finish(lookup)
                        lookup.caller.set_exception(failure)
                        # Marks it as retrieved: all requests may have been cancelled.
                        lookup.caller.exception()
                    continue
                for lookup in lookups:
                    found = callers.get(lookup.session_id)
                    caller = None if found is None else self._settings.now.seen(found)
                    # Not cached if the session was invalidated meanwhile.
                    if self._finish(lookup) and caller is not None:
                        self._callers.put(lookup.session_id, caller, until=until_s)
                    lookup.caller.set_result(caller)
        finally:
            self._reading -= 1

    def _finish(self, lookup: _Lookup) -> bool:
        """Stop sharing a look-up; return False if it was invalidated."""
        is_current = self._lookups.get(lookup.session_id) is lookup
        if is_current:
            del self._lookups[lookup.session_id]
        return is_current


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
