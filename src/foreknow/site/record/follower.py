"""The worker that counts resolved pools."""

from __future__ import annotations

from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Worker
from foreknow.site.record import counting
from foreknow.site.record.counting import ResolvedPools

POLL_S = 2.0
REST_SHARE = 15.0
STOP_S = 5.0


class RecordFollower(Background):
    """Counts each resolved pool once, however many processes there are."""

    def __init__(self, db: Database, *, poll_s: float = POLL_S) -> None:
        """Count the pools of `db`."""
        super().__init__(Worker("record", self.follow, poll_s=poll_s, rest_share=REST_SHARE, stop_s=STOP_S))
        self._db = db

    async def follow(self) -> bool:
        """Count some pools; return whether there may be more."""

        def read(tx: ReadTx) -> ResolvedPools:
            return counting.next_resolved(tx, at_ms=now_ms(tx))

        found = await self._db.read(read)
        if not found.forecasts and abs(found.next_ms - found.since_ms) <= counting.OVERLAP_MS:
            return False

        def write(tx: WriteTx) -> bool:
            if counting.lock(tx) is None:
                return False
            counting.count(tx, found)
            return True

        return await self._db.write_private(write) and found.is_full
