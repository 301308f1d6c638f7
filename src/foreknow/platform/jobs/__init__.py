"""Background jobs: rows that fall due, and the workers that handle them.

    leases        claiming due rows: a claim moves the row's due time to the end of a lease
    runner        claims due rows, handles each, puts off those that failed with growing pauses
    piecewise     long jobs in short transactions, with a lease that is renewed
    worker        the loop of a background task: wake, poll, survive failures, stop; what has such loops
    follower      doing what follows from what is new, up to a cursor that all processes share
    use_recorder  when keys were last used

What follows from rows that others write, trades say, is done by a `Follower`: `site/activity/follower.py`.

How to add one: `README.md` beside this.
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
