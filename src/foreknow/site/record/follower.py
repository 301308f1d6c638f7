"""The worker that counts resolved pools."""

from __future__ import annotations

from foreknow.platform.db.engine import Database
from foreknow.platform.jobs import Follower
from foreknow.site.record import counting
from foreknow.site.record.tables import CURSOR

#: Nothing wakes it.
POLL_S = 2.0


class RecordFollower(Follower):
    """Counts each resolved pool once, however many processes there are."""

    def __init__(self, db: Database) -> None:
        """Count the pools of `db`."""
        super().__init__("record", db, CURSOR, poll_s=POLL_S)

    async def follow(self) -> bool:
        """Count some pools; return whether there may be more."""
        found = await self.step(counting.next_resolved, counting.count)
        return found is not None and found.is_full
