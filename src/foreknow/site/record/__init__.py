"""The site's track record: how right its probabilities were, counted once for each resolved pool.

    counting  which pools count, at which prices
    follower  the worker that counts them
    scores    scores of what is counted

What is shown is read from sums, so it takes as long with a million pools as with one.
"""

from foreknow.site.record.follower import RecordFollower

__all__ = ["RecordFollower"]
