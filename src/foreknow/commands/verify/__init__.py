"""`foreknow verify`: recomputes a site from what it shows everyone, and needs nothing else of it.

It reads the public interface alone, as any visitor may, and works everything out again by exact pricing: a trade from
the state that the trades before it left, a match from the rules of orders, what the house paid from the liquidity.

    reading   the pages of a site: events, their pools and trades
    states    a pool's market maker over time: its first prices, liquidity, splits
    trades    the trades of one order, and whether they follow from the state before
    pools     a pool from its publication to now
    feed      the feed of trades, followed meanwhile
    site      all pools of a site, its results and its feed; the report
"""

from foreknow.commands.verify.site import Report, verify

__all__ = ["Report", "verify"]
