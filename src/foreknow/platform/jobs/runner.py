"""Handling due rows: read first, claim, handle each on its own, put off what failed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection
from typing import Any

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs.leases import Claim, JobTable

log = structlog.get_logger("foreknow.jobs")

#: Attempts, one a second, to record an outcome that must not be lost.
PERSIST_ATTEMPTS = 60

#: Does a job's work and settles it; returns whether the claim was still its own. `JobFailed` puts the job off.
JobHandler = Callable[[Claim], Awaitable[bool]]


class JobFailed(Exception):
    """A job could not be done now; the text says why in one line."""


class JobRunner:
    """Runs the due jobs of one kind."""

    def __init__(
        self,
        kind: str,
        db: Database,
        jobs: JobTable,
        handle: JobHandler,
        *,
        back_off: BackOff,
        batch_max: int = 1,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Handle up to `batch_max` jobs at the same time; `jitter` (0 … 1) spreads the attempts of several processes.

        `kind` names the jobs in the log.
        """
        self._kind = kind
        self._db = db
        self._jobs = jobs
        self._handle = handle
        self._back_off = back_off
        self._batch_max = batch_max
        self._jitter = jitter

    async def run_due(self, *, only: Collection[Any] | None = None) -> list[bool]:
        """Handle a batch of due jobs, of the keys `only` where given; return for each whether it was settled.

        Raises what the database does. A handler's unexpected failure is raised once all handlers have ended; its job
        is due again when the lease ends.
        """
        # A read first: on SQLite a write transaction holds up every order.
        if only is None and not await self._db.read(lambda tx: self._jobs.is_any_due(tx, now_ms=now_ms(tx))):
            return []
        claims = await self._db.write_private(
            lambda tx: self._jobs.claim(tx, now_ms=now_ms(tx), limit=self._batch_max, only=only)
        )
        return await self._run(claims)

    async def run_named(self, key: Any, **new: Any) -> bool:
        """Handle the job of `key` if it is due, inserting its row with `new` where it is missing.

        Returns whether it was settled; raises as `run_due`.
        """
        if not await self._db.read(lambda tx: self._jobs.is_due(tx, key, now_ms=now_ms(tx))):
            return False
        claim = await self._db.write_private(lambda tx: self._jobs.claim_named(tx, key, now_ms=now_ms(tx), **new))
        return claim is not None and all(await self._run([claim]))

    async def _run(self, claims: Collection[Claim]) -> list[bool]:
        ended = await asyncio.gather(*map(self._run_one, claims), return_exceptions=True)
        for failure in ended:
            if isinstance(failure, BaseException):
                raise failure
        return [outcome is True for outcome in ended]

    async def _run_one(self, claim: Claim) -> bool:
        try:
            return await self._handle(claim)
        except JobFailed as failure:
            pause_ms = self._back_off.pause_ms(claim.attempt, jitter=self._jitter())
            log.warning(
                "job put off",
                kind=self._kind,
                key=claim.key,
                attempt=claim.attempt,
                reason=str(failure),
                pause_ms=pause_ms,
            )
            await self._db.write_private(lambda tx: self._jobs.put_off(tx, claim, due_at_ms=now_ms(tx) + pause_ms))
            return False


async def persist(db: Database, write: Callable[[WriteTx], object]) -> None:
    """Record the outcome of a job whose effect must not be repeated, waiting out a database that is unavailable.

    Gives up after `PERSIST_ATTEMPTS` seconds: the job is then done again.
    """
    for _ in range(PERSIST_ATTEMPTS):
        try:
            await db.write_private(write)
        except Unavailable:
            await asyncio.sleep(1)
        else:
            return
