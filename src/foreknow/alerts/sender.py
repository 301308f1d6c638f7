"""The worker that sends what stands in the outbox: at once when told, and what failed again after a while."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.alerts import store
from foreknow.alerts.channels import Channel
from foreknow.alerts.store import ClaimedAlert
from foreknow.db.engine import Database
from foreknow.db.transactions import WriteTx
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, SECOND_MS, Clock
from foreknow.kernel.errors import Unavailable

log = structlog.get_logger("foreknow.alerts")

#: So often a process looks for alerts that are due: those that failed, and those of processes that died.
POLL_S = 1.0
#: So many channels are sent to at the same time.
THREADS = 4
#: After a message a channel rests for so long, whichever process sent it: what comes meanwhile goes into the next one.
GAP_MS = 30 * SECOND_MS
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

    def record(self, tx: WriteTx, *, title: str, text: str, at_ms: int) -> None:
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
        """Send to every channel that something waits for; tell whether there was any."""
        now_ms, channels = self._clock(), self._channels
        # Looked for by a reader first: on SQLite a writer holds up every order.
        due = await self._db.read(lambda tx: store.due_channels(tx, channels=channels, now_ms=now_ms))
        sent = await asyncio.gather(*(self._send_to(self._channels[fingerprint]) for fingerprint in due))
        return any(sent)

    async def _send_to(self, channel: Channel) -> bool:
        """Send all that waits for a channel as one message; tell whether there was anything."""
        claimed_at_ms = self._clock()
        claim = await self._db.write_private(lambda tx: store.claim(tx, channel.fingerprint, now_ms=claimed_at_ms))
        if claim is None:
            return False
        loop = asyncio.get_running_loop()
        sent = await loop.run_in_executor(self._threads, channel.send, *message(claim))
        now_ms = self._clock()
        about = {"alerts": claim.count, "channel": channel.kind, "attempt": claim.attempt}
        if sent:
            log.info("support was alerted", **about)
            await self._note(lambda tx: store.note_sent(tx, claim, at_ms=now_ms, free_at_ms=now_ms + GAP_MS))
            return True
        due_at_ms = now_ms + BACK_OFF.pause_ms(claim.attempt, jitter=self._jitter())
        too_old_ms = now_ms - GIVE_UP_AFTER_MS
        log.warning("support could not be alerted yet", **about)
        if claim.created_at_ms <= too_old_ms:
            log.error("support was not alerted of what is a day old, and will not be", **about)
        await self._note(
            lambda tx: store.put_off(
                tx, claim, due_at_ms=due_at_ms, given_up_at_ms=now_ms, give_up_before_ms=too_old_ms
            )
        )
        return True

    async def _note(self, write: Callable[[WriteTx], None]) -> None:
        for _ in range(NOTE_ATTEMPTS):
            try:
                await self._db.write_private(write)
            except Unavailable:
                await asyncio.sleep(1)
            else:
                return


def message(claim: ClaimedAlert) -> tuple[str, str]:
    """Return title and text of what is sent for a claim: one visitor as recorded, several as a crowd."""
    if claim.count == 1:
        return claim.title, claim.texts[0]
    more = claim.count - len(claim.texts)
    lines = [*claim.texts, *([f"And {more} more."] if more else [])]
    return f"{claim.count} visitors wait for an operator", "\n".join(lines)
