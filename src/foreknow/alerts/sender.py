"""The worker that sends what stands in the outbox: at once when told, and what failed again after a while."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.alerts import store
from foreknow.alerts.channels import Channel
from foreknow.alerts.store import Claim
from foreknow.db.engine import Database
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, SECOND_MS, Clock
from foreknow.kernel.errors import Unavailable

log = structlog.get_logger("foreknow.alerts")

#: So often a process looks for alerts that are due: those that failed, and those of processes that died.
POLL_S = 1.0
#: So many are sent at the same time.
THREADS = 4
BACK_OFF = BackOff(first_ms=SECOND_MS, most_ms=5 * MINUTE_MS)
#: Whoever asked for an operator a day ago has gone.
GIVE_UP_AFTER_MS = 24 * HOUR_MS
#: So often it is tried, a second apart, to note what became of an alert: one that was sent must not be sent again.
NOTE_ATTEMPTS = 60
#: So long a stopping process waits for what it is sending.
STOP_S = 15.0


class AlertSender:
    """Records alerts and sends them. `start` it; tell it of commits with `wake`."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        channels: Sequence[Channel],
        *,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Send to each of `channels`; `jitter` (0 … 1) spreads the attempts of several processes."""
        self._db = db
        self._clock = clock
        self._channels = {channel.fingerprint: channel for channel in channels}
        self._jitter = jitter
        self._news = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="alerts")

    def record(self, tx: sa.Connection, *, title: str, text: str, at_ms: int) -> None:
        """Write an alert to every channel in the transaction of what it tells of; nothing where there is none."""
        store.record(tx, channels=self._channels, title=title, text=text, at_ms=at_ms)

    def start(self) -> None:
        """Begin to send, what an earlier process left behind included."""
        if self._channels:
            self._task = asyncio.create_task(self._work(), name="support-alerts")

    async def stop(self) -> None:
        """Begin nothing more; note what became of what is under way."""
        self._stopping = True
        self.wake()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=STOP_S)
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._threads.shutdown(wait=False, cancel_futures=True)

    def wake(self) -> None:
        """Alerts were committed. Never blocks."""
        self._news.set()

    async def _work(self) -> None:
        while not self._stopping:
            try:
                while await self._send_some() and not self._stopping:
                    pass
            except (Unavailable, SQLAlchemyError) as failure:
                log.warning("support alerts cannot be read", reason=repr(failure))
            except Exception:  # what nobody foresaw must not end the alerts: what was claimed is due again
                log.exception("sending support alerts failed")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._news.wait()
            self._news.clear()

    async def _send_some(self) -> bool:
        """Send as many as there are threads; tell whether there was any."""
        now_ms, channels = self._clock(), self._channels
        # Looked for by a reader first: on SQLite a writer holds up every order.
        if not await self._db.read(lambda tx: store.is_any_due(tx, channels=channels, now_ms=now_ms)):
            return False
        claims = await self._db.write(
            lambda tx: store.claim(tx, channels=channels, now_ms=now_ms, limit=THREADS), shown=False
        )
        await asyncio.gather(*map(self._send, claims))
        return bool(claims)

    async def _send(self, claim: Claim) -> None:
        channel = self._channels[claim.channel]
        loop = asyncio.get_running_loop()
        sent = await loop.run_in_executor(self._threads, channel.send, claim.title, claim.text)
        now_ms = self._clock()
        about = {"alert": claim.id, "channel": channel.kind, "attempt": claim.attempt}
        if sent:
            log.info("support was alerted", **about)
            await self._note(lambda tx: store.note_sent(tx, claim, at_ms=now_ms))
        elif now_ms - claim.created_at_ms >= GIVE_UP_AFTER_MS:
            log.error("support was not alerted, and will not be", **about)
            await self._note(lambda tx: store.give_up(tx, claim, at_ms=now_ms))
        else:
            log.warning("support could not be alerted yet", **about)
            due_at_ms = now_ms + BACK_OFF.pause_ms(claim.attempt, jitter=self._jitter())
            await self._note(lambda tx: store.put_off(tx, claim, due_at_ms=due_at_ms))

    async def _note(self, write: Callable[[sa.Connection], None]) -> None:
        for _ in range(NOTE_ATTEMPTS):
            try:
                await self._db.write(write, shown=False)
            except Unavailable:
                await asyncio.sleep(1)
            else:
                return
