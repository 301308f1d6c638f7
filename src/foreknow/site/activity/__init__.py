"""What is counted of trades: by event, pool, holder and trader, by a follower that is never more than 2 s behind.

    follower       the worker: reads what is new, and writes what follows from it with how far it has read
    pending        whether there is anything to count
    trades         reads the trades after the cursor, added up
    counting       trades, in the feed's order
    traders        sums of people by period
    periods        weeks, months and all time
    holdings       who holds what, and the profits of paid positions
    splits         positions that splits of lists have made
    holders        the largest holders of each side
    windows        volumes of the last 24 h, and the columns that are renewed by the minute
    tags           the active events of each tag
    rankings       what a person did in a period, and the ranking of profits
    verdicts       what became of the results of a creator's pools
    store          reading what is counted

Every row follows from trades, positions, pools and events: a follower that starts from nothing makes the same ones.
"""

from foreknow.site.activity.follower import ActivityFollower

__all__ = ["ActivityFollower"]
