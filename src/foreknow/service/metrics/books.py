"""The ledger's totals, summed in the background: the sum over all accounts takes longer the more there are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.errors import Unavailable
from foreknow.money.ledger import AccountKind, KindTotal, totals
from foreknow.platform.db.engine import Database

log = structlog.get_logger("foreknow.metrics")

#: Pause between sums, as a multiple of the time a sum takes.
PAUSE_FACTOR = 100
#: Longest wait of a scrape for new totals; then it gets the last ones.
WAIT_S = 0.05

Totals = Mapping[AccountKind, KindTotal]


class LedgerTotals:
    """Totals by kind of account, at most about `PAUSE_FACTOR` times as old as a sum takes."""

    def __init__(self, db: Database) -> None:
        """Read from `db`."""
        self._db = db
        self._newest: Totals | None = None
        self._due_at_s = 0.0
        self._summing: asyncio.Task[None] | None = None

    async def newest(self) -> Totals:
        """Return the newest totals, all read in one snapshot; `Unavailable` if the first or last sum failed."""
        if self._summing is None and time.monotonic() >= self._due_at_s:
            self._summing = asyncio.create_task(self._sum(), name="ledger-totals")
        if self._summing is not None:
            await asyncio.wait([self._summing], timeout=WAIT_S if self._newest is not None else None)
        if self._newest is None:
            raise Unavailable
        return self._newest

    async def stop(self) -> None:
        """Wait for a running sum, before the database is closed."""
        if self._summing is not None:
            await asyncio.wait([self._summing])

    async def _sum(self) -> None:
        began_s = time.monotonic()
        try:
            self._newest = await self._db.read(totals)
        except (Unavailable, SQLAlchemyError) as failure:
            # Without a value rather than an old one that looks current.
            self._newest = None
            log.warning("ledger totals failed", reason=repr(failure))
        finally:
            now_s = time.monotonic()
            self._due_at_s = now_s + PAUSE_FACTOR * (now_s - began_s)
            self._summing = None
