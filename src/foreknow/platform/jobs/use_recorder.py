"""Records when keys were last used, beside the requests that use them."""

from __future__ import annotations

import asyncio

import sqlalchemy as sa
import structlog

from foreknow.kernel.clock import MINUTE_MS, Clock
from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx

log = structlog.get_logger("foreknow.jobs")

#: Shortest time between two writes of a key's last use.
WRITE_INTERVAL_MS = MINUTE_MS


class UseRecorder:
    """Writes the last use of each key, at most once a minute."""

    def __init__(self, db: Database, clock: Clock, keys: sa.Table, *, kind: str) -> None:
        """`clock` (Unix milliseconds) dates the uses in the table `keys`; `kind` names the keys in the log."""
        self._db = db
        self._clock = clock
        self._table, self._keys = keys, keys.c
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
            await self._db.write_private(lambda tx: self._record(tx, key_id, at_ms))
        except Unavailable:
            # No request waits for it, and the next use will write it.
            log.warning("last use of key not written", kind=self._kind, key_id=key_id)
        finally:
            del self._writes[key_id]

    def _record(self, tx: WriteTx, key_id: int, at_ms: int) -> None:
        """Store the time of a key's use, unless a later one is stored."""
        older = sa.or_(self._keys.last_used_at_ms.is_(None), self._keys.last_used_at_ms < at_ms)
        tx.execute(self._table.update().where(self._keys.id == key_id, older).values(last_used_at_ms=at_ms))
