"""The worker that forgets the addresses of invitations that ended long ago."""

from __future__ import annotations

from foreknow.people.invitations import mailed
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.jobs import Background, Worker

#: How often a process looks for them.
POLL_S = 3_600.0


class InvitationExpiry(Background):
    """Forgets addresses and names between `start` and `stop`."""

    def __init__(self, db: Database) -> None:
        """Look in this database."""
        super().__init__(Worker("invitations-ended", self._forget, poll_s=POLL_S))
        self._db = db

    async def _forget(self) -> None:
        # A read first: on SQLite a write transaction holds up every order.
        if await self._db.read(lambda tx: mailed.is_any_outlived(tx, at_ms=now_ms(tx))):
            await self._db.write_private(lambda tx: mailed.clear_outlived(tx, at_ms=now_ms(tx)))
