"""Jobs are done piece by piece: whatever dies, loses its lease or fails, another goes on, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.market.assets.tables import provider_runs
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked, ReadTx, WriteTx
from foreknow.platform.jobs import JobPiece, JobTable, PiecewiseWorker, piecewise
from foreknow.platform.jobs.piecewise import ATTENTION_ATTEMPTS, BACK_OFF, BATCH_MAX, LEASE_MS, POLL_S, LeaseLost
from tests.support.clock import ShiftableClock
from tests.support.proofs import proves

#: A table of the service whose rows need no others: `run` counts the pieces of a job, `failures` its claims.
_C = provider_runs.c
JOBS = JobTable(_C.provider, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.failures)
#: Pieces of each job, without the last, which finds nothing left.
PIECES = 5


@dataclass
class Work:
    """Does jobs of `PIECES` pieces, and notes what it did; pieces raise `failure` as long as it is set."""

    db: Database
    #: The key and the place of each piece that committed or was rolled back.
    begun: list[tuple[str, int]] = field(default_factory=list)
    committed: list[str] = field(default_factory=list)
    failing: list[str] = field(default_factory=list)
    failure: Exception | None = None

    def piece(self, tx: WriteTx, key: str, place: int) -> JobPiece[int]:
        """Do a piece under the lock of the job's row, which stands for that of a pool."""
        self.begun.append((key, place))
        if self.failure is not None:
            raise self.failure
        query = sa.select(_C.run).where(_C.provider == key).with_for_update()
        done = tx.execute(query).scalar_one()
        if done == PIECES:
            return JobPiece(place, is_last=True)
        tx.execute(provider_runs.update().where(_C.provider == key).values(run=done + 1))
        return JobPiece(place + 1, rests=True, rows=1)

    def worker(self, *, turn_pieces: int = 100, rest_share: float = 0.0) -> PiecewiseWorker[int]:
        """Return one more process that does this work."""

        def alert(tx: WriteTx, key: str) -> None:
            # That a transaction writes is what is tried.
            tx.execute(provider_runs.update().where(_C.provider == key).values(succeeded_at_ms=1))
            self.failing.append(key)

        def note(keys: Collection[Any]) -> None:
            self.committed.extend(keys)

        return PiecewiseWorker(
            "test",
            self.db,
            JOBS,
            self.piece,
            start=0,
            turn_pieces=turn_pieces,
            rest_share=rest_share,
            on_failing=alert,
            on_commit=[note],
        )


@pytest.fixture
def clock() -> ShiftableClock:
    """It stands still: a lease or a pause ends when a test says so, however slow the machine is."""
    return ShiftableClock.standing()


@pytest.fixture
def work(db: Database) -> Work:
    return Work(db)


async def insert(db: Database, clock: ShiftableClock, *keys: str) -> None:
    rows = [
        {"provider": key, "due_at_ms": clock() - len(keys) + at, "run": 0, "failures": 0} for at, key in enumerate(keys)
    ]
    await db.write(lambda tx: tx.execute(provider_runs.insert(), rows))


async def row(db: Database, key: str = "a") -> Any:
    return await db.read(lambda tx: tx.execute(sa.select(provider_runs).where(_C.provider == key)).mappings().first())


async def finish(worker: PiecewiseWorker[int]) -> None:
    while await worker.run_due():
        pass


async def test_a_job_is_done_from_place_to_place_and_each_commit_is_noted(
    db: Database, clock: ShiftableClock, work: Work
) -> None:
    await insert(db, clock, "a")
    worker = work.worker()
    await finish(worker)
    assert work.begun == [("a", place) for place in (0, 1, 2, 3, 4, 5)]
    assert work.committed == ["a"] * (PIECES + 1)
    assert await row(db) is None
    metrics = worker.metrics
    assert (metrics.jobs, metrics.rows, sum(metrics.pieces_s.counts)) == (1, PIECES, PIECES)


async def test_jobs_have_their_turn_one_piece_at_a_time(db: Database, clock: ShiftableClock, work: Work) -> None:
    keys = [f"job-{number:02}" for number in range(BATCH_MAX + 1)]
    await insert(db, clock, *keys)
    worker = work.worker(turn_pieces=2)
    assert await worker.run_due()
    # Two pieces of each but the last, which was not among the first to be leased.
    assert sorted(work.committed) == sorted(2 * keys[:-1])
    clock.advance(1)
    assert await worker.run_due()
    assert keys[-1] in work.committed
    clock.advance(1)
    await finish(worker)
    assert sorted(work.committed) == sorted((PIECES + 1) * keys)


async def test_several_processes_do_each_piece_once(db: Database, clock: ShiftableClock, work: Work) -> None:
    await insert(db, clock, *"abcdefg")
    workers = [work.worker(turn_pieces=2) for _ in range(4)]
    await asyncio.gather(*map(finish, workers))
    await finish(workers[0])
    assert sum(worker.metrics.rows for worker in workers) == 7 * PIECES
    assert sum(worker.metrics.jobs for worker in workers) == 7


@proves(
    "lifecycle: Whatever dies, another goes on within 5 s;",
)
async def test_what_a_dead_process_left_is_done_when_its_lease_ends(
    db: Database, clock: ShiftableClock, work: Work
) -> None:
    await insert(db, clock, "a")
    dead, alive = work.worker(), work.worker()
    (claim,) = await db.write_private(lambda tx: JOBS.claim(tx, now_ms=clock(), limit=1))
    assert await dead.do_piece(claim) is not None
    assert not await alive.run_due()
    # It looks at least that often, and 5 s are allowed.
    assert LEASE_MS + POLL_S * 1_000 < 5_000
    clock.advance(LEASE_MS + 1)
    await finish(alive)
    assert (dead.metrics.rows, alive.metrics.rows) == (1, PIECES - 1)
    assert await row(db) is None


async def test_a_lease_is_renewed_while_the_work_goes_on(
    db: Database, clock: ShiftableClock, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    await insert(db, clock, "a")
    monkeypatch.setattr(piecewise, "RENEW_S", 0.0)
    other = work.worker()
    found: list[bool] = []

    class Slow(Work):
        """Each piece takes most of a lease."""

        def piece(self, tx: WriteTx, key: str, place: int) -> JobPiece[int]:
            clock.advance(LEASE_MS - 1_000)
            found.append(bool(JOBS.claim(tx, now_ms=clock(), limit=1)))
            return super().piece(tx, key, place)

    slow = Slow(db).worker()
    await finish(slow)
    assert not any(found)
    assert not await other.run_due()
    assert slow.metrics.jobs == 1


async def test_who_lost_the_lease_writes_nothing(db: Database, clock: ShiftableClock, work: Work) -> None:
    await insert(db, clock, "a")
    late, other = work.worker(), work.worker()
    (claim,) = await db.write_private(lambda tx: JOBS.claim(tx, now_ms=clock(), limit=1))
    held = await late.do_piece(claim)
    assert held is not None
    clock.advance(LEASE_MS + 1)
    (current,) = await db.write_private(lambda tx: JOBS.claim(tx, now_ms=clock(), limit=1))
    before = await row(db)
    assert not await late._take_turn(held)
    assert await row(db) == before
    assert await other._take_turn(current)
    assert await row(db) is None
    assert (late.metrics.rows, other.metrics.rows) == (1, PIECES - 1)


async def test_who_lost_the_lease_between_renewals_does_not_end_the_job(
    db: Database, clock: ShiftableClock, work: Work
) -> None:
    """It does pieces, which are its own under their locks, until it looks at the lease."""
    await insert(db, clock, "a")
    late = work.worker()
    (claim,) = await db.write_private(lambda tx: JOBS.claim(tx, now_ms=clock(), limit=1))
    clock.advance(LEASE_MS + 1)
    (current,) = await db.write_private(lambda tx: JOBS.claim(tx, now_ms=clock(), limit=1))
    for _ in range(PIECES):
        assert await late.do_piece(claim, renews=False) == claim
    with pytest.raises(LeaseLost):
        await late.do_piece(claim, renews=False)
    assert (await row(db))["run"] == PIECES
    other = work.worker()
    assert await other.do_piece(current) is None
    assert (late.metrics.jobs, other.metrics.jobs) == (0, 1)


async def test_a_stopping_process_leaves_the_rest_at_once(db: Database, clock: ShiftableClock, work: Work) -> None:
    await insert(db, clock, "a")
    leaving, staying = work.worker(), work.worker()
    await leaving.stop()
    assert await leaving.run_due()
    assert work.committed == ["a"]
    # No lease to wait for.
    assert (await row(db))["due_at_ms"] <= clock()
    await finish(staying)
    assert await row(db) is None


async def test_a_job_that_makes_no_progress_calls_for_a_person_until_it_does(
    db: Database, clock: ShiftableClock, work: Work
) -> None:
    await insert(db, clock, "a")
    worker = work.worker()
    work.failure = RuntimeError("odd")
    for _ in range(ATTENTION_ATTEMPTS):
        assert work.failing == []
        with pytest.raises(RuntimeError, match="odd"):
            await worker.run_due()
        clock.advance(LEASE_MS + 1)
    assert work.failing == ["a"]
    assert (await row(db))["succeeded_at_ms"] == 1
    work.failure = None
    (claim,) = await db.write_private(lambda tx: JOBS.claim(tx, now_ms=clock(), limit=1))
    assert claim.attempt == ATTENTION_ATTEMPTS + 1
    assert await worker.do_piece(claim) is not None
    assert (await row(db))["failures"] == 0


async def test_a_job_whose_rows_another_session_holds_is_put_off(
    db: Database, clock: ShiftableClock, work: Work
) -> None:
    await insert(db, clock, "a")
    work.failure = Locked()
    worker = work.worker()
    assert await worker.run_due()
    assert (await row(db))["due_at_ms"] <= clock() + 2 * BACK_OFF.pause_ms(1, jitter=1.0)
    work.failure = None
    clock.advance(LEASE_MS)
    await finish(worker)
    assert await row(db) is None


class Sleeps:
    """The module `asyncio`, as the worker sees it: it notes each sleep instead of sleeping."""

    Event = asyncio.Event

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def test_a_second_of_pieces_is_followed_by_a_share_of_rest(
    db: Database, clock: ShiftableClock, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    await insert(db, clock, "a")
    worker, sleeps = work.worker(rest_share=0.5), Sleeps()
    monkeypatch.setattr(piecewise, "asyncio", sleeps)
    await finish(worker)
    # Not after the last, which found nothing to do.
    assert len(sleeps.seconds) == PIECES
    assert sum(sleeps.seconds) == pytest.approx(worker.metrics.pieces_s.total / 2)


async def test_a_request_waits_no_longer_than_it_may(db: Database, clock: ShiftableClock, work: Work) -> None:
    await insert(db, clock, "a")
    worker, other = work.worker(), work.worker()

    def is_done(tx: ReadTx) -> bool:
        return tx.execute(sa.select(_C.provider)).first() is None

    await worker.wait_until(is_done, wait_s=0.02)
    assert await row(db) is not None
    # Whichever process does it.
    waiting = asyncio.gather(*(one.wait_until(is_done, wait_s=600) for one in (worker, other)))
    await finish(worker)
    await waiting
