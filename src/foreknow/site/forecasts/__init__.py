"""What people think of pools' outcomes without a stake, and what the crowd of them thinks.

probabilities  raised from 0, and followed through the splits of a list
crowd          medians and means by weights that double with each half-life
hidden         from whom others' forecasts and the crowd are hidden: the one place that says it
reading        what is shown, of a pool and of a person
download       a person's own as CSV
past           the crowd as it was, and its charts
members        who is part of a crowd, kept in memory
follower       the worker that keeps the crowds
"""

from foreknow.site.forecasts.follower import CrowdFollower

__all__ = ["CrowdFollower"]
