"""The worker that sends the alerts of the outbox: at once when woken, and failed ones again after a pause."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, SECOND_MS
from foreknow.people.alerts import store
from foreknow.people.alerts.channels import Channel
from foreknow.people.alerts.store import AlertKind, ClaimedAlert
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Background, Worker, persist

log = structlog.get_logger("foreknow.alerts")

#: How often a process looks for alerts that are due: those that failed, and those of processes that died.
POLL_S = 1.0
#: Channels sent to at the same time.
THREADS = 4
#: Pause of a channel after a message, for all processes together: alerts of that time go into the next message.
GAP_MS = 30 * SECOND_MS
BACK_OFF = BackOff(first_ms=SECOND_MS, most_ms=5 * MINUTE_MS)
#: Age of an alert that is not tried again: the visitor has gone.
GIVE_UP_AFTER_MS = 24 * HOUR_MS
#: Longest wait of a stopping process for messages under way.
STOP_S = 15.0


class AlertSender(Background):
    """Records alerts and sends them. `start` it; `wake` it after a commit."""

    def __init__(
        self,
        db: Database,
        support: Sequence[Channel],
        operators: Sequence[Channel] = (),
        *,
        public_url: str = "",
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Send to the channels of the support team and of the operators, by default the support team's.

        `public_url` begins the addresses of pages; `jitter` (0 … 1) spreads the attempts of several processes.
        """
        super().__init__(Worker("support-alerts", self._send_some, poll_s=POLL_S, stop_s=STOP_S))
        self._db = db
        self._support = [channel.fingerprint for channel in support]
        self._operators = [channel.fingerprint for channel in operators] or self._support
        self._channels = {channel.fingerprint: channel for channel in (*support, *operators)}
        self._jitter = jitter
        self._public_url = public_url
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="alerts")

    def record(self, tx: WriteTx, *, title: str, text: str, at_ms: int) -> None:
        """Write an alert to the support team in the transaction of its cause."""
        store.record(tx, kind=AlertKind.SUPPORT, channels=self._support, title=title, text=text, at_ms=at_ms)

    @property
    def alerts_operators(self) -> bool:
        """Whether operators have a channel."""
        return bool(self._operators)

    def page(self, path: str) -> str:
        """Return the address of a page of the web client, such as `/desk`; its path alone without a public URL."""
        return self._public_url + path

    def record_for_operators(self, tx: WriteTx, *, title: str, text: str, at_ms: int) -> None:
        """Write an alert to the operators in the transaction of its cause; it is tried until it is sent."""
        store.record(tx, kind=AlertKind.OPERATOR, channels=self._operators, title=title, text=text, at_ms=at_ms)

    def start(self) -> None:
        """Begin to send, alerts of earlier processes included."""
        if self._channels:
            super().start()

    async def stop(self) -> None:
        """Send nothing more; wait for messages under way."""
        await super().stop()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _send_some(self) -> bool:
        """Send to every channel that alerts wait for; return whether there was any."""
        channels = self._channels
        # A read first: on SQLite a write transaction holds up every order.
        due = await self._db.read(lambda tx: store.due_channels(tx, channels=channels, now_ms=now_ms(tx)))
        sent = await asyncio.gather(*(self._send_to(self._channels[fingerprint]) for fingerprint in due))
        return any(sent)

    async def _send_to(self, channel: Channel) -> bool:
        """Send all alerts that wait for a channel as one message; return whether there was any."""
        claim = await self._db.write_private(lambda tx: store.claim(tx, channel.fingerprint, now_ms=now_ms(tx)))
        if claim is None:
            return False
        loop = asyncio.get_running_loop()
        sent = await loop.run_in_executor(self._threads, channel.send, *message(claim))
        about = {"alerts": claim.count, "channel": channel.kind, "attempt": claim.attempt}
        if sent:
            log.info("support alert sent", **about)
            await persist(self._db, lambda tx: _note_sent(tx, claim))
            return True
        log.warning("support alert put off", **about)
        pause_ms = BACK_OFF.pause_ms(claim.attempt, jitter=self._jitter())
        await persist(self._db, lambda tx: _put_off(tx, claim, pause_ms=pause_ms))
        return True


def _note_sent(tx: WriteTx, claim: ClaimedAlert) -> None:
    at_ms = now_ms(tx)
    store.note_sent(tx, claim, at_ms=at_ms, free_at_ms=at_ms + GAP_MS)


def _put_off(tx: WriteTx, claim: ClaimedAlert, *, pause_ms: int) -> None:
    at_ms = now_ms(tx)
    too_old_ms = at_ms - GIVE_UP_AFTER_MS
    if claim.created_at_ms <= too_old_ms and AlertKind.SUPPORT in claim.kinds:
        log.error("support alert given up", alerts=claim.count, attempt=claim.attempt)
    store.put_off(tx, claim, due_at_ms=at_ms + pause_ms, given_up_at_ms=at_ms, give_up_before_ms=too_old_ms)


def message(claim: ClaimedAlert) -> tuple[str, str]:
    """Return title and text of what is sent for a claim: one visitor as recorded, several as a crowd."""
    if claim.count == 1:
        return claim.title, claim.texts[0]
    more = claim.count - len(claim.texts)
    lines = [*claim.texts, *([f"And {more} more."] if more else [])]
    if claim.kinds == {AlertKind.SUPPORT}:
        return f"{claim.count} visitors wait for an operator", "\n".join(lines)
    return f"{claim.count} alerts", "\n".join(lines)
