"""What follows money: orders that end and are paid for, positions that are settled or turned, and statements' lines.

paying        paying users whose accounts may have been deleted; lines of partners' statements
settling      how an order ends and is paid for; does that, and what fills have left, in one transaction
pieces        that, piece by piece
order_worker  the worker of it
payouts       one piece of a pool's payment, and the return of the rest of escrow
turning       turns positions of a list's Other after a split (docs/lists.md)
"""
