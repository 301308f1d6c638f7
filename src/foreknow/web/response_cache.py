"""Answers that are the same for everybody, made once and given to all until something changes them.

The contract ("Freshness"): a change shows at once in the process that made it and within a second in every other. So
an answer is forgotten when this process commits something that may show in it (a trade names its pools, any other write
counts for all, but one whose rows no public answer shows: `Database.write`), and what it shows is never older than
`TRUST_MS`, wherever it was read.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from foreknow.db.engine import Database
from foreknow.db.replica_reads import Read, ReadResult, ReplicaReads
from foreknow.kernel.clock import Clock
from foreknow.web.responses import Response

#: How old an answer may be; the rest of the contract's second is for the reading.
TRUST_MS = 800
#: So many bytes are kept; then the oldest quarter goes. Anybody may ask for any hundred pools: a bound on the number of
#: answers would not bound their size.
KEPT_BYTES_MAX = 32 * 1024 * 1024
#: What an answer costs beside its body, and so does each pool that it shows, in this room's books.
_ENTRY_BYTES = 500
_encode = msgspec.json.Encoder().encode
_Reader = Callable[[], Awaitable[ReadResult[Any]]]


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: Response
    pool_ids: Collection[int]
    until_ms: int

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory."""
        return len(self.answer.body) + _ENTRY_BYTES * (1 + len(self.pool_ids))


class ResponseCache:
    """Keeps what public reads answered."""

    def __init__(self, db: Database, stale: ReplicaReads, clock: Clock) -> None:
        """Read through `stale`; forget everything when `db` writes what may show."""
        self._stale = stale
        self._clock = clock
        self._kept: dict[Hashable, _Kept] = {}
        self._kept_bytes = 0
        self._keys_of_pool: dict[int, set[Hashable]] = {}
        self._making: dict[Hashable, asyncio.Task[Response]] = {}
        db.on_write.append(self.invalidate_all)

    async def get(self, key: Hashable, lookup: Read[Any]) -> Response:
        """Return the response for `key`; where none is cached, `lookup` makes it in a few milliseconds."""
        return await self._get(key, partial(self._stale.lookup, lookup))

    async def get_long(self, key: Hashable, read: Read[Any]) -> Response:
        """Return the response for `key`; where none is cached, `read` makes it beside the event loop."""
        return await self._get(key, partial(self._stale.read, read))

    async def _get(self, key: Hashable, read: _Reader) -> Response:
        """Return the cached response, or the one that `read` makes; a refusal raised by it is not cached."""
        kept = self._kept.get(key)
        if kept is not None and kept.until_ms > self._clock():
            return kept.answer
        # Hundreds may ask in the moment after it was forgotten: one reads for all.
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.create_task(self._make(key, read), name="shared-answer")
        return await asyncio.shield(making)

    @property
    def size(self) -> int:
        """How many answers are kept."""
        return len(self._kept)

    def invalidate_pools(self, pool_ids: Collection[int]) -> None:
        """Forget what shows these pools; call it when a change to them has committed, before answering."""
        for pool_id in pool_ids:
            for key in self._keys_of_pool.pop(pool_id, ()):
                self._drop(key)
        # A reading under way may be from before the change: whoever asks from now on must not share it.
        self._making.clear()

    def invalidate_all(self) -> None:
        """Forget everything; call it when any other change has committed."""
        self._kept.clear()
        self._kept_bytes = 0
        self._keys_of_pool.clear()
        self._making.clear()

    async def _make(self, key: Hashable, read: _Reader) -> Response:
        task, began_ms = asyncio.current_task(), self._clock()
        try:
            seen = await read()
            content = seen.content
            answer = content if isinstance(content, Response) else Response(_encode(content))
            # Where it was forgotten meanwhile, this is good for those who wait for it, and for nobody else.
            if self._making.get(key) is task:
                self._keep(key, _Kept(answer, seen.pool_ids, began_ms + TRUST_MS - seen.behind_ms))
        finally:
            if self._making.get(key) is task:
                del self._making[key]
        return answer

    def _keep(self, key: Hashable, kept: _Kept) -> None:
        self._drop(key)
        while self._kept and self._kept_bytes + kept.size_bytes > KEPT_BYTES_MAX:
            for oldest in list(itertools.islice(self._kept, -(-len(self._kept) // 4))):
                self._drop(oldest)
        self._kept[key] = kept
        self._kept_bytes += kept.size_bytes
        for pool_id in kept.pool_ids:
            self._keys_of_pool.setdefault(pool_id, set()).add(key)

    def _drop(self, key: Hashable) -> None:
        gone = self._kept.pop(key, None)
        if gone is None:
            return
        self._kept_bytes -= gone.size_bytes
        for pool_id in gone.pool_ids:
            keys = self._keys_of_pool.get(pool_id)
            if keys is not None:
                keys.discard(key)
                if not keys:
                    del self._keys_of_pool[pool_id]
