"""Following events, users and tags, and price alerts: requests, and the worker that notifies followers.

    follower  the worker: reads what is new, writes what follows from it with how far it has read, and sends news
              to followers, a piece in each transaction
    pending   which steps may have something to do: one statement
    trades    reads the trades after the cursor
    past_prices  the prices that trades left
    alerts    rows of price alerts
    replacing  what has reached an alert before it is replaced or taken back
    moves     moves of an event's main pool
    causes    news without a trade: new priors, comments, the end of trading

Orders pay nothing for it: the worker is a follower of the trades, as that of `activity` (ADR 0019).
"""

from foreknow.site.following.follower import FollowingService

__all__ = ["FollowingService"]
