"""What forecasts earn: final pools are scored, once, against their prices; boards and notices follow from it.

    score     the score, from changes alone
    lives     when what counts of a pool
    prices    a pool's prices through its life
    scoring   a pool's history, read in pieces
    finding   which pools are to be scored, and which forecasts are old
    writing   what a scored pool gives
    store     scores, as read and forgotten
    boards    who earned most in a period
    follower  the worker

No request computes a score. Leases keep processes apart; that nothing is written twice is up to the rows.
"""

from foreknow.site.forecast_scores.follower import ScoreFollower

__all__ = ["ScoreFollower"]
