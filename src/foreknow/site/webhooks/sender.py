"""The worker that delivers: it leases webhooks with messages that wait, and posts these one after the other."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

import httpx2
import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import DAY_MS, HOUR_MS, SECOND_MS, Clock
from foreknow.people import attention
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.fetching import Fetcher, FetchFailed, OutsideTransport, PublicTransport
from foreknow.platform.jobs import Background, Claim, JobTable, Worker
from foreknow.platform.sending import HELD_TEXT, is_held
from foreknow.site.webhooks import messages, store
from foreknow.site.webhooks.addresses import is_internal, problem_of
from foreknow.site.webhooks.messages import Message
from foreknow.site.webhooks.service import ATTENTION_KIND, ATTENTION_REASON
from foreknow.site.webhooks.store import DELIVERIES, RETRIES, Progress, Webhook

log = structlog.get_logger("foreknow.webhooks")

#: How often a process looks for messages, and the shortest time between two looks after commits of its own.
POLL_S = 1.0
PACE_S = 0.5
#: Webhooks that a process delivers to at the same time, and those among failing ones, which have places of their own:
#: however many never answer, the others do not wait for them.
DELIVERIES_MAX = 96
RETRIES_MAX = 32
#: Time limit of an attempt.
ANSWER_S = 15.0
#: Longest time between two writes of a cursor; what a process delivers in between comes twice if it dies.
SAVE_S = 1.0
#: Time after which others that wait have their turn.
TURN_S = 20.0
#: Longest wait at shutdown for the attempts under way.
STOP_S = 5.0
BACK_OFF = BackOff(first_ms=5 * SECOND_MS, most_ms=6 * HOUR_MS)
#: How long a webhook fails before a person should look.
ATTENTION_AFTER_MS = 3 * DAY_MS
REASON_LENGTH_MAX = 300


@dataclass
class WebhookMetrics:
    """What came of this process's attempts since its start, those of tests aside."""

    taken: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class _Lease:
    """A webhook that this process delivers to."""

    claim: Claim
    webhook: Webhook


class WebhookSender(Background):
    """Delivers to partners' webhooks while the service runs."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        *,
        internal_hosts: Collection[str] = (),
        poll_s: float = POLL_S,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`clock` (Unix milliseconds) dates the attempts; `jitter` (0 … 1) spreads them.

        `internal_hosts` may be addressed though they are not public.
        """
        super().__init__(Worker("webhooks", self._begin_due, poll_s=poll_s, pace_s=PACE_S))
        self.metrics = WebhookMetrics()
        self._db = db
        self._clock = clock
        self._internal_hosts = internal_hosts
        self._jitter = jitter
        self._is_stopping = False
        #: What delivers, and what delivers to webhooks whose last attempt failed.
        self._delivering: set[asyncio.Task[None]] = set()
        self._retrying: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        """Finish the attempts under way, and write how far each webhook has come."""
        self._is_stopping = True
        await super().stop()
        running = self._delivering | self._retrying
        if running:
            await asyncio.wait(running, timeout=STOP_S)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def deliver_due(self) -> None:
        """Deliver what is due; return when nothing is under way."""
        await self._begin_due()
        await asyncio.gather(*self._delivering, *self._retrying)

    async def test(self, webhook: Webhook) -> str:
        """Post a test message; return why it was not taken, "" if it was."""
        if await self._db.lookup(is_held):
            return HELD_TEXT
        poster = self._poster(webhook)
        signing = await self._db.lookup(lambda tx: store.live_secrets(tx, webhook.partner_id, at_ms=self._clock()))
        try:
            await self._post(poster, webhook.url, messages.of_test(self._clock()), signing)
        except FetchFailed as failure:
            return str(failure)[:REASON_LENGTH_MAX]
        finally:
            await poster.close()
        return ""

    async def _begin_due(self) -> None:
        free = {
            DELIVERIES: DELIVERIES_MAX - len(self._delivering),
            RETRIES: RETRIES_MAX - len(self._retrying),
        }
        # A read first: on SQLite a write transaction holds up every order.
        due = await self._db.read(
            lambda tx: [jobs for jobs in free if free[jobs] > 0 and jobs.is_any_due(tx, now_ms=now_ms(tx))]
        )
        for jobs in due:
            claims = await self._db.write_private(partial(_claim, jobs, limit=free[jobs]))
            for claim in claims:
                task = asyncio.create_task(self._deliver(claim), name="webhook")
                (self._retrying if jobs is RETRIES else self._delivering).add(task)
                task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._delivering.discard(task)
        self._retrying.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            # Its lease ends by itself.
            log.error("webhook delivery failed", reason=repr(failure), exc_info=failure)
        if not self._is_stopping:
            self.wake()

    async def _deliver(self, claim: Claim) -> None:
        """Post what waits for a leased webhook, until nothing does, an attempt fails, or its turn is over."""
        until_s = time.monotonic() + TURN_S
        webhook = await self._db.read(lambda tx: store.find(tx, claim.key))
        if webhook is None:
            return
        poster = self._poster(webhook)
        try:
            lease: _Lease | None = _Lease(claim, webhook)
            while lease is not None:
                lease = await self._step(poster, lease, until_s=until_s)
        finally:
            await poster.close()

    async def _step(self, poster: Fetcher, lease: _Lease, *, until_s: float) -> _Lease | None:
        """Post some of what waits, and write how far the webhook has come; None where that was all for now."""
        webhook = lease.webhook
        waiting, signing = await self._db.read(lambda tx: self._next(tx, webhook))
        progress, failure = await self._post_all(poster, webhook, waiting, signing)
        if failure or not waiting or self._is_stopping or time.monotonic() > until_s:
            await self._db.write_private(lambda tx: self._settle(tx, lease, progress, failure))
            return None
        return await self._db.write_private(lambda tx: _save(tx, lease, progress))

    def _next(self, tx: ReadTx, webhook: Webhook) -> tuple[Sequence[Message], Sequence[str]]:
        if is_held(tx):
            return [], []
        signing = store.live_secrets(tx, webhook.partner_id, at_ms=self._clock())
        return store.next_messages(tx, webhook), signing

    async def _post_all(
        self, poster: Fetcher, webhook: Webhook, waiting: Sequence[Message], signing: Sequence[str]
    ) -> tuple[Progress, str]:
        """Post messages until one fails, or it is time to write how far this has come; return that, and why it ended.

        The reason is "" where none failed.
        """
        progress = Progress(webhook.line_id)
        save_at_s = time.monotonic() + SAVE_S
        for message in waiting:
            try:
                await self._post(poster, webhook.url, message, signing)
            except FetchFailed as failure:
                self.metrics.failed += 1
                return progress, str(failure)[:REASON_LENGTH_MAX]
            except asyncio.CancelledError:
                if not self._is_stopping:
                    raise
                # Not the receiver's fault: the message is posted again, by whichever process is there.
                break
            self.metrics.taken += 1
            progress = progress.after(message, at_ms=self._clock())
            if self._is_stopping or time.monotonic() > save_at_s:
                break
        return progress, ""

    async def _post(self, poster: Fetcher, url: str, message: Message, signing: Sequence[str]) -> None:
        """Make one attempt; `FetchFailed` unless it is answered with a 2xx."""
        # Addresses that were allowed once may not be any more.
        problem = problem_of(url, self._internal_hosts)
        if problem is not None:
            raise FetchFailed(f"the URL {problem}")
        body = message.body()
        status = await poster.post(url, body, messages.headers(message.id, body, signing, at_ms=self._clock()))
        if not httpx2.codes.is_success(status):
            raise FetchFailed(f"status {status}")

    def _poster(self, webhook: Webhook) -> Fetcher:
        if is_internal(webhook.url, self._internal_hosts):
            return Fetcher(answer_s=ANSWER_S, transport=OutsideTransport())
        # One name alone is reached through it, so that its connection can be kept.
        return Fetcher(answer_s=ANSWER_S, transport=PublicTransport(connections_kept=1))

    def _settle(self, tx: WriteTx, lease: _Lease, progress: Progress, failure: str) -> None:
        """Write how far a webhook has come, and when it is due again; nothing where the lease was lost."""
        at_ms, webhook = now_ms(tx), lease.webhook
        has_delivered = progress.delivered_at_ms is not None
        since_ms = None if has_delivered else webhook.failing_since_ms
        failures = 0 if has_delivered else webhook.failures
        pause_ms = 0
        if failure:
            failures += 1
            since_ms = at_ms if since_ms is None else since_ms
            pause_ms = _bounded_pause_ms(
                BACK_OFF.pause_ms(failures, jitter=self._jitter()), since_ms=since_ms, at_ms=at_ms
            )
            log.warning("webhook put off", partner_id=webhook.partner_id, failures=failures, reason=failure)
        if DELIVERIES.reschedule(
            tx,
            lease.claim,
            due_at_ms=at_ms + pause_ms,
            failures=failures,
            failing_since_ms=since_ms,
            # Cut off by a stop, it is as it was.
            reason=failure or ("" if since_ms is None else webhook.reason),
        ):
            store.write_progress(tx, webhook, progress)
            # What failed before is over with a message that was taken, though the next one failed.
            _note(tx, webhook, None if has_delivered else since_ms, at_ms=at_ms)


def _claim(jobs: JobTable, tx: WriteTx, *, limit: int) -> list[Claim]:
    return jobs.claim(tx, now_ms=now_ms(tx), limit=limit)


def _bounded_pause_ms(pause_ms: int, *, since_ms: int, at_ms: int) -> int:
    """Return a pause that does not pass the moment from which a person should look: the attempt then says so."""
    look_at_ms = since_ms + ATTENTION_AFTER_MS
    return min(pause_ms, look_at_ms - at_ms) if at_ms < look_at_ms else pause_ms


def _save(tx: WriteTx, lease: _Lease, progress: Progress) -> _Lease | None:
    """Write how far a webhook has come, and renew its lease; None where it was lost."""
    at_ms = now_ms(tx)
    renewed = DELIVERIES.renew(tx, lease.claim, now_ms=at_ms, failures=0, failing_since_ms=None, reason="")
    if renewed is None:
        return None
    _note(tx, lease.webhook, None, at_ms=at_ms)
    moved = store.write_progress(tx, lease.webhook, progress)
    return _Lease(renewed, replace(moved, failures=0, failing_since_ms=None))


def _note(tx: WriteTx, webhook: Webhook, failing_since_ms: int | None, *, at_ms: int) -> None:
    """Tell operators of a webhook that has failed for long, until it is well again."""
    if failing_since_ms is None:
        if webhook.failing_since_ms is not None:
            attention.close_entry(tx, ATTENTION_KIND, partner=store.name_of(tx, webhook.partner_id), at_ms=at_ms)
    elif at_ms - failing_since_ms >= ATTENTION_AFTER_MS:
        name = store.name_of(tx, webhook.partner_id)
        attention.open_entry(tx, ATTENTION_KIND, reason=ATTENTION_REASON, partner=name, at_ms=at_ms)
