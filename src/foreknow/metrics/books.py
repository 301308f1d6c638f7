"""The books' totals for those who watch: adding up every account takes longer the more there are, so nobody waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.db.engine import Database
from foreknow.kernel.errors import Unavailable
from foreknow.ledger import AccountKind, KindTotal, totals

log = structlog.get_logger("foreknow.metrics")

#: Adding up takes at most one part in so many of the time.
RARITY = 100
#: So long whoever asks waits for new totals; after that the last ones are shown.
PATIENCE_S = 0.05

Totals = Mapping[AccountKind, KindTotal]


class BookTotals:
    """Totals by kind of account, not much older than adding them up takes a hundred times."""

    def __init__(self, db: Database) -> None:
        """Read from `db`."""
        self._db = db
        self._newest: Totals | None = None
        self._due_at_s = 0.0
        self._adding: asyncio.Task[None] | None = None

    async def newest(self) -> Totals:
        """Return the last totals, new ones where they are due and soon there; `Unavailable` where there never were any.

        The sums of all kinds are of one moment.
        """
        if self._adding is None and time.monotonic() >= self._due_at_s:
            self._adding = asyncio.create_task(self._add_up(), name="book-totals")
        if self._adding is not None:
            await asyncio.wait([self._adding], timeout=PATIENCE_S if self._newest is not None else None)
        if self._newest is None:
            raise Unavailable
        return self._newest

    async def stop(self) -> None:
        """Return once nothing is added up any more: the database is about to be closed."""
        if self._adding is not None:
            await asyncio.wait([self._adding])

    async def _add_up(self) -> None:
        began_s = time.monotonic()
        try:
            self._newest = await self._db.read(totals)
        except (Unavailable, SQLAlchemyError) as failure:
            # The last ones would look like those of now.
            self._newest = None
            log.warning("adding up the books failed", reason=repr(failure))
        finally:
            now_s = time.monotonic()
            self._due_at_s = now_s + RARITY * (now_s - began_s)
            self._adding = None
