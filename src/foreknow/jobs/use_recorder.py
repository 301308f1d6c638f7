"""Records when keys were last used, beside the requests that use them."""

from __future__ import annotations

import asyncio
from typing import Protocol

import structlog

from foreknow.db.engine import Database
from foreknow.db.transactions import WriteTx
from foreknow.kernel.clock import MINUTE_MS, Clock
from foreknow.kernel.errors import Unavailable

log = structlog.get_logger("foreknow.jobs")

#: Shortest time between two writes of a key's last use.
WRITE_INTERVAL_MS = MINUTE_MS


class RecordUse(Protocol):
    """Stores the time of a key's use, unless a later one is stored."""

    def __call__(self, tx: WriteTx, *, key_id: int, at_ms: int) -> None: ...  # noqa: D102 - said by the class


class UseRecorder:
    """Writes the last use of each key, at most once a minute."""

    def __init__(self, db: Database, clock: Clock, record: RecordUse, *, kind: str) -> None:
        """`clock` (Unix milliseconds) dates the uses; `kind` names the keys in the log."""
        self._db = db
        self._clock = clock
        self._record = record
        self._kind = kind
        self._writes: dict[int, asyncio.Task[None]] = {}

    def note(self, key_id: int, *, last_used_at_ms: int | None) -> None:
        """Write that a key is used now, if the use stored last is old. Never blocks."""
        now_ms = self._clock()
        is_recent = last_used_at_ms is not None and now_ms - last_used_at_ms < WRITE_INTERVAL_MS
        if not is_recent and key_id not in self._writes:
            self._writes[key_id] = asyncio.create_task(self._write(key_id, now_ms), name=f"{self._kind}-use")

    async def stop(self) -> None:
        """Finish what is under way, before the database closes."""
        await asyncio.gather(*self._writes.values())

    async def _write(self, key_id: int, at_ms: int) -> None:
        try:
            await self._db.write_private(lambda tx: self._record(tx, key_id=key_id, at_ms=at_ms))
        except Unavailable:
            # No request waits for it, and the next use will write it.
            log.warning("last use of key not written", kind=self._kind, key_id=key_id)
        finally:
            del self._writes[key_id]
