"""Limit orders as rows: which rest, which are done, and what each still holds.

order   an order, how it ends by itself, and what fills and its end do to it; pure
lists   orders as clients list them
levels  what rests at each level, for the order book
due     what waits to be done for orders (`trading/effects` does it)
"""
