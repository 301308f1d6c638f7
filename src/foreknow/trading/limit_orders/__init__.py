"""Limit orders as rows: which rest, which are done, and what each still holds.

order   an order, and what fills and its end do to it; pure
status  how an order ends by itself, and when
store   the best of each queue of some pools, orders by id, and their writing
lists   orders as clients list them
views   orders as answers show them
"""
