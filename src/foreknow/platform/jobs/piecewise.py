"""Jobs in pieces: long work as short transactions, between which others get the locks that it takes.

The process that leases a job renews the lease once a second, so what a killed process leaves is due again a lease
later. The lease keeps processes apart, no more: it may be lost between two renewals. That a piece does nothing twice is
up to its own locks.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked, ReadTx, WriteTx
from foreknow.platform.jobs.leases import Claim, JobTable
from foreknow.platform.jobs.runner import JobFailed, JobRunner
from foreknow.platform.jobs.worker import Background, Worker

#: Rows of a piece. On SQLite all orders wait for a piece, and multiples of 16 are written in the fewest statements;
#: elsewhere those wait that want the same rows.
PIECE_SQLITE, PIECE_POSTGRES = 64, 200
#: How often a process looks for jobs.
POLL_S = 1.0
#: Jobs that a process does by turns.
BATCH_MAX = 8
#: After the death of a process another goes on this much later, and its poll.
LEASE_MS = 3_000
#: Age of a lease that is renewed: with the time of a piece, well within it.
RENEW_S = 1.0
BACK_OFF = BackOff(first_ms=500, most_ms=10_000)
#: Attempts without a piece after which operators are alerted.
ATTENTION_ATTEMPTS = 5
#: Longest wait at shutdown for the piece under way.
STOP_S = 10.0
#: Longest wait of a request for a job, and between its looks at it.
WAIT_S = 10.0
LOOK_FIRST_S, LOOK_MAX_S = 0.01, 0.25

#: Where a piece begins. It may be too early: what is done already, a piece finds done. It must never be too late, and a
#: process keeps it while others go on, end the job and begin another with its key. So what lies before a place stays
#: done, or the place names the work that it is a place of, and the piece looks whether it is still that.
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class JobPiece(Generic[Place]):
    """What one transaction did of a job."""

    #: Where the next piece begins.
    place: Place
    #: Nothing is left; the transaction deletes the job's row.
    is_last: bool = False
    #: Whether a rest follows.
    rests: bool = False
    #: Rows that count in the metrics; a piece without any is not measured.
    rows: int = 0


@dataclass(slots=True)
class PieceMetrics:
    """What this process has done since its start."""

    jobs: int = 0
    rows: int = 0
    #: Duration of each piece, without the wait for SQLite's write lock and the commit.
    pieces_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))


def piece_rows(db: Database) -> int:
    """Return how many rows a piece of work has."""
    return PIECE_SQLITE if db.is_sqlite else PIECE_POSTGRES


class LeaseLost(Exception):
    """Another process does the job; nothing of the transaction is written."""


class PiecewiseWorker(Background, Generic[Place]):
    """Does jobs of one kind in pieces, in the background."""

    def __init__(
        self,
        kind: str,
        db: Database,
        jobs: JobTable,
        piece: Callable[[WriteTx, Any, Place], JobPiece[Place]],
        *,
        start: Place,
        turn_pieces: int,
        rest_share: float,
        on_failing: Callable[[WriteTx, Any], None],
        on_commit: Sequence[Callable[[Collection[Any]], None]] = (),
        poll_s: float = POLL_S,
    ) -> None:
        """`piece` does the next of what is left of the job with a key, from a place on, the first time from `start`.

        After `turn_pieces` of them the jobs that fell due meanwhile have their turn. A second of pieces that rest is
        followed by `rest_share` seconds of rest. `on_failing` is called with the key of a job that makes no progress,
        in a transaction of its own; `on_commit` with the key after each commit.
        """
        super().__init__(Worker(kind, self.run_due, poll_s=poll_s, stop_s=STOP_S))
        self._db = db
        self._jobs = jobs
        self._piece = piece
        self._start = start
        self._turn_pieces = turn_pieces
        self._rest_share = rest_share
        self._on_failing = on_failing
        self._on_commit = tuple(on_commit)
        self._runner = JobRunner(kind, db, jobs, self._take_turn, back_off=BACK_OFF, batch_max=BATCH_MAX)
        self._is_stopping = False
        #: One piece at a time: several would keep SQLite's other writers waiting, or hold their locks for longer.
        self._one = asyncio.Lock()
        #: How far this process has come with the jobs it has begun.
        self._places: dict[Any, Place] = {}
        #: Set and replaced whenever a job is done.
        self._done = asyncio.Event()
        self.metrics = PieceMetrics()

    async def stop(self) -> None:
        """Finish the piece under way; what is left is due at once for other processes."""
        self._is_stopping = True
        await super().stop()

    async def run_due(self) -> bool:
        """Do some of what is due; return whether anything was."""
        return bool(await self._runner.run_due())

    async def wait_until(self, is_done: Callable[[ReadTx], bool], *, wait_s: float = WAIT_S) -> None:
        """Return once that is so, whichever process has done it, or after `wait_s`."""
        self.wake()
        until_s, look_s = time.monotonic() + wait_s, LOOK_FIRST_S
        while True:
            done = self._done
            if await self._db.lookup(is_done):
                return
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                return
            try:
                async with asyncio.timeout(min(look_s, left_s)):
                    await done.wait()
            except TimeoutError:
                pass
            look_s = min(2 * look_s, LOOK_MAX_S)

    async def do_piece(self, claim: Claim, *, renews: bool = True) -> Claim | None:
        """Commit the next piece of a leased job; return the claim from now on, None once the job is done.

        Raises `LeaseLost`, which a piece that `renews` no lease notices only if it is the last.
        """
        async with self._one:
            place = self._places.get(claim.key, self._start)
            held, piece, took_s = await self._db.write_brief(lambda tx: self._commit(tx, claim, place, renews=renews))
            self._note(claim.key, piece, took_s)
            if piece.rests and self._rest_share:
                await asyncio.sleep(self._rest_share * took_s)
        return held

    async def _take_turn(self, claim: Claim) -> bool:
        """Do pieces of a leased job for a while; return whether the lease was still ours."""
        if claim.attempt >= ATTENTION_ATTEMPTS:
            await self._db.write_private(lambda tx: self._on_failing(tx, claim.key))
        current: Claim = claim
        renew_at_s = 0.0
        try:
            for _ in range(self._turn_pieces):
                began_s = time.perf_counter()
                is_old = began_s >= renew_at_s
                held = await self.do_piece(current, renews=is_old)
                if held is None:
                    return True
                current = held
                if is_old:
                    renew_at_s = began_s + RENEW_S
                if self._is_stopping:
                    break
        except LeaseLost:
            self._places.pop(claim.key, None)
            return False
        except Locked as locked:
            raise JobFailed("another session holds what the next piece locks") from locked
        last = current
        return await self._db.write_private(lambda tx: self._jobs.reschedule(tx, last, due_at_ms=now_ms(tx)))

    def _commit(
        self, tx: WriteTx, claim: Claim, place: Place, *, renews: bool
    ) -> tuple[Claim | None, JobPiece[Place], float]:
        """Do a piece, and settle or renew the lease last: its row stays locked until the commit."""
        began_s = time.perf_counter()
        piece = self._piece(tx, claim.key, place)
        held: Claim | None = claim
        if piece.is_last:
            if not self._jobs.delete(tx, claim):
                raise LeaseLost
            held = None
        elif renews:
            held = self._jobs.renew(tx, claim, now_ms=now_ms(tx), resets_claims=True)
            if held is None:
                raise LeaseLost
        return held, piece, time.perf_counter() - began_s

    def _note(self, key: Any, piece: JobPiece[Place], took_s: float) -> None:
        self._places[key] = piece.place
        self.metrics.rows += piece.rows
        if piece.rows:
            self.metrics.pieces_s.add(took_s)
        if piece.is_last:
            del self._places[key]
            self.metrics.jobs += 1
        for callback in self._on_commit:
            callback([key])
        if piece.is_last:
            self._done.set()
            self._done = asyncio.Event()
