"""The worker that opens the next instances of series when they are due, in any number of processes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.errors import Unavailable
from foreknow.market.events import series_store
from foreknow.market.series import opening
from foreknow.market.series.opening import InstanceWaits
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked, ReadTx
from foreknow.platform.jobs import Background, Worker
from foreknow.platform.settings import LiveSettings

log = structlog.get_logger("foreknow.series")

#: How often a process looks for series that are due. An instance opens at most 2 s after the one before is over.
POLL_S = 0.5
#: Series of one read.
PAGE = 100
#: Longest wait of a stopping process for an opening under way.
STOP_S = 5.0
#: Pauses of a series whose next instance cannot be made for a reason that is not expected.
BACK_OFF = BackOff(first_ms=2 * SECOND_MS, most_ms=5 * MINUTE_MS)


class SeriesOpener(Background):
    """Opens instances between `start` and `stop`.

    One transaction opens one instance, so a process that dies has opened it or not. What prevents an instance is read
    before every attempt: on SQLite a write transaction holds up every order.
    """

    def __init__(
        self,
        db: Database,
        settings: LiveSettings,
        *,
        poll_s: float = POLL_S,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Open instances by the settings."""
        super().__init__(Worker("series", self.open_due, poll_s=poll_s, stop_s=STOP_S))
        self._db = db
        self._settings = settings
        self._jitter = jitter

    async def open_due(self) -> bool:
        """Open the next instance of every series that is due and not prevented; return whether there was any.

        The others come before each page of those that wait: however many these are, they delay no other.
        """
        if not await self._db.lookup(lambda tx: series_store.is_any_due(tx, now_ms=now_ms(tx))):
            return False
        is_any_open = await self._open_not_waiting()
        after: tuple[int, int] | None = None
        while page := await self._due(is_waiting=True, after=after):
            for _, series_id in page:
                is_any_open |= await self._handle(series_id, is_waiting=True)
            after = page[-1]
            is_any_open |= await self._open_not_waiting()
        return is_any_open

    async def _open_not_waiting(self) -> bool:
        is_any_open = False
        after: tuple[int, int] | None = None
        while page := await self._due(is_waiting=False, after=after):
            for _, series_id in page:
                is_any_open |= await self._handle(series_id, is_waiting=False)
            after = page[-1]
        return is_any_open

    async def _due(self, *, is_waiting: bool, after: tuple[int, int] | None) -> Sequence[tuple[int, int]]:
        def read(tx: ReadTx) -> Sequence[tuple[int, int]]:
            return series_store.due_series(tx, now_ms=now_ms(tx), is_waiting=is_waiting, after=after, limit=PAGE)

        return await self._db.read(read)

    async def _handle(self, series_id: int, *, is_waiting: bool) -> bool:
        try:
            return await self._open(series_id, is_waiting=is_waiting)
        except Exception as failure:
            if isinstance(failure, Unavailable) and not isinstance(failure, Locked):
                raise
            # One series that cannot go on must not keep the others from it, not even by a statement that always fails
            # or by a lock that someone holds.
            log.exception("opening failed", series_id=series_id)
            await self._db.write_private(lambda tx: opening.put_off(tx, series_id, BACK_OFF, jitter=self._jitter()))
            return False

    async def _open(self, series_id: int, *, is_waiting: bool) -> bool:
        if is_waiting and await self._db.read(lambda tx: opening.still_waits(tx, series_id, self._settings.at(tx))):
            return False
        try:
            return await self._db.write(lambda tx: opening.open_next(tx, series_id, self._settings.at(tx)))
        except InstanceWaits as waits:
            reason = waits.reason
            await self._db.write(lambda tx: opening.note_waiting(tx, series_id, reason))
            return False
