"""PostgreSQL: one process at a time numbers the trades of all, and every process hears of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import Callable
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.db.engine import Database
from foreknow.db.notify import PgNotifications
from foreknow.db.transactions import WriteTx
from foreknow.feed.gaps import Gaps
from foreknow.feed.sequencer import (
    BATCH_MAX,
    LeadershipLost,
    acquire_lead,
    newest_unnumbered,
    number_trades,
    release_lead,
    unnumbered,
)
from foreknow.jobs.throttle import Throttle
from foreknow.kernel.errors import Unavailable

log = structlog.get_logger("foreknow.feed")

#: Somebody committed trades: the leader numbers them.
COMMITTED = "foreknow_trades_committed"
#: Trades were numbered: every process reads them.
NUMBERED = "foreknow_trades_numbered"
#: So often a process looks whether there is something to number, or nobody who does it.
POLL_S = 0.5
#: While trades keep coming, they are numbered at most this often, many at a time.
PACE_S = 0.02
#: So long a new socket waits at most for the numbers of the trades before it, and so often they are looked for.
CATCH_UP_S = 1.0
LOOK_S = 0.01


class Leadership:
    """This process's part in numbering: it leads, or stands by to."""

    def __init__(self, db: Database, on_numbered: Callable[[], None]) -> None:
        """Work on `db`; `on_numbered` hears, here and in every other process, that there are new numbers."""
        self._db = db
        self._on_numbered = on_numbered
        #: Tells an operator who looks into the table which process it is.
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
        self._committed = Throttle(pace_s=PACE_S, poll_s=POLL_S)
        self._signals = PgNotifications(db.url, {COMMITTED: self._heard_of_trades, NUMBERED: on_numbered})
        self._gaps: Gaps | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def leads(self) -> bool:
        """Whether this process numbers the trades, as far as it knows."""
        return self._gaps is not None

    def start(self) -> None:
        """Stand by, lead, and listen."""
        self._signals.start()
        self._task = asyncio.create_task(self._work(), name="feed-leader")
        self._committed.wake()

    async def stop(self) -> None:
        """Number no more, and let another process lead at once."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self.leads:
            with contextlib.suppress(Unavailable, SQLAlchemyError):
                await self._db.write_private(lambda tx: release_lead(tx, self.holder))
        await self._signals.stop()

    def committed(self) -> None:
        """Tell whoever leads that this process committed trades; never blocks."""
        if self.leads:
            self._committed.wake()
        else:
            self._signals.notify(COMMITTED)

    async def catch_up(self) -> None:
        """Return when every trade that is visible now has its number, or after `CATCH_UP_S` at the latest.

        Raises `Unavailable`.
        """
        missing = await self._db.read(newest_unnumbered)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CATCH_UP_S):
                while missing:
                    self.committed()
                    await asyncio.sleep(LOOK_S)
                    missing = await self._db.read(partial(unnumbered, trade_ids=missing))

    def _heard_of_trades(self) -> None:
        if self.leads:
            self._committed.wake()

    async def _work(self) -> None:
        while True:
            await self._committed.wait()
            try:
                await (self._number() if self.leads else self._stand_by())
            except LeadershipLost:
                log.info("another process numbers the trades now")
                self._gaps = None
            except (Unavailable, SQLAlchemyError) as failure:
                # What the gaps say may have been rolled back, or not: the tables know.
                log.warning("numbering trades failed", reason=repr(failure))
                self._gaps = None
            except Exception:  # whatever one pass stumbles over, the next one starts from the tables
                log.exception("numbering trades failed")
                self._gaps = None

    async def _stand_by(self) -> None:
        self._gaps = await self._db.write_private(lambda tx: acquire_lead(tx, self.holder))
        if self.leads:
            log.info("this process numbers the trades", holder=self.holder)
            self._committed.wake()

    async def _number(self) -> None:
        gaps = self._gaps
        assert gaps is not None

        def work(tx: WriteTx) -> tuple[Gaps, int]:
            # On a copy: a transaction that lost a race is run again.
            now = gaps.copy()
            return now, number_trades(tx, self.holder, now)

        self._gaps, count = await self._db.write_private(work)
        if count:
            self._on_numbered()
            self._signals.notify(NUMBERED)
        if count == BATCH_MAX:
            self._committed.wake()
