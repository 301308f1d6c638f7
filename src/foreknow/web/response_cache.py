"""Responses that are the same for all callers, made once and shared until a change invalidates them.

The contract ("Freshness"): a change shows at once in the process that made it and within a second in every other. So
a response is invalidated when this process commits a change that may show in it: a trade names its pools, any other
`Database.write` counts for all. What it shows is never older than `TRUST_MS`, wherever it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import is_
from typing import Any

import msgspec

from foreknow.kernel.cache import BatchedSingleFlight, BoundedCache, SingleFlight, compact, in_bytes
from foreknow.kernel.clock import Clock
from foreknow.kernel.units import INT64_MAX
from foreknow.platform.db.engine import Database
from foreknow.platform.db.public_reads import PublicRead, PublicReads
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.rate_limits import Headers
from foreknow.web.responses import JSON_HEADERS, Response
from foreknow.web.shared_responses import Compressor, SharedResponse, shared_array, shared_response

#: Bounds the age of a response; the rest of the contract's second is for reading it.
TRUST_MS = 800
#: Bounds the memory of responses, whose sizes differ: a bound on their number would not do.
CACHE_BYTES_MAX = 32 * 1024 * 1024
#: The same for arrays of pools, which are made of cached responses. A stranger who asks for ever other subsets replaces
#: only those.
ARRAYS_BYTES_MAX = 2 * 1024 * 1024
#: Memory of a response beside its body, and of the bookkeeping of each pool that it shows.
_ENTRY_BYTES = 500
#: Limit of pools read on the event loop: 1-2 ms, or 15 ms if each has 100 markets.
BRIEF_POOLS = 20
_encode = msgspec.json.Encoder().encode
#: Reads the pools with these ids that a response may show, by id.
PoolsRead = Callable[[ReadTx, Sequence[int]], Mapping[int, Any]]


@dataclass(frozen=True, slots=True)
class Perishable:
    """What a read returns that changes by itself at a moment, Unix milliseconds: it is cached no longer."""

    content: Any
    until_ms: int


@dataclass(frozen=True, slots=True)
class _CachedResponse:
    response: SharedResponse
    pool_ids: Collection[int]
    until_ms: int
    #: Texts in its key, which clients may choose.
    key_bytes: int = 0

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory."""
        bodies_bytes = sum(body.size_bytes for body in self.response.bodies)
        return bodies_bytes + self.key_bytes + _ENTRY_BYTES * (1 + len(self.pool_ids))


@dataclass(slots=True)
class _CachedArray:
    """An array of pools, right as long as each of its parts is the one that is cached."""

    response: SharedResponse
    parts: Sequence[_CachedResponse]
    until_ms: int
    #: The number of changes of the cache up to which the parts are known to be those.
    checked_at: int

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory, with its parts: they may be dropped before it."""
        return 2 * len(self.response.body) + _ENTRY_BYTES * (1 + len(self.parts))


class ResponseCache:
    """Caches responses of public reads."""

    def __init__(self, db: Database, public_reads: PublicReads, clock: Clock) -> None:
        """Read through `public_reads`; invalidate everything when `db` commits a `write`."""
        self._public_reads = public_reads
        self._clock = clock
        #: A pool by its id alone, any other response by a tuple.
        self._cache: BoundedCache[Hashable, _CachedResponse] = BoundedCache(
            CACHE_BYTES_MAX, in_bytes, on_drop=self._unlink
        )
        self._keys_of_pool: dict[int, set[Hashable]] = {}
        self._reads: SingleFlight[Hashable, _CachedResponse] = SingleFlight("cached-response")
        self._pool_reads: BatchedSingleFlight[int, _CachedResponse] = BatchedSingleFlight("cached-pools")
        #: Responses kept or dropped so far.
        self._changes = 0
        self._arrays: BoundedCache[Hashable, _CachedArray] = BoundedCache(ARRAYS_BYTES_MAX, in_bytes)
        self._compressor = Compressor()
        db.on_write.append(self.invalidate_all)

    async def get(self, key: Hashable, read: PublicRead[Any], *, is_brief: bool = True) -> SharedResponse:
        """Return the response for `key`; where none is cached, `read` makes it.

        `is_brief`: in a few milliseconds, on the event loop; else beside it. An error it raises is not cached.
        """
        cached = self._cache.get(key)
        if cached is None or not _is_fresh(cached.until_ms, self._clock()):
            # Hundreds may ask in the moment after it was invalidated: one read serves them all.
            cached = await self._reads.run(
                key, partial(self._make, key, read, is_brief=is_brief), keep=partial(self._keep, key)
            )
        return cached.response

    def cached(self, key: Hashable) -> SharedResponse | None:
        """Return the response for a key (`SharedResponse.key`); None where none is cached that is fresh."""
        cached = self._cache.get(key)
        if cached is not None:
            return cached.response if _is_fresh(cached.until_ms, self._clock()) else None
        array = self._arrays.get(key)
        return array.response if array is not None and self._is_current(array) else None

    def uncached(self, content: object) -> SharedResponse:
        """Return the response with what was read for this request and is the same for all callers."""
        return shared_response(_encode(content), self._compressor)

    async def get_pool(self, pool_id: int, lookup: PublicRead[Any]) -> SharedResponse:
        """Return the response with one pool; where none is cached, `lookup` makes it."""
        return await self.get(pool_id, lookup)

    async def get_pools(self, pool_ids: Collection[int], read: PoolsRead) -> SharedResponse:
        """Return an array of these pools in their order, without those that do not exist.

        Each pool is cached by itself, as that of `get_pool`: of a hundred pools there are too many subsets to cache,
        and a stranger may ask for all of them. `read` makes those that are missing, in one transaction.
        """
        ids = tuple(pool_ids)
        array = self._arrays.get(ids)
        if array is not None and self._is_current(array):
            return array.response
        now_ms = self._clock()
        parts = map(self._cache.get, ids)
        found = {
            pool_id: part
            for pool_id, part in zip(ids, parts, strict=True)
            if part is not None and _is_fresh(part.until_ms, now_ms)
        }
        missing = [pool_id for pool_id in ids if pool_id not in found]
        if missing:
            found.update(await self._pool_reads.run(missing, partial(self._make_pools, read), keep=self._keep))
        return self._join(ids, [found[pool_id] for pool_id in ids if pool_id in found])

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
        self._pool_reads.forget(pool_ids)

    def invalidate_all(self) -> None:
        """Drop all responses; call it when any other change has committed."""
        self._cache.clear()
        self._arrays.clear()
        self._keys_of_pool.clear()
        self._changes += 1
        self._reads.forget()
        self._pool_reads.forget_all()

    async def _make(self, key: Hashable, read: PublicRead[Any], *, is_brief: bool) -> _CachedResponse:
        began_ms = self._clock()
        run = self._public_reads.lookup if is_brief else self._public_reads.read
        result = await run(partial(_read_encoded, read))
        body, extra, ends_ms = result.content
        response = shared_response(body, self._compressor, key=key, extra=extra)
        until_ms = min(began_ms + TRUST_MS - result.behind_ms, ends_ms)
        return _CachedResponse(response, result.pool_ids, until_ms, _text_bytes(key))

    async def _make_pools(self, read: PoolsRead, pool_ids: Sequence[int]) -> Mapping[int, _CachedResponse]:
        began_ms = self._clock()
        run = self._public_reads.lookup if len(pool_ids) <= BRIEF_POOLS else self._public_reads.read
        result = await run(partial(_read_pools, read, pool_ids))
        until_ms = began_ms + TRUST_MS - result.behind_ms
        return {
            pool_id: _CachedResponse(shared_response(body, self._compressor, key=pool_id), [pool_id], until_ms)
            for pool_id, body in result.content.items()
        }

    def _join(self, ids: tuple[int, ...], parts: Sequence[_CachedResponse]) -> SharedResponse:
        response = shared_array([part.response.bodies[0] for part in parts], self._compressor, key=ids)
        if parts and len(parts) == len(ids):
            # Of parts that were read now, one may have been invalidated meanwhile.
            unchecked = _CachedArray(response, parts, min(part.until_ms for part in parts), checked_at=-1)
            self._arrays.put(ids, unchecked)
        return response

    def _is_current(self, array: _CachedArray) -> bool:
        """Whether an array is fresh and each of its parts is the one that is cached."""
        if not _is_fresh(array.until_ms, self._clock()):
            return False
        if array.checked_at != self._changes:
            ids = (part.response.key for part in array.parts)
            if not all(map(is_, map(self._cache.get, ids), array.parts)):
                return False
            array.checked_at = self._changes
        return True

    def _keep(self, key: Hashable, cached: _CachedResponse) -> None:
        self._changes += 1
        self._cache.remove(key)
        for pool_id in cached.pool_ids:
            self._keys_of_pool.setdefault(pool_id, set()).add(key)
        # Linked to its pools before: it may be dropped at once.
        self._cache.put(key, cached)

    def _unlink(self, key: Hashable, cached: _CachedResponse) -> None:
        self._changes += 1
        for pool_id in cached.pool_ids:
            keys = self._keys_of_pool.get(pool_id)
            if keys is not None:
                keys.discard(key)
                if not keys:
                    del self._keys_of_pool[pool_id]


def _is_fresh(until_ms: int, now_ms: int) -> bool:
    # Not where the clock was set back meanwhile.
    return now_ms < until_ms <= now_ms + TRUST_MS


def _text_bytes(key: Hashable) -> int:
    """Return at most how much memory the texts in a key take."""
    return sum(4 * len(part) for part in key if isinstance(part, str)) if isinstance(key, tuple) else 0


def _read_encoded(read: PublicRead[Any], tx: ReadTx) -> tuple[tuple[bytes, Headers, int], Collection[int]]:
    """Encode where it is read, with the headers that the response has beside the usual ones, and when it ends."""
    content, pool_ids = read(tx)
    ends_ms = INT64_MAX
    if isinstance(content, Perishable):
        content, ends_ms = content.content, content.until_ms
    if isinstance(content, Response):
        extra = tuple(header for header in content.headers if header not in JSON_HEADERS)
        return (compact(content.body), extra, ends_ms), pool_ids
    return (compact(_encode(content)), (), ends_ms), pool_ids


def _read_pools(read: PoolsRead, pool_ids: Sequence[int], tx: ReadTx) -> tuple[dict[int, bytes], Sequence[int]]:
    """Encode where it is read, which for many pools is beside the event loop."""
    return {pool_id: compact(_encode(content)) for pool_id, content in read(tx, pool_ids).items()}, pool_ids
