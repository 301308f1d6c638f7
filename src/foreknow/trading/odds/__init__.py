"""Odds from outside: prices of an event elsewhere, which our pools follow, and its final result.

sources        one class a source: its request, and its JSON
matching       which outcome there is which outcome here
following      what a round found, as it is kept until the next one, and whether its prices may be followed
rounds         the background rounds, due rows of `odds_events`
house_orders   after it, the house's own trader moves the prices: which trades, and placing them
results        final results, for pools that are resolved by them
routes         GET /events/{event_id}/odds

The house account of the contract is the user of `foreknow.trading.house`.
"""

from foreknow.trading.odds.house_orders import Budget
from foreknow.trading.odds.results import FetchedResult, ResultFetcher
from foreknow.trading.odds.rounds import OddsRounds, OddsRules
from foreknow.trading.odds.sources import open_sources

__all__ = ["Budget", "FetchedResult", "OddsRounds", "OddsRules", "ResultFetcher", "open_sources"]
