"""Numbering trades in one order: on PostgreSQL one process at a time does it for all, on SQLite ids do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import Callable
from functools import partial
from typing import Protocol

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database
from foreknow.platform.db.notify import PgNotifications
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Worker
from foreknow.site.feed.gaps import Gaps
from foreknow.site.feed.sequencer import (
    BATCH_MAX,
    LeadershipLost,
    acquire_lead,
    newest_unnumbered,
    number_trades,
    release_lead,
    unnumbered,
)

log = structlog.get_logger("foreknow.feed")

#: Channel: trades were committed; the leader numbers them.
COMMITTED = "foreknow_trades_committed"
#: Channel: trades were numbered; every process reads them.
NUMBERED = "foreknow_trades_numbered"
#: How often a process looks for trades to number, or for a missing leader.
POLL_S = 0.5
#: Shortest time between two passes, each of which numbers many trades.
PACE_S = 0.02
#: Longest wait of a new socket for earlier trades to be numbered; polling interval during that wait.
CATCH_UP_S = 1.0
LOOK_S = 0.01


class Numbering(Protocol):
    """How a process sees to it that committed trades are numbered, and learns of new numbers."""

    def start(self) -> None:
        """Begin."""
        ...

    async def stop(self) -> None:
        """End."""
        ...

    def committed(self) -> None:
        """Trades were committed here; never blocks."""
        ...

    async def catch_up(self) -> None:
        """Return when every trade that is visible now has its number, or after `CATCH_UP_S`; `Unavailable`."""
        ...


class NullLeadership:
    """SQLite: a trade's id is its number, so that there is nothing to do but to read it."""

    def __init__(self, on_numbered: Callable[[], None]) -> None:
        """`on_numbered` is called at each commit."""
        self._on_numbered = on_numbered

    def start(self) -> None:
        """See `Numbering.start`."""

    async def stop(self) -> None:
        """See `Numbering.stop`."""

    def committed(self) -> None:
        """See `Numbering.committed`."""
        self._on_numbered()

    async def catch_up(self) -> None:
        """See `Numbering.catch_up`."""


class Leadership:
    """This process's part in numbering: it leads, or stands by to."""

    def __init__(self, db: Database, on_numbered: Callable[[], None]) -> None:
        """Work on `db`; `on_numbered` is called, here and in every other process, when there are new numbers."""
        self._db = db
        self._on_numbered = on_numbered
        #: Shows an operator who reads the table which process it is.
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
        self._worker = Worker("feed-leader", self._pass, poll_s=POLL_S, pace_s=PACE_S)
        self._notifications = PgNotifications(db.url, {COMMITTED: self._heard_of_trades, NUMBERED: on_numbered})
        self._gaps: Gaps | None = None

    @property
    def leads(self) -> bool:
        """Whether this process numbers the trades, as far as it knows."""
        return self._gaps is not None

    def start(self) -> None:
        """Stand by, lead, and listen."""
        self._notifications.start()
        self._worker.start()

    async def stop(self) -> None:
        """Number no more, and let another process lead at once."""
        await self._worker.stop()
        if self.leads:
            with contextlib.suppress(Unavailable, SQLAlchemyError):
                await self._db.write_private(lambda tx: release_lead(tx, self.holder))
        await self._notifications.stop()

    def committed(self) -> None:
        """Wake the leader, since this process committed trades; never blocks."""
        if self.leads:
            self._worker.wake()
        else:
            self._notifications.notify(COMMITTED)

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
            self._worker.wake()

    async def _pass(self) -> None:
        try:
            await (self._number() if self.leads else self._stand_by())
        except LeadershipLost:
            log.info("another process numbers the trades now")
            self._gaps = None
        except Exception:
            # Whether the gaps were rolled back is unknown: the next pass starts from the tables.
            self._gaps = None
            raise

    async def _stand_by(self) -> None:
        self._gaps = await self._db.write_private(lambda tx: acquire_lead(tx, self.holder))
        if self.leads:
            log.info("this process numbers the trades", holder=self.holder)
            self._worker.wake()

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
            self._notifications.notify(NUMBERED)
        if count == BATCH_MAX:
            self._worker.wake()


def open_numbering(db: Database, on_numbered: Callable[[], None]) -> Numbering:
    """Return the numbering of the database's kind; `on_numbered` must not block."""
    return NullLeadership(on_numbered) if db.is_sqlite else Leadership(db, on_numbered)
