"""A process that pays what is due, and is killed at one of its commits: `python -m faults.payer URL COMMIT WHEN WHAT`.

WHEN is `before` or `after`; COMMIT counts from 1; WHAT is `pools`, with a result, `orders`, which rested, or `lists`,
which were split. It ends with exit 0 where it did all that was due without dying.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from foreknow.platform.db.engine import open_database
from foreknow.platform.db.transactions import ReadWork, Result, WriteTx, WriteWork
from foreknow.trading.limit_orders.worker import OrderWorker
from foreknow.trading.lists.worker import SplitTurner
from foreknow.trading.settlement.payments import PaymentService

#: Few, so that a payment has several commits.
PIECE_POSITIONS = 4


class Mortal:
    """A database whose process is killed before or after its n-th commit."""

    def __init__(self, url: str, *, commit: int, when: str) -> None:
        """Open the database at `url`."""
        self._db = open_database(url)
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


async def pay(url: str, *, commit: int, when: str, what: str) -> None:
    """Pay what is due, or die."""
    db = Mortal(url, commit=commit, when=when)
    if what == "pools":
        work = PaymentService(db, piece_positions=PIECE_POSITIONS).pay_due
    elif what == "lists":
        work = SplitTurner(db, piece_positions=PIECE_POSITIONS).turn_due
    else:
        work = OrderWorker(db, piece=PIECE_POSITIONS).run_due
    while await work():
        pass
    await db.close()


if __name__ == "__main__":
    asyncio.run(pay(sys.argv[1], commit=int(sys.argv[2]), when=sys.argv[3], what=sys.argv[4]))
