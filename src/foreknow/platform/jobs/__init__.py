"""Background jobs: rows that fall due, and the workers that handle them.

    leases        claiming due rows: a claim moves the row's due time to the end of a lease
    runner        claims due rows, handles each, puts off those that failed with growing pauses
    piecewise     long jobs in short transactions, with a lease that is renewed
    worker        the loop of a background task: wake, poll, survive failures, stop; what has such loops
    follower      doing what follows from what is new, up to a cursor that all processes share
    throttle      when a worker works: at once after a wake-up, at bounded rates, and now and then without any
    use_recorder  when keys were last used

A new kind of job needs a table with a key and a due time, a `JobTable` that names them, and a handler:

    DELETIONS = JobTable(_C.object, _C.due_at_ms, lease_ms=MINUTE_MS, claims=_C.attempts)
    runner = JobRunner("unused-images", db, DELETIONS, delete, back_off=BACK_OFF, batch_max=8)
    worker = Worker("unused-images", runner.run_due, poll_s=1.0)

`delete(claim)` does the work, settles the claim in its own transaction (`DELETIONS.delete` or `DELETIONS.reschedule`)
and returns whether the claim was still its own; `JobFailed` puts the row off. A row whose process died is due again
when its lease ends, so a handler may run twice for one row.

Work that takes longer than one transaction may is a `PiecewiseWorker`, which needs a function for a piece instead of a
handler: `trading/settlement/payments.py`, `trading/lists/worker.py`.

What follows from rows that others write, trades say, is done by a `Follower`: `site/activity/follower.py`.
"""

from foreknow.platform.jobs.follower import Cursor, Follower, Pieces
from foreknow.platform.jobs.leases import Claim, JobTable
from foreknow.platform.jobs.piecewise import JobPiece, PieceMetrics, PiecewiseWorker
from foreknow.platform.jobs.runner import JobFailed, JobRunner, persist
from foreknow.platform.jobs.worker import Background, Worker

__all__ = [
    "Background",
    "Claim",
    "Cursor",
    "Follower",
    "JobFailed",
    "JobPiece",
    "JobRunner",
    "JobTable",
    "PieceMetrics",
    "Pieces",
    "PiecewiseWorker",
    "Worker",
    "persist",
]
