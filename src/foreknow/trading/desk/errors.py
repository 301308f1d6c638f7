"""Errors of orders, in the contract's order of checks (decisions.md, "Trading").

Errors of the market (not found, resolved, closed, paused) are in `foreknow.market.pools.errors`.
"""

from __future__ import annotations

from foreknow.kernel.errors import BadRequest, BalanceLimit, DomainError, InsufficientFunds, Unavailable
from foreknow.market.pools.errors import MarketClosed, MarketNotFound, MarketPaused, MarketResolved
from foreknow.trading.limit_orders.order import TooManyOrders, Unfilled, WouldTrade


class DeskFull(Unavailable):
    message = "Too many orders wait; send this one again in a second."


class OwnEvent(DomainError):
    """Of a creator's orders and quotes where creators may not trade at home; before the market's state is looked at."""

    code = "own_event"
    status = 403
    message = "Creators may not trade in their own events here."


class InsufficientShares(DomainError):
    code = "insufficient_shares"
    status = 409
    message = "The open position holds fewer shares than this."


class AmountTooSmall(DomainError):
    code = "amount_too_small"
    status = 400
    message = "At the present price this is less than one share or one kopeck."


class MarketLimit(DomainError):
    code = "market_limit"
    status = 409
    message = "The market cannot hold more than 1000000000000000 shares of one side."


class InvalidBasketId(DomainError):
    code = "invalid_basket_id"
    status = 400
    message = "A basket id is a whole number from 1."


class BasketNotFound(DomainError):
    code = "basket_not_found"
    status = 404
    message = "There is no basket of yours with this id."


class SeveralPools(BadRequest):
    message = "All markets of a basket must be of one pool."


class Slippage(DomainError):
    code = "slippage"
    status = 409
    message = "The price has moved past the limit set in the order."


class OutcomesChanged(DomainError):
    code = "slippage"
    status = 409
    message = "The pool has another number of outcomes than `outcomes`: read it again."


#: Of an order on it (400 `bad_request`).
NO_OF_OTHER = "NO of a list's Other is not traded: bet on the other outcomes."


class InsufficientFloat(DomainError):
    code = "insufficient_float"
    status = 409
    message = "Neither the user's balance nor the float covers the stake."


class Unfinished(DomainError):
    """Something of its trader's in its pool is to be done first; then the order is tried again. No client sees it."""

    code = "unavailable"
    status = 503
    message = "The order waits for what its trader's earlier ones have left to be done."

    def __init__(self, pool_id: int, user_id: int) -> None:
        """Say whose, and where."""
        super().__init__()
        self.pool_id, self.user_id = pool_id, user_id

    @property
    def key(self) -> tuple[type[Unfinished], int, int]:
        """What is to be done once, however many orders wait for it."""
        return type(self), self.pool_id, self.user_id


class Unturned(Unfinished):
    """A position of Other is to be turned."""


class Unended(Unfinished):
    """Open orders have ended with their pool: all of them end at once, and their owner is notified once."""


_OF_MARKETS = (MarketNotFound, MarketResolved, MarketClosed, MarketPaused, OutcomesChanged)
QUOTE_ERRORS = (*_OF_MARKETS, AmountTooSmall, MarketLimit)
#: Of users only: a partner's user is never a creator.
USER_QUOTE_ERRORS = (*QUOTE_ERRORS, OwnEvent)
BET_ERRORS = (*USER_QUOTE_ERRORS, Slippage, InsufficientFunds, BalanceLimit)
#: Of limit orders, in the order of orders.md.
ORDER_ERRORS = (*_OF_MARKETS, InsufficientShares, TooManyOrders, WouldTrade, Unfilled, MarketLimit, BalanceLimit)
USER_ORDER_ERRORS = (*ORDER_ERRORS, InsufficientFunds, OwnEvent)
BASKET_QUOTE_ERRORS = (*_OF_MARKETS, AmountTooSmall, MarketLimit, Slippage)
USER_BASKET_QUOTE_ERRORS = (*BASKET_QUOTE_ERRORS, OwnEvent)
#: Of orders for several markets at once.
BASKET_ERRORS = (*BASKET_QUOTE_ERRORS, InsufficientShares, BalanceLimit)
USER_BASKET_ERRORS = (*BASKET_ERRORS, InsufficientFunds, OwnEvent)
SALE_ERRORS = (*_OF_MARKETS, InsufficientShares, AmountTooSmall, MarketLimit, Slippage, BalanceLimit)
USER_SALE_ERRORS = (*SALE_ERRORS, OwnEvent)
