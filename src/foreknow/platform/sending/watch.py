"""The guard while the service runs: before it serves, and every few seconds."""

from __future__ import annotations

import asyncio
import contextlib

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database
from foreknow.platform.jobs import Background, Worker
from foreknow.platform.sending.service import Guard, Hold

log = structlog.get_logger("foreknow.sending")

#: How often a process looks; what it has seen since is not missed in a database that was put back while all were down.
POLL_S = 5.0
REMEDY = (
    "nothing goes to partners or alert channels; if this is the site: foreknow site confirm (docs/operations/backup.md)"
)


class SendingWatch(Background):
    """Knows whether sending is held, and says in the log when that changes."""

    def __init__(self, db: Database, guard: Guard) -> None:
        """Watch `db`."""
        super().__init__(Worker("sending", self.look, poll_s=POLL_S))
        self._db = db
        self._guard = guard
        self._hold: Hold | None = None

    async def look(self) -> None:
        """Compare the database with what is remembered of it, and remember how far it has come."""
        found = await self._db.read(self._guard.look)
        if found.change is not None:
            found = await self._db.write_private(self._guard.apply)
        await asyncio.to_thread(self._guard.witness.note, found.place, found.newest_id)
        before, self._hold = self._hold, found.hold
        if before is None and found.hold is not None:
            log.warning(
                "sending held",
                since=iso(found.hold.since_ms),
                reason=found.hold.reason,
                remedy=REMEDY,
            )
        elif before is not None and found.hold is None:
            log.info("sending goes on")

    async def stop(self) -> None:
        """Look a last time: what was written until the end counts."""
        await super().stop()
        with contextlib.suppress(Unavailable, SQLAlchemyError):
            await self.look()
