"""Errors of pools and markets (decisions.md, "Trading": the order of the market's checks)."""

from foreknow.kernel.errors import DomainError


class PoolNotFound(DomainError):
    code = "pool_not_found"
    status = 404
    message = "There is no pool with this id."


class MarketNotFound(DomainError):
    code = "market_not_found"
    status = 404
    message = "There is no market with this id."


class MarketResolved(DomainError):
    code = "market_resolved"
    status = 409
    message = "The market is resolved; nothing more can be traded in it."


class MarketClosed(DomainError):
    code = "market_closed"
    status = 409
    message = "The market is not open for trading: it is unpublished, not live yet, or past its deadline."


class MarketPaused(DomainError):
    code = "market_paused"
    status = 409
    message = "Trading in this market is paused."


class PricesMoved(DomainError):
    code = "slippage"
    status = 409
    message = "A price is more than 0.005 away from `probabilities`: read the pool again."


class OutcomeNameTaken(DomainError):
    code = "name_taken"
    status = 409
    message = "The list has an outcome of this name."


class PriceMoved(DomainError):
    code = "slippage"
    status = 409
    message = "The new outcome would start more than 0.005 away from `probability`: read the pool again."


class InvalidIds(DomainError):
    code = "invalid_ids"
    status = 400
    message = "ids is a comma-separated list of 1 to 100 pool ids."


class InvalidPoolId(DomainError):
    code = "invalid_pool_id"
    status = 400
    message = "A pool id is a whole number from 1."


class InvalidMarketId(DomainError):
    code = "invalid_market_id"
    status = 400
    message = "A market id is a whole number from 1."
