"""Background jobs: rows that fall due, and the workers that handle them.

    leases        claiming due rows: a claim moves the row's due time to the end of a lease
    runner        claims due rows, handles each, puts off those that failed with growing pauses
    worker        the loop of a background task: wake, poll, survive failures, stop; what has such loops
    throttle      when a worker works: at once after a wake-up, at bounded rates, and now and then without any
    use_recorder  when keys were last used

A new kind of job needs a table with a key and a due time, a `JobTable` that names them, and a handler:

    PAYMENTS = JobTable(_C.id, _C.due_at_ms, lease_ms=MINUTE_MS, claims=_C.attempts)
    runner = JobRunner("payments", db, PAYMENTS, pay, back_off=BACK_OFF, batch_max=8)
    worker = Worker("payments", runner.run_due, poll_s=1.0)

`pay(claim)` does the work, settles the claim in its own transaction (`PAYMENTS.delete` or `PAYMENTS.reschedule`) and
returns whether the claim was still its own; `JobFailed` puts the row off. A row whose process died is due again when
its lease ends, so a handler may run twice for one row.
"""

from foreknow.platform.jobs.leases import Claim, JobTable
from foreknow.platform.jobs.runner import JobFailed, JobRunner, persist
from foreknow.platform.jobs.worker import Background, Worker

__all__ = ["Background", "Claim", "JobFailed", "JobRunner", "JobTable", "Worker", "persist"]
