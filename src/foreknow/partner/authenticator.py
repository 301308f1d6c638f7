"""The partners' side of the gatekeeper: tells who calls with a key."""

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
from foreknow.partner.keys import KeyHolder, find_holder, hash_key, looks_like_a_key, note_use

log = structlog.get_logger("foreknow.partner")

#: A key revoked by another process is noticed within so many seconds of that commit, which the contract bounds by 1
#: (decisions.md, "Freshness"); the rest is for requests under way. Never where money moves: transactions that do ask
#: `confirm_key`.
TRUST_S = 0.9
#: `last_used_at` is written at most so often a key, not with each request.
NOTED_EVERY_MS = MINUTE_MS


@dataclass(frozen=True, slots=True)
class _Known:
    caller: PartnerCaller
    until_s: float


class PartnerAuthenticator:
    """Recognises partners by their keys, asking the database at most once a second for each."""

    def __init__(self, db: Database, clock: Clock, *, timer: Callable[[], float] = time.monotonic) -> None:
        """`clock` (Unix milliseconds) dates the use of keys, `timer` (seconds, never set back) ages what is known."""
        self._db = db
        self._clock = clock
        self._timer = timer
        self._known: dict[str, _Known] = {}
        self._asking: dict[str, asyncio.Task[PartnerCaller | None]] = {}
        self._noting: dict[int, asyncio.Task[None]] = {}

    async def check(self, key: str) -> PartnerCaller | None:
        """Return the partner of a live key, or None."""
        if not looks_like_a_key(key):
            return None
        key_hash = hash_key(key)
        known = self._known.get(key_hash)
        if known is not None and known.until_s > self._timer():
            return known.caller
        # Hundreds of requests with one key run at once, and all of them find it stale in the same moment: one asks.
        asking = self._asking.get(key_hash)
        if asking is None:
            asking = self._asking[key_hash] = asyncio.create_task(self._ask(key_hash), name="partner-gate")
        return await asyncio.shield(asking)

    def forget(self) -> None:
        """Trust nothing known so far; call it when the revocation of a key has committed, before answering."""
        self._known.clear()
        # An answer under way may be from before the revocation: whoever asks from now on must not share it.
        self._asking.clear()

    async def stop(self) -> None:
        """Finish what is under way, before the database closes."""
        await asyncio.gather(*self._asking.values(), return_exceptions=True)
        await asyncio.gather(*self._noting.values())

    async def _ask(self, key_hash: str) -> PartnerCaller | None:
        task = asyncio.current_task()
        until_s = self._timer() + TRUST_S
        try:
            holder = await self._db.lookup(lambda tx: find_holder(tx, key_hash))
            # Where the key was forgotten meanwhile, this answer is good for those who wait for it, and for nobody else.
            if self._asking.get(key_hash) is task:
                self._known.pop(key_hash, None)
                if holder is not None:
                    self._known[key_hash] = _Known(holder.caller, until_s)
        finally:
            if self._asking.get(key_hash) is task:
                del self._asking[key_hash]
        if holder is None:
            return None
        self._note(holder)
        return holder.caller

    def _note(self, holder: KeyHolder) -> None:
        key_id, now_ms = holder.caller.key_id, self._clock()
        fresh = holder.last_used_at_ms is not None and now_ms - holder.last_used_at_ms < NOTED_EVERY_MS
        if not fresh and key_id not in self._noting:
            self._noting[key_id] = asyncio.create_task(self._write_use(key_id, now_ms), name="partner-key-use")

    async def _write_use(self, key_id: int, at_ms: int) -> None:
        try:
            await self._db.write_private(lambda tx: note_use(tx, key_id=key_id, at_ms=at_ms))
        except Unavailable:
            # Nobody waits for it, and the next use is at hand.
            log.warning("the use of a partner's key was not noted", key_id=key_id)
        finally:
            del self._noting[key_id]
