"""What follows money: orders that end and are paid for, positions that are settled or turned, and statements' lines.

lines         lines of partners' statements
orders        how an order ends, and is paid for
paying        paying users whose accounts may have been deleted
settling      ends orders, pays for them, and does what fills have left, in one transaction
pieces        that, piece by piece
order_worker  the worker of it
payouts       one piece of a pool's payment, and the return of the rest of escrow
turning       turns positions of a list's Other after a split (docs/lists.md)
"""
