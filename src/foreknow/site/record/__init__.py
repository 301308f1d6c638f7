"""The site's track record: how right its probabilities were, counted once for each resolved pool.

    counting  which pools count, at which prices, and the worker that counts them

What is shown is read from sums, so it takes as long with a million pools as with one.
"""

from foreknow.site.record.counting import RecordFollower

__all__ = ["RecordFollower"]
