"""What limit orders hold of their owners' money, order by order: the accounts of pools' orders, in detail.

`trading/limit_orders` reads and writes the orders.
"""

from foreknow.money.holds.store import held_fetch, held_kopecks

__all__ = ["held_fetch", "held_kopecks"]
