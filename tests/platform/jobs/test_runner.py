"""Due rows are claimed by one process at a time, handled, put off and settled, on both databases."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from foreknow.kernel.backoff import BackOff
from foreknow.market.assets.store import LEASE_MS, RUNS
from foreknow.market.assets.tables import provider_runs
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Claim, JobFailed, JobRunner, JobTable
from tests.support.clock import ShiftableClock

#: A table of the service whose rows need no others.
KEYS = [f"job-{number}" for number in range(12)]
BACK_OFF = BackOff(first_ms=1_000, most_ms=60_000)


class Handler:
    """Settles jobs, or fails as long as `failure` is set."""

    def __init__(self, db: Database, jobs: JobTable = RUNS) -> None:
        self.db = db
        self.jobs = jobs
        self.claims: list[Claim] = []
        self.failure: Exception | None = None

    async def __call__(self, claim: Claim) -> bool:
        self.claims.append(claim)
        if self.failure is not None:
            raise self.failure
        return await self.db.write_private(lambda tx: self.jobs.delete(tx, claim))


@pytest.fixture
def clock() -> ShiftableClock:
    """It stands still: a lease or a pause ends when a test says so, however slow the machine is."""
    return ShiftableClock.standing()


@pytest.fixture
async def handler(db: Database, clock: ShiftableClock) -> Handler:
    def insert(tx: WriteTx) -> None:
        rows = [{"provider": key, "due_at_ms": clock() + at, "run": 0, "failures": 0} for at, key in enumerate(KEYS)]
        tx.execute(provider_runs.insert(), rows)

    await db.write(insert)
    return Handler(db)


def runner(handler: Handler, *, batch_max: int = 5) -> JobRunner:
    return JobRunner(
        "test", handler.db, handler.jobs, handler, back_off=BACK_OFF, batch_max=batch_max, jitter=lambda: 0.0
    )


async def left(db: Database) -> list[str]:
    query = sa.select(provider_runs.c.provider).order_by(provider_runs.c.due_at_ms)
    return list(await db.read(lambda tx: tx.execute(query).scalars().all()))


async def test_what_is_due_longest_is_handled_first_and_what_is_not_due_is_left(
    db: Database, clock: ShiftableClock, handler: Handler
) -> None:
    clock.advance(6)
    assert await runner(handler).run_due() == [True] * 5
    assert await left(db) == KEYS[5:]


async def test_several_processes_share_no_job(db: Database, clock: ShiftableClock, handler: Handler) -> None:
    clock.advance(100)
    several = [runner(handler) for _ in range(4)]
    while await left(db):
        await asyncio.gather(*(one.run_due() for one in several))
    assert sorted(claim.key for claim in handler.claims) == sorted(KEYS)


async def test_a_job_that_fails_is_put_off_with_growing_pauses(
    db: Database, clock: ShiftableClock, handler: Handler
) -> None:
    handler.failure = JobFailed("not now")
    one = runner(handler)
    for attempt in range(1, 4):
        assert await one.run_due(only=KEYS[:1]) == [False]
        assert handler.claims[-1].attempt == attempt
        pause_ms = BACK_OFF.pause_ms(attempt, jitter=0)
        clock.advance(pause_ms - 1_000)
        assert await one.run_due(only=KEYS[:1]) == []
        clock.advance(1_000)


async def test_an_unexpected_failure_lets_the_others_end_and_its_job_is_due_after_the_lease(
    db: Database, clock: ShiftableClock, handler: Handler
) -> None:
    clock.advance(100)
    handler.failure = RuntimeError("odd")
    with pytest.raises(RuntimeError, match="odd"):
        await runner(handler).run_due()
    assert len(handler.claims) == 5
    handler.failure = None
    assert await runner(handler).run_due(only=KEYS[:5]) == []
    clock.advance(LEASE_MS)
    assert await runner(handler).run_due(only=KEYS[:5]) == [True] * 5


async def test_who_lost_the_lease_changes_nothing(db: Database, clock: ShiftableClock, handler: Handler) -> None:
    late, *_ = await db.write(lambda tx: RUNS.claim(tx, now_ms=clock(), limit=1))
    clock.advance(LEASE_MS)
    current, *_ = await db.write(lambda tx: RUNS.claim(tx, now_ms=clock(), limit=1, only=[late.key]))
    for settle in (RUNS.delete, lambda tx, claim: RUNS.put_off(tx, claim, due_at_ms=0)):
        assert not await db.write(lambda tx, settle=settle: settle(tx, late))  # type: ignore[misc]
    assert await db.write(lambda tx: RUNS.reschedule(tx, current, due_at_ms=clock() + 1_000, failures=0))


async def test_a_renewed_lease_lasts_longer_and_one_that_was_lost_is_not_renewed(
    db: Database, clock: ShiftableClock, handler: Handler
) -> None:
    clock.stop_at(clock() + 100)
    first, *_ = await db.write(lambda tx: RUNS.claim(tx, now_ms=clock(), limit=1, only=KEYS[:1]))
    # Even where the clock stands still, each renewal is another claim.
    renewed = await db.write(lambda tx: RUNS.renew(tx, first, now_ms=clock()))
    assert renewed is not None
    assert renewed.lease_ends_at_ms == first.lease_ends_at_ms + 1
    assert await db.write(lambda tx: RUNS.renew(tx, first, now_ms=clock())) is None
    clock.stop_at(clock() + LEASE_MS)
    assert await db.write(lambda tx: RUNS.claim(tx, now_ms=clock(), limit=1, only=KEYS[:1])) == []
    longer = await db.write(lambda tx: RUNS.renew(tx, renewed, now_ms=clock(), failures=7))
    assert longer is not None
    assert longer.lease_ends_at_ms == clock() + LEASE_MS
    clock.stop_at(clock() + LEASE_MS)
    assert len(await db.write(lambda tx: RUNS.claim(tx, now_ms=clock(), limit=1, only=KEYS[:1]))) == 1
    assert await db.write(lambda tx: RUNS.renew(tx, longer, now_ms=clock())) is None


async def test_a_named_job_needs_no_row_before_its_first_run(
    db: Database, clock: ShiftableClock, handler: Handler
) -> None:
    assert await runner(handler).run_named("new", run=0, failures=0)
    assert [claim.key for claim in handler.claims] == ["new"]


async def test_several_processes_find_a_missing_row_and_one_claims_it(db: Database, clock: ShiftableClock) -> None:
    claims = await asyncio.gather(
        *(db.write(lambda tx: RUNS.claim_named(tx, "new", now_ms=clock(), run=0, failures=0)) for _ in range(4))
    )
    assert [claim.attempt for claim in claims if claim is not None] == [1]


async def test_a_claim_notes_its_time_where_the_table_has_a_column_for_it(
    db: Database, clock: ShiftableClock, handler: Handler
) -> None:
    await db.write(lambda tx: RUNS.claim(tx, now_ms=clock() + 60_000, limit=1, only=KEYS[:1]))
    columns = provider_runs.c
    query = sa.select(columns.began_at_ms, columns.due_at_ms).where(columns.provider.in_(KEYS[:2]))
    rows = await db.read(lambda tx: tx.execute(query.order_by(columns.provider)).all())
    assert rows[0].began_at_ms == rows[0].due_at_ms - LEASE_MS
    assert rows[1].began_at_ms is None


async def test_what_is_not_claimable_is_left_alone(db: Database, clock: ShiftableClock, handler: Handler) -> None:
    clock.advance(100)
    columns = provider_runs.c
    handler.jobs = JobTable(
        columns.provider, columns.due_at_ms, lease_ms=LEASE_MS, claimable=columns.provider != KEYS[0]
    )
    one = runner(handler, batch_max=100)
    assert await one.run_due() == [True] * 11
    assert await one.run_due() == []
    assert await left(db) == [KEYS[0]]
