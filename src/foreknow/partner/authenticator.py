"""Authentication of partners by API key, with a short cache."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from foreknow.access.callers import PartnerCaller
from foreknow.db.engine import Database
from foreknow.kernel.clock import MINUTE_MS, Clock
from foreknow.kernel.errors import Unavailable
from foreknow.partner.keys import KeyHolder, find_holder, hash_key, looks_like_a_key, record_use

log = structlog.get_logger("foreknow.partner")

#: Cache time of a key. A revocation by another process takes effect within this time after its commit; the contract
#: allows 1 s (decisions.md, "Freshness"), the rest is for requests under way. Transactions that move money do not rely
#: on the cache: they call `require_live_key`.
CACHE_TTL_S = 0.9
#: Shortest time between two writes of a key's `last_used_at`.
USE_WRITE_INTERVAL_MS = MINUTE_MS


@dataclass(frozen=True, slots=True)
class _CachedCaller:
    caller: PartnerCaller
    expires_at_s: float


class PartnerAuthenticator:
    """Authenticates partners by key, with at most one database query per second and key."""

    def __init__(self, db: Database, clock: Clock, *, timer: Callable[[], float] = time.monotonic) -> None:
        """`clock` (Unix milliseconds) dates the use of keys; `timer` (seconds, monotonic) ages the cache."""
        self._db = db
        self._clock = clock
        self._timer = timer
        self._cache: dict[str, _CachedCaller] = {}
        self._lookups: dict[str, asyncio.Task[PartnerCaller | None]] = {}
        self._use_writes: dict[int, asyncio.Task[None]] = {}

    async def check(self, key: str) -> PartnerCaller | None:
        """Return the partner of a live key, or None."""
        if not looks_like_a_key(key):
            return None
        key_hash = hash_key(key)
        cached = self._cache.get(key_hash)
        if cached is not None and cached.expires_at_s > self._timer():
            return cached.caller
        # Hundreds of concurrent requests with one key see it expire at the same time: one of them queries.
        lookup = self._lookups.get(key_hash)
        if lookup is None:
            lookup = self._lookups[key_hash] = asyncio.create_task(self._look_up(key_hash), name="partner-key-lookup")
        return await asyncio.shield(lookup)

    def forget(self) -> None:
        """Drop the cache. Call it after the commit of a key's revocation, before responding."""
        self._cache.clear()
        # A query under way may predate the revocation: later requests must not share it.
        self._lookups.clear()

    async def stop(self) -> None:
        """Finish pending tasks, before the database closes."""
        await asyncio.gather(*self._lookups.values(), return_exceptions=True)
        await asyncio.gather(*self._use_writes.values())

    async def _look_up(self, key_hash: str) -> PartnerCaller | None:
        task = asyncio.current_task()
        expires_at_s = self._timer() + CACHE_TTL_S
        try:
            holder = await self._db.lookup(lambda tx: find_holder(tx, key_hash))
            # After `forget`, the result is only for the requests that already wait for it.
            if self._lookups.get(key_hash) is task:
                self._cache.pop(key_hash, None)
                if holder is not None:
                    self._cache[key_hash] = _CachedCaller(holder.caller, expires_at_s)
        finally:
            if self._lookups.get(key_hash) is task:
                del self._lookups[key_hash]
        if holder is None:
            return None
        self._schedule_use_write(holder)
        return holder.caller

    def _schedule_use_write(self, holder: KeyHolder) -> None:
        key_id, now_ms = holder.caller.key_id, self._clock()
        written_recently = (
            holder.last_used_at_ms is not None and now_ms - holder.last_used_at_ms < USE_WRITE_INTERVAL_MS
        )
        if not written_recently and key_id not in self._use_writes:
            self._use_writes[key_id] = asyncio.create_task(self._write_use(key_id, now_ms), name="partner-key-use")

    async def _write_use(self, key_id: int, at_ms: int) -> None:
        try:
            await self._db.write_private(lambda tx: record_use(tx, key_id=key_id, at_ms=at_ms))
        except Unavailable:
            # No request waits for it, and the next use will write it.
            log.warning("last_used_at of partner key not written", key_id=key_id)
        finally:
            del self._use_writes[key_id]
