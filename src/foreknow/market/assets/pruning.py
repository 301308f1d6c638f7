"""Deletes old observations in small pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foreknow.kernel.clock import DAY_MS
from foreknow.market.assets import observations
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Background, Worker

#: The contract's 30 days, and one for requests that were answered late.
KEPT_MS = 31 * DAY_MS
#: How often a process looks for old observations.
POLL_S = 60.0
#: Observations deleted by one transaction, in a few milliseconds.
PIECE_MAX = 500


class ObservationPruner(Background):
    """Deletes observations older than `KEPT_MS`, except those that a pool's rule may still need."""

    def __init__(self, db: Database, *, needed_from: Callable[[ReadTx], int | None], poll_s: float = POLL_S) -> None:
        """`needed_from` returns the time of the oldest observation that a rule may need, None where none does."""
        super().__init__(Worker("old-observations", self.prune, poll_s=poll_s))
        self._db = db
        self._needed_from = needed_from

    async def prune(self) -> int:
        """Delete one piece, if any is old enough, and return how many observations it had."""
        ids = await self._db.read(self._old)
        return await self._db.write_private(lambda tx: observations.delete(tx, ids)) if ids else 0

    def _old(self, tx: ReadTx) -> Sequence[int]:
        before_ms = now_ms(tx) - KEPT_MS
        if not observations.oldest_ids(tx, before_ms=before_ms, limit=1):
            return []
        needed_from_ms = self._needed_from(tx)
        if needed_from_ms is not None:
            before_ms = min(before_ms, needed_from_ms)
        return observations.oldest_ids(tx, before_ms=before_ms, limit=PIECE_MAX)
