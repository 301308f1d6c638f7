"""Responses that are the same for all callers, made once and shared until a change invalidates them.

The contract ("Freshness"): a change shows at once in the process that made it and within a second in every other. So
a response is invalidated when this process commits a change that may show in it: a trade names its pools, any other
`Database.write` counts for all. What it shows is never older than `TRUST_MS`, wherever it was read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from foreknow.cache import BoundedCache, SingleFlight, compact
from foreknow.db.engine import Database
from foreknow.db.public_reads import PublicReads, Read, ReadResult
from foreknow.kernel.clock import Clock
from foreknow.web.responses import Response

#: Bounds the age of a response; the rest of the contract's second is for reading it.
TRUST_MS = 800
#: Bounds the memory of responses. A client may ask for any hundred pools: a bound on their number would not do.
CACHE_BYTES_MAX = 32 * 1024 * 1024
#: Memory of a response beside its body, and of the bookkeeping of each pool that it shows.
_ENTRY_BYTES = 500
_encode = msgspec.json.Encoder().encode
_Reader = Callable[[], Awaitable[ReadResult[Any]]]


@dataclass(frozen=True, slots=True)
class _CachedResponse:
    response: Response
    pool_ids: Collection[int]
    until_ms: int

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory."""
        return len(self.response.body) + _ENTRY_BYTES * (1 + len(self.pool_ids))


class ResponseCache:
    """Caches responses of public reads."""

    def __init__(self, db: Database, stale: PublicReads, clock: Clock) -> None:
        """Read through `stale`; invalidate everything when `db` commits a `write`."""
        self._stale = stale
        self._clock = clock
        self._cache: BoundedCache[Hashable, _CachedResponse] = BoundedCache(CACHE_BYTES_MAX, on_drop=self._unlink)
        self._keys_of_pool: dict[int, set[Hashable]] = {}
        self._reads: SingleFlight[Hashable, _CachedResponse] = SingleFlight("cached-response")
        db.on_write.append(self.invalidate_all)

    async def get(self, key: Hashable, lookup: Read[Any]) -> Response:
        """Return the response for `key`; where none is cached, `lookup` makes it in a few milliseconds."""
        return await self._get(key, partial(self._stale.lookup, lookup))

    async def get_long(self, key: Hashable, read: Read[Any]) -> Response:
        """Return the response for `key`; where none is cached, `read` makes it beside the event loop."""
        return await self._get(key, partial(self._stale.read, read))

    @property
    def size(self) -> int:
        """The number of cached responses."""
        return len(self._cache)

    def invalidate_pools(self, pool_ids: Collection[int]) -> None:
        """Drop responses that show these pools; call it when a change to them has committed, before responding."""
        for pool_id in pool_ids:
            for key in self._keys_of_pool.pop(pool_id, ()):
                self._cache.remove(key)
        # A read under way may be from before the change.
        self._reads.forget()

    def invalidate_all(self) -> None:
        """Drop all responses; call it when any other change has committed."""
        self._cache.clear()
        self._keys_of_pool.clear()
        self._reads.forget()

    async def _get(self, key: Hashable, read: _Reader) -> Response:
        """Return the cached response, or the one that `read` makes; an error it raises is not cached."""
        cached = self._cache.get(key)
        if cached is None or cached.until_ms <= self._clock():
            # Hundreds may ask in the moment after it was invalidated: one read serves them all.
            cached = await self._reads.run(key, partial(self._make, read), keep=partial(self._keep, key))
        return cached.response

    async def _make(self, read: _Reader) -> _CachedResponse:
        began_ms = self._clock()
        result = await read()
        content = result.content
        response = content if isinstance(content, Response) else Response(compact(_encode(content)))
        return _CachedResponse(response, result.pool_ids, began_ms + TRUST_MS - result.behind_ms)

    def _keep(self, key: Hashable, cached: _CachedResponse) -> None:
        self._cache.remove(key)
        for pool_id in cached.pool_ids:
            self._keys_of_pool.setdefault(pool_id, set()).add(key)
        # Linked to its pools before: it may be dropped at once.
        self._cache.put(key, cached)

    def _unlink(self, key: Hashable, cached: _CachedResponse) -> None:
        for pool_id in cached.pool_ids:
            keys = self._keys_of_pool.get(pool_id)
            if keys is not None:
                keys.discard(key)
                if not keys:
                    del self._keys_of_pool[pool_id]
