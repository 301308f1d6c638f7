"""The site's track record: how right its probabilities were, counted once for each resolved pool.

    moments   the moments whose probabilities count
    counting  which pools count, at which prices, and the worker that counts them
    sources   the same of the crowd and of people, which `site/forecast_scores` counts

What is shown is read from sums, so it takes as long with a million pools as with one.
"""

from foreknow.site.record.counting import RecordFollower

__all__ = ["RecordFollower"]
