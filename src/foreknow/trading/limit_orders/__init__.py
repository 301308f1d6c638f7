"""Limit orders as rows: which rest, which are done, and what each still holds.

order   an order, and what fills and its end do to it; pure
status  how an order ends by itself, and when
views   orders as answers show them
"""
