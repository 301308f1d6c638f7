"""The house's own trader: the user that moves pools to the prices of a source, with the house's money.

trader  the user, what it has spent on each pool, and the return of its money
tables  the pools in which it has traded

It is a user without credentials, as a partner's sub-account is. Its account is empty between two transactions, but for
payouts of a pool whose payment is under way: `odds_funding` brings what its orders cost, `odds_return` takes back what
they and settlements bring.
"""

from foreknow.house.trader import (
    HouseTrader,
    Spending,
    earned_kopecks,
    find_trader,
    open_trader,
    spending_of,
    take_back,
    write_spending,
)

__all__ = [
    "HouseTrader",
    "Spending",
    "earned_kopecks",
    "find_trader",
    "open_trader",
    "spending_of",
    "take_back",
    "write_spending",
]
