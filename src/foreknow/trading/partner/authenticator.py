"""Authentication of partners by API key, with a short cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from foreknow.kernel.access.api_keys import PARTNER_KEY, hash_key
from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.cache import BoundedCache, SingleFlight, in_entries
from foreknow.kernel.clock import Clock
from foreknow.platform.db.engine import Database
from foreknow.platform.jobs.use_recorder import UseRecorder
from foreknow.trading.partner.keys import find_holder
from foreknow.trading.partner.tables import partner_keys

#: Cache time of a key. A revocation by another process takes effect within this time after its commit; the contract
#: allows 1 s (decisions.md, "Freshness"), the rest is for requests under way. Transactions that move money do not rely
#: on the cache: they call `require_live_key`.
CACHE_TTL_S = 0.9
#: Keys cached, some 4 MB: more than there are partners.
CACHED_MAX = 16_384


class PartnerAuthenticator:
    """Authenticates partners by key, with at most one database query per second and key."""

    def __init__(self, db: Database, clock: Clock, *, timer: Callable[[], float] = time.monotonic) -> None:
        """`clock` (Unix milliseconds) dates the use of keys; `timer` (seconds, monotonic) ages the cache."""
        self._db = db
        self._timer = timer
        #: By the hash of the key.
        self._cache: BoundedCache[str, PartnerCaller] = BoundedCache(CACHED_MAX, in_entries, timer=timer)
        self._lookups: SingleFlight[str, PartnerCaller | None] = SingleFlight("partner-key")
        self._uses = UseRecorder(db, clock, partner_keys, kind="partner-key")

    def known(self, key: str) -> PartnerCaller | None:
        """Return the partner of a live key in memory; None where `check` has to look."""
        return self._cache.get(hash_key(key)) if PARTNER_KEY.fits(key) else None

    async def check(self, key: str) -> PartnerCaller | None:
        """Return the partner of a live key, or None."""
        if not PARTNER_KEY.fits(key):
            return None
        key_hash = hash_key(key)
        cached = self._cache.get(key_hash)
        if cached is not None:
            return cached
        # Hundreds of requests with one key may find it stale in the same moment: one read serves them all.
        keep = partial(self._keep, key_hash, self._timer() + CACHE_TTL_S)
        return await self._lookups.run(key_hash, partial(self._look_up, key_hash), keep=keep)

    def forget(self) -> None:
        """Drop the cache. Call it after the commit of a key's revocation, before responding."""
        self._cache.clear()
        # A lookup under way may be from before the revocation.
        self._lookups.forget()

    async def stop(self) -> None:
        """Finish what is under way, before the database closes."""
        await self._lookups.drain()
        await self._uses.stop()

    async def _look_up(self, key_hash: str) -> PartnerCaller | None:
        holder = await self._db.lookup(lambda tx: find_holder(tx, key_hash))
        if holder is None:
            return None
        self._uses.note(holder.caller.key_id, last_used_at_ms=holder.last_used_at_ms)
        return holder.caller

    def _keep(self, key_hash: str, until_s: float, caller: PartnerCaller | None) -> None:
        if caller is not None:
            self._cache.put(key_hash, caller, until=until_s)
