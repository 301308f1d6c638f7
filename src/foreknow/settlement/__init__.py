"""Settlement: resolving pools and cancelling events, and paying what they owe.

    verdicts   what was decided about a pool, and what that makes one share worth
    service    who may decide it, when, and what becomes of the event
    paying     every open position of the pools

All of it happens in one transaction: either everybody is paid and the pool is resolved, or nothing was.
"""
