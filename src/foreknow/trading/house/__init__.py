"""The house's own trader: the user that moves pools to the prices of a source, with the house's money.

trader  the user, what it has spent by pool and by day, and the return of its money
tables  the pools and days in which it has traded

It is a user without credentials, as a partner's sub-account is. Its account is empty between two transactions, but for
payouts of a pool whose payment is under way: `odds_funding` brings what its orders cost, `odds_return` takes back what
they and settlements bring.
"""

from foreknow.trading.house.trader import (
    HouseTrader,
    Spending,
    earned_kopecks,
    find_trader,
    open_trader,
    spend_in_day,
    spending_of,
    spent_in_day,
    take_back,
    write_spending,
)

__all__ = [
    "HouseTrader",
    "Spending",
    "earned_kopecks",
    "find_trader",
    "open_trader",
    "spend_in_day",
    "spending_of",
    "spent_in_day",
    "take_back",
    "write_spending",
]
