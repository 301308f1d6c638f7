"""The book: limit orders that rest beside a pool's market maker, and whom an order meets. Pure.

    queues     `Resting` and `Book`, the open orders of one pool; the order book that clients see
    arrivals   what arrives, and what its decision says
    matching   `decide`: what an order takes on arrival; `sweep`: resting orders that can take from the curve do

An order is decided whole from the market maker, the book and itself. Nothing here changes what it is given: a decision
carries the market maker and the book after it, and who refuses it goes on with those before.

    book = Book(markets, orders, truncated, read_deeper)      # once a pool and batch
    decision = decide(market_maker, book, Arrival(...))       # MatchDecision
    market_maker, book = decision.after, decision.book        # unless refused

    result = sweep(market_maker, book, after_outcome=None)    # SweepResult: after baskets, rounds, liquidity, priors
    book = book.without(orders)                               # cancelled, expired

Prices are whole percents, and so whole kopecks for a lot of 100 shares. *Level* is a price of YES, *price* one of the
order's own side. The rules are those of the contract (docs/contract, "Limit orders"), named by their numbers.
"""

from foreknow.trading.book.arrivals import (
    Arrival,
    ArrivingBet,
    ArrivingLimit,
    ArrivingSale,
    Cancelled,
    MakerFill,
    MatchDecision,
    SweepResult,
)
from foreknow.trading.book.matching import decide, sweep
from foreknow.trading.book.queues import LOT_SHARES, Book, QueueKey, Resting, order_book

__all__ = [
    "LOT_SHARES",
    "Arrival",
    "ArrivingBet",
    "ArrivingLimit",
    "ArrivingSale",
    "Book",
    "Cancelled",
    "MakerFill",
    "MatchDecision",
    "QueueKey",
    "Resting",
    "SweepResult",
    "decide",
    "order_book",
    "sweep",
]
