"""What people were worth at the end of each day, kept by a follower, and what trading earned of it.

follower     the worker: goes through all people when a day has ended
past_people  what they had at the end of past days
past_pools   prices, and what was paid, at the end of past days
points       the points of a person's chart
store        the rows
"""

from foreknow.site.worth.follower import WorthFollower

__all__ = ["WorthFollower"]
