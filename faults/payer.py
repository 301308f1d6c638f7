"""A process that pays what is due, and is killed at one of its commits.

python -m faults.payer URL COMMIT WHEN WHAT AHEAD_MS

WHEN is `before` or `after`; COMMIT counts from 1; WHAT is `pools`, with a result, `orders`, which rested, `lists`,
which were split, or `scores` of forecasts; AHEAD_MS is how far its clock is ahead. It ends with exit 0 where it did all
that was due without dying.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from foreknow.kernel.clock import system_clock
from foreknow.kernel.settings import Settings
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadWork, Result, WriteTx, WriteWork
from foreknow.platform.settings import LiveSettings
from foreknow.site.forecast_scores import ScoreFollower
from foreknow.trading.effects.order_worker import OrderWorker
from foreknow.trading.lists.worker import SplitTurner
from foreknow.trading.settlement.payments import PaymentService

#: Few, so that a payment has several commits.
PIECE_POSITIONS = 4
#: Rows of three people.
PIECE_SCORES = 21


class Mortal:
    """A database whose process is killed before or after its n-th commit."""

    def __init__(self, url: str, *, commit: int, when: str, ahead_ms: int = 0) -> None:
        """Open the database at `url`, with a clock that is ahead."""
        self._db = open_database(url, clock=(lambda: system_clock() + ahead_ms) if ahead_ms else None)
        self.url = url
        self.is_sqlite = self._db.is_sqlite
        self.on_write = self._db.on_write
        self._commits = 0
        self._last = commit
        self._when = when

    async def read(self, work: ReadWork[Result]) -> Result:
        """See `Database.read`."""
        return await self._db.read(work)

    async def lookup(self, work: ReadWork[Result]) -> Result:
        """See `Database.lookup`."""
        return await self._db.lookup(work)

    async def write(self, work: WriteWork[Result]) -> Result:
        """See `Database.write`."""
        return await self.write_private(work)

    async def write_private(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_private`."""
        self._commits += 1
        is_last = self._commits == self._last

        def mortal(tx: WriteTx) -> Result:
            result = work(tx)
            if is_last and self._when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        result = await self._db.write_private(mortal)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    async def write_brief(self, work: WriteWork[Result]) -> Result:
        """See `Database.write_brief`."""
        return await self.write_private(work)

    async def write_orders(self, work: WriteWork[Result], **_limits: Any) -> Result:
        """See `Database.write_orders`."""
        return await self.write_private(work)

    async def rewrite(self) -> bool:
        """See `Database.rewrite`."""
        return await self._db.rewrite()

    async def close(self) -> None:
        """See `Database.close`."""
        await self._db.close()


def score_follower(db: Database) -> ScoreFollower:
    """Return what scores the pools of a site on which no one bets, a few people at a time."""
    return ScoreFollower(db, LiveSettings(Settings(trading="off")), piece=PIECE_SCORES)


async def pay(url: str, *, commit: int, when: str, what: str, ahead_ms: int) -> None:
    """Pay what is due, or die."""
    db = Mortal(url, commit=commit, when=when, ahead_ms=ahead_ms)
    if what == "pools":
        work = PaymentService(db, piece_positions=PIECE_POSITIONS).run_due
    elif what == "lists":
        work = SplitTurner(db, piece_positions=PIECE_POSITIONS).run_due
    elif what == "scores":
        work = score_follower(db).follow
    else:
        work = OrderWorker(db, piece=PIECE_POSITIONS).run_due
    while await work():
        pass
    await db.close()


if __name__ == "__main__":
    url, commit, when, what, ahead_ms = sys.argv[1:]
    asyncio.run(pay(url, commit=int(commit), when=when, what=what, ahead_ms=int(ahead_ms)))
