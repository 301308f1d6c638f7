"""Following events, users and tags, and price alerts: requests, and the worker that notifies followers.

    follower  the worker: reads what is new, and writes what follows from it with how far it has read
    pending   which steps may have something to do: one statement
    trades    reads the trades after the cursor
    past_prices  the prices that trades left
    effects   what follows from trades: follows, reached price alerts, moved prices
    alerts    rows of price alerts
    moves     moves of an event's main pool
    causes    news without a trade: new priors, comments, the end of trading
    sending   sends news to followers, a piece in each transaction

Orders pay nothing for it: the worker is a follower of the trades, as that of `activity` (ADR 0019).
"""

from foreknow.site.following.follower import FollowingService

__all__ = ["FollowingService"]
