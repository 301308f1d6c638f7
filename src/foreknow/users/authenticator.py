"""Authenticates users by their access tokens and API keys.

Verifying a signature takes some 60 µs, so verified tokens are cached until they expire. Sessions and roles are read
from the database again after at most 1 s (decisions.md, "Freshness"). A cached caller costs two dictionary look-ups.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from foreknow.access.api_keys import USER_KEY
from foreknow.access.callers import UserCaller
from foreknow.db.engine import Database
from foreknow.kernel.clock import Clock
from foreknow.users.key_authenticator import KeySessions
from foreknow.users.sessions import find_callers
from foreknow.users.tokens import AccessTokens, VerifiedToken

#: Lifetime of a cached session. The contract allows 1 s; the rest is for running requests. Transactions that move
#: money call `require_live_session`.
CACHE_S = 0.9
#: Verified tokens cached, some 10 MB. A full cache drops its oldest quarter.
VERIFIED_MAX = 16_384
_SWEEP_FROM = 1_024
#: Concurrent queries; sessions requested meanwhile share the next one.
READERS_MAX = 2


@dataclass(frozen=True, slots=True)
class _CachedCaller:
    caller: UserCaller
    until_s: float


@dataclass(frozen=True, slots=True, eq=False)
class _Lookup:
    """A pending database look-up of a session."""

    session_id: int
    caller: asyncio.Future[UserCaller | None]


class UserAuthenticator:
    """Authenticates users by their access tokens and API keys."""

    def __init__(
        self, db: Database, tokens: AccessTokens, clock: Clock, *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` (Unix milliseconds) expires tokens, `timer` (monotonic seconds) expires cached sessions."""
        self._db = db
        self._tokens = tokens
        self._clock = clock
        self._timer = timer
        self._keys = KeySessions(db, clock, timer=timer)
        self._verified: dict[str, VerifiedToken] = {}
        self._callers: dict[int, _CachedCaller] = {}
        self._sweep_at = _SWEEP_FROM
        #: By session; requests of one session share its look-up.
        self._lookups: dict[int, _Lookup] = {}
        self._queue: list[_Lookup] = []
        self._readers: set[asyncio.Task[None]] = set()
        self._reading = 0

    async def check(self, token: str) -> UserCaller | None:
        """Return the user of the live session of an access token or an API key; None for an invalid one."""
        if USER_KEY.fits(token):
            session_id = await self._keys.session_id(token)
            return None if session_id is None else await self._caller_of(session_id)
        verified = self._verified.get(token)
        if verified is None:
            verified = self._tokens.read(token)
            if verified is None:
                return None
            self._cache_token(token, verified)
        if verified.expires_at_ms <= self._clock():
            return None
        caller = await self._caller_of(verified.session_id)
        # After a restored backup the id may be that of another user's session.
        return caller if caller is not None and caller.user_id == verified.user_id else None

    async def stop(self) -> None:
        """Finish what is under way, before the database closes."""
        await self._keys.stop()

    async def _caller_of(self, session_id: int) -> UserCaller | None:
        cached = self._callers.get(session_id)
        if cached is not None and cached.until_s > self._timer():
            return cached.caller
        return await self._look_up(session_id)

    def invalidate(self, *, user_id: int | None = None, session_id: int | None = None) -> None:
        """Drop a user's cached sessions, or one session.

        Call it after the commit of a revocation or a change of roles, before the response.
        """
        self._callers = {
            id_: cached
            for id_, cached in self._callers.items()
            if id_ != session_id and cached.caller.user_id != user_id
        }
        # A running look-up may have read the rows before the change: later requests must not share it.
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
                    caller = callers.get(lookup.session_id)
                    # Not cached if the session was invalidated meanwhile.
                    if self._finish(lookup):
                        self._cache_caller(lookup.session_id, caller, until_s)
                    lookup.caller.set_result(caller)
        finally:
            self._reading -= 1

    def _finish(self, lookup: _Lookup) -> bool:
        """Stop sharing a look-up; return False if it was invalidated."""
        is_current = self._lookups.get(lookup.session_id) is lookup
        if is_current:
            del self._lookups[lookup.session_id]
        return is_current

    def _cache_caller(self, session_id: int, caller: UserCaller | None, until_s: float) -> None:
        self._callers.pop(session_id, None)
        if caller is None:
            return
        if len(self._callers) >= self._sweep_at:
            now_s = self._timer()
            self._callers = {id_: cached for id_, cached in self._callers.items() if cached.until_s > now_s}
            self._sweep_at = max(_SWEEP_FROM, 2 * len(self._callers))
        self._callers[session_id] = _CachedCaller(caller, until_s)

    def _cache_token(self, token: str, verified: VerifiedToken) -> None:
        if len(self._verified) >= VERIFIED_MAX:
            for oldest in list(itertools.islice(self._verified, VERIFIED_MAX // 4)):
                del self._verified[oldest]
        self._verified[token] = verified
