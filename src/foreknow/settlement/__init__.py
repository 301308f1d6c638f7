"""Settlement: resolving pools and cancelling events, and paying their positions, in one transaction.

resolution  the resolution of a pool, and the payout of one share
service     who may resolve, when, and the event's new status
payouts     paying every open position
"""
