"""Pictures of events, drawn one at a time at a low priority; the newest are kept in memory.

A picture is looked at again after `TRUST_MS`, and drawn again where its content has changed. Requests for the same
picture share it. An address has a few pictures drawn at a time, a process a few more; further requests are rejected.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

import msgspec

from foreknow.kernel.cache import BoundedCache, SingleFlight, in_bytes
from foreknow.kernel.clock import MINUTE_MS, Clock
from foreknow.kernel.errors import RateLimited
from foreknow.kernel.threads import background_threads
from foreknow.platform.db.public_reads import PublicReads
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.settings import LiveSettings
from foreknow.site.previews.content import Brand, PreviewContent, content_of
from foreknow.site.previews.drawing import VERSION, draw
from foreknow.site.previews.texts import PreviewLanguage

#: Bounds the age of a picture in memory.
TRUST_MS = MINUTE_MS
#: Some 300 pictures.
CACHE_BYTES_MAX = 16 * 1024 * 1024
#: Pictures that wait or are drawn: 3 s of work.
WAITING_MAX = 32
WAITING_PER_ADDRESS = 4
_RETRY_AFTER_S = 2
_ENTRY_BYTES = 500
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class PreviewImage:
    """A picture and the ETag of its content."""

    content: bytes
    tag: str
    until_ms: int

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory."""
        return len(self.content) + _ENTRY_BYTES


class PreviewService:
    """Draws and keeps the pictures of one process."""

    def __init__(
        self, public_reads: PublicReads, clock: Clock, settings: LiveSettings, *, brand: Callable[[], Brand]
    ) -> None:
        """Draw what `public_reads` shows, under the site's name and what `brand` returns."""
        self._brand = brand
        self._settings = settings
        self._public_reads = public_reads
        self._clock = clock
        self._thread = background_threads(1, name="previews")
        self._kept: BoundedCache[tuple[int, PreviewLanguage], PreviewImage] = BoundedCache(CACHE_BYTES_MAX, in_bytes)
        self._flights: SingleFlight[tuple[int, PreviewLanguage], PreviewImage] = SingleFlight("preview")
        self._waiting: Counter[str] = Counter()

    async def get(self, event_id: int, language: PreviewLanguage, *, address: str) -> PreviewImage:
        """Return the picture of a public event for a client at `address`; `EventNotFound`, `RateLimited`."""
        key = (event_id, language)
        kept = self._kept.get(key)
        if kept is not None and kept.until_ms > self._clock():
            return kept
        return await self._flights.run(key, partial(self._renewed, key, address), keep=partial(self._keep, key))

    def forget(self) -> None:
        """Draw all pictures again: what they say of the site has changed."""
        self._kept.clear()

    async def stop(self) -> None:
        """Finish the picture under way."""
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    def _keep(self, key: tuple[int, PreviewLanguage], picture: PreviewImage) -> None:
        self._kept.put(key, picture)

    async def _renewed(self, key: tuple[int, PreviewLanguage], address: str) -> PreviewImage:
        with self._turn(address):
            event_id, language = key
            now_ms = self._clock()

            def read(tx: ReadTx) -> tuple[PreviewContent, tuple[int, ...]]:
                name, brand = self._settings.now.site_name, self._brand()
                return content_of(tx, event_id, language, site_name=name, brand=brand, now_ms=now_ms), ()

            content = (await self._public_reads.read(read)).content
            tag = blake2b(_encode((VERSION, content)), digest_size=16).hexdigest()
            until_ms = now_ms + TRUST_MS
            kept = self._kept.get(key)
            if kept is not None and kept.tag == tag:
                return replace(kept, until_ms=until_ms)
            drawn = await asyncio.get_running_loop().run_in_executor(self._thread, draw, content)
            return PreviewImage(drawn, tag, until_ms)

    @contextlib.contextmanager
    def _turn(self, address: str) -> Iterator[None]:
        if self._waiting[address] >= WAITING_PER_ADDRESS or self._waiting.total() >= WAITING_MAX:
            raise RateLimited(retry_after_s=_RETRY_AFTER_S)
        self._waiting[address] += 1
        try:
            yield
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]
