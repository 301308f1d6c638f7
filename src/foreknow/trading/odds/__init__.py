"""Odds from outside: prices of an event elsewhere, which our pools follow, and its final result.

source_event   the event of a source, in one form for all
sources        one class a source: its request, and its JSON
matching       which outcome there is which outcome here
following      whether a round's prices may be followed
source_prices  prices that a pool follows, and how long it may
house_trades   what the house account trades to move a pool to the source's prices
last_round     what a round found, as it is kept
rounds         the background rounds, due rows of `odds_events`
priors         before the first trade, the priors become the source's prices
house_orders   after it, the house's own trader moves the prices
results        final results, for pools that are resolved by them
routes         GET /events/{event_id}/odds

The house account of the contract is the user of `foreknow.trading.house`.
"""

from foreknow.trading.odds.house_orders import Budget
from foreknow.trading.odds.results import FetchedResult, ResultFetcher
from foreknow.trading.odds.rounds import OddsRounds, OddsRules
from foreknow.trading.odds.sources import open_sources

__all__ = ["Budget", "FetchedResult", "OddsRounds", "OddsRules", "ResultFetcher", "open_sources"]
